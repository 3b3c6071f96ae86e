// The types by which options ask for a `context` exactly when the extension codec has one.

/** Makes `A | B` of `A | B` one at a time. */
export type SplitTypes<T, U> = U extends T ? (Exclude<T, U> extends never ? T : Exclude<T, U>) : T;

/** Without `undefined`, unless it is nothing else. */
export type SplitUndefined<T> = SplitTypes<T, undefined>;

/** The option `context`, required unless its type is `undefined`. */
export type ContextOf<ContextType> = ContextType extends undefined
  ? object
  : {
      /** What the extension codec's functions get as their last argument. */
      context: ContextType;
    };
