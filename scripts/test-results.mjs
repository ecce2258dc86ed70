// Counts the results of test runs by file, so that a file that runs again replaces its earlier counts.
import { relative } from "node:path";

/** More failed files than this are not flaky. */
const MOST_REPEATED = 6;

/**
 * The result of one run: `{ passed, failed, skipped: [name, reason][] }` for each test file.
 * A test that no file is known for is counted under `unknown`.
 */
export class TestResults {
  files = new Map();

  file(path = "unknown") {
    if (!this.files.has(path)) this.files.set(path, { passed: 0, failed: 0, skipped: [] });
    return this.files.get(path);
  }

  /**
   * Counts one test of a file.
   * @param {"test:pass" | "test:fail"} outcome
   */
  add(path, outcome, { name, skip }) {
    const counts = this.file(path);
    if (skip !== undefined && skip !== false) counts.skipped.push([name, skip === true ? "no reason given" : skip]);
    else counts[outcome === "test:pass" ? "passed" : "failed"] += 1;
  }

  get failedFiles() {
    return [...this.files].filter(([, { failed }]) => failed > 0).map(([path]) => path);
  }

  get skipped() {
    return [...this.files.values()].flatMap((file) => file.skipped);
  }

  /** The number of `passed` or `failed` tests. */
  count(outcome) {
    return [...this.files.values()].reduce((total, file) => total + file[outcome], 0);
  }
}

/**
 * Runs a few failed files again with `runAgain(files)`; the second run replaces their first results.
 * Returns the results and the flaky files, which failed at first and then passed.
 */
export async function repeatFailed(first, runAgain) {
  const repeated = first.failedFiles;
  if (repeated.length === 0 || repeated.length > MOST_REPEATED || repeated.includes("unknown"))
    return { results: first, flaky: [] };
  console.log(`\nRunning ${repeated.length} failed files again`);
  const second = await runAgain(repeated);
  const results = new TestResults();
  results.files = new Map([...first.files, ...second.files]);
  return { results, flaky: repeated.filter((path) => second.files.has(path) && second.file(path).failed === 0) };
}

/** The last lines of a test run. In strict mode, skipped tests count as failed. */
export function summarize(runs, { isStrict, root }) {
  const sum = (outcome) => runs.reduce((total, { results }) => total + results.count(outcome), 0);
  const skipped = runs.flatMap(({ results }) => results.skipped);
  const passed = sum("passed");
  const failed = sum("failed") + (isStrict ? skipped.length : 0);
  const lines = skipped.map(([name, reason]) => `skipped: ${name} (${reason})`);
  for (const path of runs.flatMap(({ flaky }) => flaky))
    lines.push(`flaky: ${relative(root, path)} failed, and passed when it ran again alone`);
  if (isStrict && skipped.length > 0) lines.push("Skipping is forbidden here, so skipped tests count as failed.");
  lines.push("", `${passed} passed, ${failed} failed, ${isStrict ? 0 : skipped.length} skipped`);
  return { lines, isSuccess: failed === 0 && passed > 0 };
}
