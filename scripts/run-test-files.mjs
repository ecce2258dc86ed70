// Runs test files of node:test several at a time and says how each one ended.
import { runAlone, startSharedProcess } from "./test-process.mjs";

/** More files than this do not fail by accident. */
export const MOST_REPEATED = 6;

/**
 * With `repeats`, files that failed run once more, alone: what fails only beside other work does not throw away a whole
 * run, and is named, so that somebody mends it.
 *
 * @param {string[]} files relative to the root
 * @param {object} options
 * @param {number} options.atOnce
 * @param {(file: string) => boolean} options.mayShare whether a file can do with a process that ran others before it
 * @param {NodeJS.ProcessEnv} options.env
 * @param {string} options.results
 * @param {boolean} options.repeats
 * @returns {Promise<{ passed: number, failed: number, skipped: { name: string, reason: string }[], unsteady: string[] }>}
 *   `unsteady`: the files that passed only the second time, counted as they ended then
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
    unsteady: failing.filter((file) => ended.get(file).failed === 0),
  };
}

const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);

/** @param {Promise<import("./test-process.mjs").Ended>} running */
async function told(file, running) {
  const startedAt = Date.now();
  const { counts, printed, killedAfter } = await running;
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  console.log(`${counts.failed === 0 ? "✔" : "✖"} ${file} (${counts.passed} passed, ${seconds} s)`);
  if (killedAfter !== undefined) console.log(`  It was killed after ${killedAfter} s: something held it open.`);
  if (counts.failed > 0) console.log(failuresOf(printed));
  return counts;
}

const MOST_PRINTED = 20_000;

/** The spec reporter repeats what failed at its end. */
function failuresOf(printed) {
  const from = printed.lastIndexOf("failing tests:");
  return (from === -1 ? printed : printed.slice(from)).slice(-MOST_PRINTED);
}
