// Runs test files of node:test, each in a process of its own that can't outlive its time, and says how each one ended.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pinnedNode, root } from "./install.mjs";

/** A test that hangs fails and is named. */
const LONGEST_TEST_MS = 600_000;
/** A file that hangs, because something holds it open, is killed with all that it started. */
const LONGEST_FILE_MS = 900_000;
/** How long what a file has printed may take to arrive once its process is gone. */
const LAST_WORDS_MS = 500;

/** More files than this do not fail by accident. */
export const MOST_REPEATED = 3;

/**
 * With `repeats`, files that failed run once more, alone: what fails only beside other work does not throw away a whole
 * run, and is named, so that somebody mends it.
 *
 * @param {string[]} files relative to the root
 * @param {{ atOnce: number, env: NodeJS.ProcessEnv, results: string, repeats: boolean }} options
 * @returns {Promise<{ passed: number, failed: number, skipped: { name: string, reason: string }[], unsteady: string[] }>}
 *   `unsteady`: the files that passed only the second time, counted as they ended then
 */
export async function runTestFiles(files, { atOnce, env, results, repeats }) {
  const ended = new Map();
  const waiting = [...files];
  const run = async (file) =>
    ended.set(file, await runFile(file, env, join(results, `${file.replaceAll("/", "_")}.json`)));
  const work = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) await run(file);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const failing = files.filter((file) => ended.get(file).failed > 0);
  if (repeats && failing.length <= MOST_REPEATED) for (const file of failing) await run(file);
  const counts = [...ended.values()];
  return {
    passed: sum(counts.map(({ passed }) => passed)),
    failed: sum(counts.map(({ failed }) => failed)),
    skipped: counts.flatMap(({ skipped }) => skipped),
    unsteady: failing.filter((file) => ended.get(file).failed === 0),
  };
}

const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);

async function runFile(file, env, counts) {
  const startedAt = Date.now();
  const child = spawn(
    pinnedNode,
    [
      `--test-timeout=${LONGEST_TEST_MS}`,
      "--test-reporter=spec",
      "--test-reporter-destination=stdout",
      `--test-reporter=${join(root, "scripts", "count-reporter.mjs")}`,
      `--test-reporter-destination=${counts}`,
      file,
    ],
    { cwd: root, env, stdio: ["ignore", "pipe", "pipe"], detached: true },
  );
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text) => (printed += text));
  }
  // It may come in the same moment as "exit".
  const closed = new Promise((resolve) => child.once("close", resolve));
  let isKilled = false;
  const timer = setTimeout(() => {
    isKilled = true;
    end(child);
  }, LONGEST_FILE_MS);
  // Not "close": something that the file left running may hold its output open for ever.
  const status = await new Promise((resolve) => child.once("exit", resolve));
  clearTimeout(timer);
  await soon(closed);
  end(child);
  const counted = existsSync(counts) ? readCounts(counts) : { passed: 0, failed: 0, skipped: [] };
  if (status !== 0 && counted.failed === 0) counted.failed = 1;
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  console.log(`${counted.failed === 0 ? "✔" : "✖"} ${file} (${counted.passed} passed, ${seconds} s)`);
  if (isKilled) console.log(`  It was killed after ${LONGEST_FILE_MS / 1000} s: something held it open.`);
  if (counted.failed > 0) console.log(failuresOf(printed));
  return counted;
}

async function soon(closed) {
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, LAST_WORDS_MS)));
  await Promise.race([closed, late]);
  clearTimeout(timer);
}

/** With everything in its process group. */
function end(child) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // Nothing is left of it.
  }
  child.stdout.destroy();
  child.stderr.destroy();
}

function readCounts(path) {
  const text = readFileSync(path, "utf8");
  return text === "" ? { passed: 0, failed: 1, skipped: [] } : JSON.parse(text);
}

const MOST_PRINTED = 20_000;

/** The spec reporter repeats what failed at its end. */
function failuresOf(printed) {
  const from = printed.lastIndexOf("failing tests:");
  return (from === -1 ? printed : printed.slice(from)).slice(-MOST_PRINTED);
}
