/**
 * The id by which MagicOnion calls a method: the FNV-1a hash of the UTF-8 bytes of its name, as a signed integer of 32
 * bits. (A `MethodId` attribute on the server sets another.)
 */
export function methodId(name: string): number {
  let hash = 0x811c9dc5;
  for (const byte of utf8.encode(name)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash | 0;
}

const utf8 = new TextEncoder();
