// What is free in the memory of an instance of the module, found out by taking all of it.

/** @typedef {ReturnType<typeof import("msgpack-wasm/testing").sharedInstance>} Instance */
/** @typedef {Instance["codec"] & { _free(address: number): void }} Allocator The glue has `_free`, though nothing is bound to it. */

const BLOCKS = [512 * 1024, 64 * 1024, 8192, 1024, 128, 0];

/**
 * Takes all memory that is free, in blocks.
 * @param {Allocator} codec
 */
function takeAll(codec) {
  /** @type {number[]} */
  const blocks = [];
  let bytes = 0;
  for (const size of BLOCKS) {
    for (let block = codec.createBlock(size); block !== 0; block = codec.createBlock(size)) {
      blocks.push(block);
      bytes += size + 128;
    }
  }
  return { blocks, bytes };
}

/**
 * @param {Allocator} codec
 * @param {number[]} blocks
 */
function freeAll(codec, blocks) {
  // From the last to the first, so that what is freed joins what is free behind it.
  for (const block of blocks.reverse()) codec._free(block);
}

/**
 * How many bytes a codec whose memory is limited can still give, within a few hundred.
 * @param {Instance} instance
 * @returns {number}
 */
export function freeBytes(instance) {
  const codec = /** @type {Allocator} */ (instance.codec);
  const { blocks, bytes } = takeAll(codec);
  freeAll(codec, blocks);
  instance.renewDetached();
  return bytes;
}

/**
 * Takes all memory. Returns what gives it back.
 * @param {Instance} instance
 * @returns {() => void}
 */
export function takeAllOf(instance) {
  const codec = /** @type {Allocator} */ (instance.codec);
  const { blocks } = takeAll(codec);
  instance.renewDetached();
  return () => freeAll(codec, blocks);
}
