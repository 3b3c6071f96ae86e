const UNITS = ["", "k", "M", "G"];

/**
 * Three digits and a unit: 12.3k.
 * @param {number} number
 */
export function short(number) {
  let [value, unit] = [number, 0];
  while (value >= 999.5 && unit < UNITS.length - 1) [value, unit] = [value / 1000, unit + 1];
  const digits = value >= 99.95 || (unit === 0 && Number.isInteger(value)) ? 0 : value >= 9.995 ? 1 : 2;
  return `${value.toFixed(digits)}${UNITS[unit]}`;
}

/** @param {number} nanoseconds */
export function operationsPerSecond(nanoseconds) {
  return short(1e9 / nanoseconds);
}

/** @param {number} percent */
export function margin(percent) {
  return Number.isFinite(percent) ? `±${percent.toFixed(1)}%` : "±?";
}

/** @param {number} bytes */
export function size(bytes) {
  return bytes.toLocaleString("en", { maximumFractionDigits: 0 });
}

/** @param {number} value */
export function ratio(value) {
  return value >= 99.95 ? value.toFixed(0) : value.toFixed(2);
}

/**
 * @param {boolean | undefined} isReached
 */
export function verdict(isReached) {
  if (isReached === undefined) return "not measured";
  return isReached ? "reached" : "NOT reached";
}
