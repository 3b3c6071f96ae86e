/** What V8 makes room for in objects is a multiple of what hostile messages put into them. Other engines see no difference. */

type PlainObject = Record<PropertyKey, unknown>;

/** As `{}`, but V8 has no room in it for named properties: it takes 24 bytes instead of 56. */
export const EmptyObject = /* @__PURE__ */ (() => {
  // biome-ignore lint/complexity/useArrowFunction: it constructs. Debuggers show its name.
  const { Object: Constructor } = { Object: function () {} };
  Constructor.prototype = Object.prototype;
  return Constructor as unknown as new () => PlainObject;
})();

/** For an index so far from all others, V8 goes over from an array of all up to it, and then some, to a table. */
const FAR = 2 ** 20;
const FAR_DIGITS = 7;
/** Up to this index, the array takes no more than the smallest table. */
const MAX_ARRAY_INDEX = 15;

/** The largest index among `count` keys for which the array takes little. */
export function roomFor(count: number): number {
  return count > 1 ? 2 * count - 1 : -1;
}

/** Whether a key is an index above `most` for which V8 might make the array larger. */
export function exceeds(key: PropertyKey, most: number): boolean {
  if (
    typeof key === "string"
      ? key.length > FAR_DIGITS || (key.charCodeAt(0) ^ 0x30) > 9
      : typeof key !== "number"
  ) {
    return false;
  }
  return Number(key) > most && Number(key) < FAR;
}

/** Whether one of `keys`, which are all that an object gets, exceeds the room for them. */
export function areSparse(keys: readonly string[]): boolean {
  return keys.some((key) => exceeds(key, roomFor(keys.length)));
}

/** Makes V8 keep the properties that have an index in a table. */
export function turnToTable(object: object): void {
  if (FAR in object) return;
  (object as PlainObject)[FAR] = null;
  delete (object as PlainObject)[FAR];
}

/** To be called before each property is set, with what it returned for the last, or at first `roomFor` all. */
export function keepSmall(object: object, key: PropertyKey, most: number): number {
  if (!exceeds(key, most)) return most;
  turnToTable(object);
  return FAR;
}

/** An object with one property. */
export function objectOf(key: PropertyKey, value: unknown): PlainObject {
  const index = exceeds(key, -1) ? Number(key) : -1;
  const object = index < 0 ? {} : new EmptyObject();
  if (index > MAX_ARRAY_INDEX) turnToTable(object);
  object[key] = value;
  if (index >= 0 && index <= MAX_ARRAY_INDEX) {
    // V8 has made the array so long; when its last item is deleted, it gives back all that is empty at its end.
    const last = index + ((index + 1) >> 1) + 16;
    object[last] = null;
    delete object[last];
  }
  return object;
}
