/**
 * @typedef {object} Summary
 * @property {number} mean
 * @property {number} margin half of the 95 % confidence interval of the mean, in percent of it
 * @property {number} samples how many count
 * @property {number} outliers how many were left out
 */

/** Two-tailed critical values of Student's t-distribution for 95 % confidence, by degrees of freedom from 1 on. */
const CRITICAL_T = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];
const CRITICAL_NORMAL = 1.96;

/** Tukey's factor of the interquartile range. */
const FENCE = 1.5;

/**
 * Sums up the samples of all processes that timed one thing. Like BenchmarkDotNet, it leaves out samples that are far too
 * long, and none that is short: a machine has many ways to be late and none to be early.
 * @param {number[]} samples
 * @returns {Summary}
 */
export function summarize(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  const [lower, upper] = [quantile(sorted, 0.25), quantile(sorted, 0.75)];
  const kept = sorted.filter((sample) => sample <= upper + FENCE * (upper - lower));
  const mean = average(kept);
  return {
    mean,
    margin:
      kept.length < 2 ? Number.NaN : (100 * standardError(kept, mean) * criticalT(kept.length - 1)) / mean,
    samples: kept.length,
    outliers: samples.length - kept.length,
  };
}

/**
 * @param {number[]} sorted
 * @param {number} fraction
 */
function quantile(sorted, fraction) {
  const position = (sorted.length - 1) * fraction;
  const below = Math.floor(position);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (position - below);
}

/** @param {number[]} numbers */
export function median(numbers) {
  return quantile(
    [...numbers].sort((a, b) => a - b),
    0.5,
  );
}

/** @param {number[]} numbers */
function average(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

/**
 * @param {number[]} numbers
 * @param {number} mean
 */
function standardError(numbers, mean) {
  const squares = numbers.reduce((sum, number) => sum + (number - mean) ** 2, 0);
  return Math.sqrt(squares / (numbers.length - 1) / numbers.length);
}

/** @param {number} degrees */
function criticalT(degrees) {
  return CRITICAL_T[degrees - 1] ?? CRITICAL_NORMAL;
}

/**
 * @param {number[]} ratios
 * @returns {number} `NaN` of none
 */
export function geometricMean(ratios) {
  return Math.exp(average(ratios.map(Math.log)));
}
