/** As `js/wasm/packedBytes.ts`. */
const ESCAPES = 2;
const SINGLES = 89;

/**
 * Writes bytes as ASCII text that compresses as well as they do: base64 cuts them across, and gzip then makes a third
 * more of them. The most frequent bytes are one character each, the others two.
 *
 * @param {Uint8Array} bytes
 * @returns {{ text: string, singles: string }} what `unpackBytes` takes: the text, and which bytes are single, as a
 *   bit a byte
 */
export function packBytes(bytes) {
  const counts = new Array(256).fill(0);
  for (const byte of bytes) counts[byte]++;
  const byCount = [...counts.keys()].sort((a, b) => counts[b] - counts[a] || a - b);
  const isSingle = new Array(256).fill(false);
  for (const byte of byCount.slice(0, SINGLES)) isSingle[byte] = true;

  const all = [...isSingle.keys()];
  const codes = new Array(256);
  for (const [i, byte] of all.filter((byte) => isSingle[byte]).entries())
    codes[byte] = character(ESCAPES + i);
  for (const [i, byte] of all.filter((byte) => !isSingle[byte]).entries()) {
    codes[byte] = character(Math.floor(i / SINGLES)) + character(ESCAPES + (i % SINGLES));
  }

  let singles = "";
  for (let i = 0; i < 256; i += 4) {
    singles += [0, 1, 2, 3].reduce((bits, j) => bits | (Number(isSingle[i + j]) << j), 0).toString(16);
  }
  return { text: Array.from(bytes, (byte) => codes[byte]).join(""), singles };
}

/**
 * Printable ASCII but `"` and `\`.
 *
 * @param {number} i from 0 to ESCAPES + SINGLES - 1
 */
function character(i) {
  const code = "#".charCodeAt(0) + i;
  return String.fromCharCode(code < "\\".charCodeAt(0) ? code : code + 1);
}
