let passed = 0;
let failed = 0;

/**
 * Runs one check and says how it went.
 * @param {string} name
 * @param {() => void} body throws if it fails
 */
export function check(name, body) {
  try {
    body();
    passed++;
    console.log(`ok   ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAIL ${name}\n${error instanceof Error ? error.stack : error}`);
  }
}

/** Prints the sum, and makes the process fail if a check has. */
export function finish() {
  console.log(`\n${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}
