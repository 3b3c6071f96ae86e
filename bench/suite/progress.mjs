/** How often a line is printed where none can be overwritten. */
const LINE_MILLISECONDS = 30_000;

/**
 * Tells how far a run is: on a terminal in one line that changes, elsewhere by a line now and then.
 * @param {string} title
 * @param {number} total
 */
export function startProgress(title, total) {
  const start = performance.now();
  let done = 0;
  let printed = start;
  return {
    /** @param {string} what is done next */
    next(what) {
      const now = performance.now();
      const left = done === 0 ? "" : `, ${duration(((now - start) / done) * (total - done))} left`;
      const line = `${title}: ${done + 1}/${total}${left}: ${what}`;
      if (process.stderr.isTTY) {
        process.stderr.write(`\r\x1b[K${line.slice(0, (process.stderr.columns ?? 80) - 1)}`);
      } else if (now - printed > LINE_MILLISECONDS) {
        printed = now;
        process.stderr.write(`${line}\n`);
      }
      done++;
    },
    end() {
      if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
      process.stderr.write(`${title}: ${done} in ${duration(performance.now() - start)}\n`);
    },
  };
}

/** @param {number} milliseconds */
function duration(milliseconds) {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
