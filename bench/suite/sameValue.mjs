/**
 * Whether a decoded value is the one that was encoded. Bytes may have become a `Uint8Array`, a `Buffer` or what they
 * were, as libraries differ there; all else must be equal.
 * @param {unknown} expected
 * @param {unknown} actual
 * @returns {boolean}
 */
export function sameValue(expected, actual) {
  if (Object.is(expected, actual)) return true;
  if (typeof expected !== "object" || typeof actual !== "object" || expected === null || actual === null) {
    return false;
  }
  if (ArrayBuffer.isView(expected)) return ArrayBuffer.isView(actual) && sameBytes(expected, actual);
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      expected.length === actual.length &&
      expected.every((item, index) => sameValue(item, actual[index]))
    );
  }
  if (Array.isArray(actual) || actual instanceof Map) return false;
  const keys = Object.keys(expected);
  return (
    keys.length === Object.keys(actual).length &&
    keys.every(
      (key) =>
        Object.hasOwn(actual, key) &&
        sameValue(
          /** @type {Record<string, unknown>} */ (expected)[key],
          /** @type {Record<string, unknown>} */ (actual)[key],
        ),
    )
  );
}

/**
 * @param {ArrayBufferView} a
 * @param {ArrayBufferView} b
 */
function sameBytes(a, b) {
  const [left, right] = [a, b].map((view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}
