/**
 * All that the package exports.
 * @typedef {typeof import("msgpack-wasm") & typeof import("msgpack-wasm/signalr")
 *   & typeof import("msgpack-wasm/signalr/redis") & typeof import("msgpack-wasm/streaminghub")} Library
 */

/** The handles of the build for tests. @typedef {typeof import("msgpack-wasm/testing")} Testing */

/** @returns {Promise<Library>} the package as it is published */
export async function loadPublished() {
  return {
    ...(await import("msgpack-wasm")),
    ...(await import("msgpack-wasm/signalr")),
    ...(await import("msgpack-wasm/signalr/redis")),
    ...(await import("msgpack-wasm/streaminghub")),
  };
}

/**
 * The build of the same code that has handles on its insides. The formats of the Redis backplane, which need no wasm, are
 * those that are published.
 * @returns {Promise<Library & Testing>}
 */
export async function loadTesting() {
  /** @type {Testing} */
  const testing = await import(new URL("../../build/testing.js", import.meta.url).href);
  return { ...(await import("msgpack-wasm/signalr/redis")), ...testing };
}
