import type { DecodeLimits } from "./wasm/DecodeMemory.ts";

/** The names of sets of limits. */
export type DecodeProfile = "untrusted";

/** What the format can say is all that is compared with: above that, a limit is none. */
const UINT32_MAX = 2 ** 32 - 1;

const NO_LIMITS: DecodeLimits = {
  maxStrLength: UINT32_MAX,
  maxBinLength: UINT32_MAX,
  maxArrayLength: UINT32_MAX,
  maxMapLength: UINT32_MAX,
  maxExtLength: UINT32_MAX,
  maxDepth: UINT32_MAX,
  maxElements: Number.MAX_SAFE_INTEGER,
};

const UNTRUSTED: DecodeLimits = {
  maxStrLength: 2 ** 20,
  maxBinLength: 2 ** 24,
  maxArrayLength: 2 ** 20,
  maxMapLength: 2 ** 16,
  maxExtLength: 2 ** 24,
  // That of MessagePack for C#, with `MessagePackSecurity.UntrustedData`.
  maxDepth: 500,
  maxElements: 2 ** 20,
};

/** @throws RangeError if there is no such profile: a mistyped one must not mean no limits */
export function limitsOf(
  options: Readonly<Partial<DecodeLimits>> | undefined | null,
  profile: DecodeProfile | undefined | null,
): DecodeLimits {
  if (profile != null && profile !== "untrusted") {
    throw new RangeError(`There is no profile ${JSON.stringify(profile)}, only "untrusted"`);
  }
  const defaults = profile == null ? NO_LIMITS : UNTRUSTED;
  if (options == null) return defaults;
  return {
    maxStrLength: limit(options.maxStrLength, defaults.maxStrLength),
    maxBinLength: limit(options.maxBinLength, defaults.maxBinLength),
    maxArrayLength: limit(options.maxArrayLength, defaults.maxArrayLength),
    maxMapLength: limit(options.maxMapLength, defaults.maxMapLength),
    maxExtLength: limit(options.maxExtLength, defaults.maxExtLength),
    maxDepth: limit(options.maxDepth, defaults.maxDepth),
    maxElements: limit(options.maxElements, defaults.maxElements, NO_LIMITS.maxElements),
  };
}

/** What a comparison with the option, whatever number it is, comes to. */
function limit(value: number | undefined | null, byDefault: number, most = UINT32_MAX): number {
  const whole = Math.floor(value ?? byDefault);
  return Number.isNaN(whole) ? byDefault : Math.max(-1, Math.min(whole, most));
}

/** Whether none but that for extensions is below `least`. */
export function allow(limits: DecodeLimits, least: number): boolean {
  return (
    limits.maxStrLength >= least &&
    limits.maxBinLength >= least &&
    limits.maxArrayLength >= least &&
    limits.maxMapLength >= least &&
    limits.maxDepth >= least &&
    limits.maxElements >= least
  );
}
