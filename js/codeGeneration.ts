/**
 * Whether code may be made of strings. Browsers and workers are not asked: a page whose policy forbids it would have
 * the attempt reported as a violation. Node has no such policy, only a flag that makes the attempt throw.
 */
function canCompile(): boolean {
  const { process } = globalThis as { process?: { versions?: { node?: string } } };
  if (typeof process?.versions?.node !== "string") return false;
  try {
    new Function("");
    return true;
  } catch {
    return false;
  }
}

let isAllowed: boolean | undefined;

/** As `canCompile`, asked once. */
export function mayCompile(): boolean {
  if (!MAY_BE_NODE) return false;
  isAllowed ??= canCompile();
  return isAllowed;
}

/** V8 keeps compiled code: a bound on what strangers can make it keep. */
export const MAX_COMPILED = 512;

/** Compiling costs some 30 µs, what a shape saves by it about 10 ns a key: this many objects pay for it. */
export const COMPILE_AT = 64;
