// Processes that test files of node:test run in: one for a single file, or one for a file after another.
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

/**
 * @typedef {{ passed: number, failed: number, skipped: { name: string, reason: string }[] }} Counts
 * @typedef {{ counts: Counts, printed: string, killedAfter?: number }} Ended `killedAfter`: seconds, when it hung
 */

/**
 * Runs a file in a process of its own, which can't outlive its time.
 * @param {string} file relative to the root
 * @param {{ env: NodeJS.ProcessEnv, results: string }} options
 * @returns {Promise<Ended>}
 */
export async function runAlone(file, { env, results }) {
  const counted = join(results, `${file.replaceAll("/", "_")}.json`);
  const child = startNode(env, [
    "--test-reporter=spec",
    "--test-reporter-destination=stdout",
    `--test-reporter=${join(root, "scripts", "count-reporter.mjs")}`,
    `--test-reporter-destination=${counted}`,
    file,
  ]);
  const timer = deadline(child);
  const status = await child.gone;
  timer.stop();
  const counts = existsSync(counted) ? readCounts(counted) : { passed: 0, failed: 0, skipped: [] };
  if (status !== 0 && counts.failed === 0) counts.failed = 1;
  return { counts, printed: child.printed(), ...timer.killed() };
}

/**
 * A process that loads the server once and runs one file after another, each to its end (`run-in-turn.mjs`).
 * @param {{ env: NodeJS.ProcessEnv }} options
 * @returns {{ run(file: string): Promise<Ended>, end(): Promise<void> }} after a file with a failure: to be ended
 */
export function startSharedProcess({ env }) {
  const child = startNode(env, [join(root, "scripts", "run-in-turn.mjs")], "ipc");
  return {
    async run(file) {
      const timer = deadline(child);
      const answered = new Promise((resolve) => child.process.once("message", resolve));
      // One that is gone is noticed below.
      child.process.send(file, () => {});
      const answer = await Promise.race([answered, child.gone.then(() => null)]);
      timer.stop();
      const counts = answer?.counts ?? { passed: 0, failed: 1, skipped: [] };
      return { counts, printed: child.printed() + (answer?.printed ?? ""), ...timer.killed() };
    },
    async end() {
      if (child.process.connected) child.process.disconnect();
      const timer = deadline(child);
      await child.gone;
      timer.stop();
    },
  };
}

/** The head of a process group, so that all that it starts can be ended with it. */
function startNode(env, args, ...channel) {
  const child = spawn(pinnedNode, [`--test-timeout=${LONGEST_TEST_MS}`, ...args], {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "pipe", ...channel],
    detached: true,
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text) => (printed += text));
  }
  // It may come in the same moment as "exit".
  const closed = new Promise((resolve) => child.once("close", resolve));
  // Not "close": something that the file left running may hold its output open for ever.
  const gone = new Promise((resolve) => child.once("exit", resolve)).then(async (status) => {
    await soon(closed);
    end(child);
    return status;
  });
  return {
    process: child,
    /** What it printed since it was last asked. */
    printed() {
      const text = printed;
      printed = "";
      return text;
    },
    /** Its status, once it has ended with everything that it started. */
    gone,
  };
}

function deadline(child) {
  let isKilled = false;
  const timer = setTimeout(() => {
    isKilled = true;
    end(child.process);
  }, LONGEST_FILE_MS);
  return {
    stop: () => clearTimeout(timer),
    killed: () => (isKilled ? { killedAfter: LONGEST_FILE_MS / 1000 } : {}),
  };
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
