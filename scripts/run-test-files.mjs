// Runs several node:test files at a time and reports the result of each.
import { runAlone, startSharedProcess } from "./test-process.mjs";

/** More failed files than this are not flaky and are not repeated. */
export const MOST_REPEATED = 6;

/**
 * With `repeats`, failed files run once more, alone: a flaky file does not fail the whole run, but is reported so that it gets
 * fixed.
 *
 * @param {string[]} files relative to the root
 * @param {object} options
 * @param {number} options.atOnce
 * @param {(file: string) => boolean} options.mayShare whether a file may run in a process that ran other files before
 * @param {NodeJS.ProcessEnv} options.env
 * @param {string} options.results
 * @param {boolean} options.repeats
 * @returns {Promise<{ passed: number, failed: number, skipped: { name: string, reason: string }[], flaky: string[] }>}
 *   `flaky`: the files that passed only the second time, counted by their second result
 */
export async function runTestFiles(files, { atOnce, mayShare, repeats, ...options }) {
  const ended = new Map();
  const waiting = [...files];
  const lane = async () => {
    let shared = null;
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      if (mayShare(file)) shared ??= startSharedProcess(options);
      const counts = await told(file, mayShare(file) ? shared.run(file) : runAlone(file, options));
      ended.set(file, counts);
      if (counts.failed === 0 || !mayShare(file)) continue;
      await shared.end();
      shared = null;
    }
    await shared?.end();
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  const failing = files.filter((file) => ended.get(file).failed > 0);
  if (repeats && failing.length <= MOST_REPEATED)
    for (const file of failing) ended.set(file, await told(file, runAlone(file, options)));
  const counts = [...ended.values()];
  return {
    passed: sum(counts.map(({ passed }) => passed)),
    failed: sum(counts.map(({ failed }) => failed)),
    skipped: counts.flatMap(({ skipped }) => skipped),
    flaky: failing.filter((file) => ended.get(file).failed === 0),
  };
}

const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);

/** @param {Promise<import("./test-process.mjs").Ended>} running */
async function told(file, running) {
  const startedAt = Date.now();
  const { counts, printed, killedAfter } = await running;
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  console.log(`${counts.failed === 0 ? "✔" : "✖"} ${file} (${counts.passed} passed, ${seconds} s)`);
  if (killedAfter !== undefined) console.log(`  Killed after ${killedAfter} s: it did not finish.`);
  if (counts.failed > 0) console.log(failuresOf(printed));
  return counts;
}

const MOST_PRINTED = 20_000;

/** The spec reporter repeats failures at the end. */
function failuresOf(printed) {
  const from = printed.lastIndexOf("failing tests:");
  return (from === -1 ? printed : printed.slice(from)).slice(-MOST_PRINTED);
}
