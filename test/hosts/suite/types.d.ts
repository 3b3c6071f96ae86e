/** What `bundleSuite.mjs` makes of the test files. */
declare module "msgpack-wasm-tests" {
  /** Loads a file, by its name in `test/`. */
  export const files: Record<string, () => Promise<unknown>>;
}

declare module "msgpack-wasm-documents" {
  /** The texts of files, by their names. */
  export const texts: Record<string, string | undefined>;
}
