// Processes for node:test files: for a single file, or for several files one after another.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pinnedNode, root } from "./install.mjs";

/** Time limit of a test; a hanging test fails and is named. */
const LONGEST_TEST_MS = 600_000;
/** A file is killed with its child processes when no test has ended for this long. */
const LONGEST_SILENCE_MS = Number(process.env["STRONGROOM_TEST_SILENCE_MS"] ?? 180_000);
/** Files with a single longer test: only `LONGEST_FILE_MS` applies. */
const SLOW_FILES = [
  "docs/guides",
  "e2e/crash",
  "e2e/database-faults",
  "e2e/first-starts",
  "e2e/rotation-kills",
  "e2e/xss-forms",
].map((name) => `${name}.test.ts`);
/** Time limit of a file, whatever it does. */
const LONGEST_FILE_MS = 900_000;
/** Time for a file's output to arrive after its process has ended. */
const LAST_WORDS_MS = 500;

/**
 * @typedef {{ passed: number, failed: number, skipped: { name: string, reason: string }[] }} Counts
 * @typedef {{ counts: Counts, printed: string, killedAfter?: number }} Ended `killedAfter`: seconds, when it hung
 */

/**
 * Runs a file in a separate process with a time limit.
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
  const timer = deadline(child, SLOW_FILES.includes(file) ? LONGEST_FILE_MS : LONGEST_SILENCE_MS);
  const status = await child.gone;
  timer.stop();
  const counts = existsSync(counted) ? readCounts(counted) : { passed: 0, failed: 0, skipped: [] };
  if (status !== 0 && counts.failed === 0) counts.failed = 1;
  return { counts, printed: child.printed(), ...timer.killed() };
}

/**
 * A process that loads the server once and runs one file after another, each to its end (`run-in-turn.mjs`).
 * @param {{ env: NodeJS.ProcessEnv }} options
 * @returns {{ run(file: string): Promise<Ended>, end(): Promise<void> }} end it after a file with a failure
 */
export function startSharedProcess({ env }) {
  const child = startNode(env, [join(root, "scripts", "run-in-turn.mjs")], "ipc");
  return {
    async run(file) {
      const timer = deadline(child);
      const answered = new Promise((resolve) => {
        const listen = (message) => {
          if (!("counts" in message)) return;
          child.process.off("message", listen);
          resolve(message);
        };
        child.process.on("message", listen);
      });
      // A process that has ended is detected below.
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

/** The leader of a process group, so that its children can be killed with it. */
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
  // It may arrive at the same time as "exit".
  const closed = new Promise((resolve) => child.once("close", resolve));
  // Not "close": a leftover process may keep the output open forever.
  const gone = new Promise((resolve) => child.once("exit", resolve)).then(async (status) => {
    await soon(closed);
    end(child);
    return status;
  });
  return {
    process: child,
    /** The output since the last call. */
    printed() {
      const text = printed;
      printed = "";
      return text;
    },
    /** Its status, after it and its children have ended. */
    gone,
  };
}

/** Kills the process group after its time. What it prints, or tells its parent, shows that it still does something. */
function deadline(child, longestSilence = LONGEST_SILENCE_MS) {
  const startedAt = Date.now();
  let killedAfter = null;
  const kill = () => {
    killedAfter = Math.round((Date.now() - startedAt) / 1000);
    end(child.process);
  };
  const timer = setTimeout(kill, LONGEST_FILE_MS);
  let silence = setTimeout(kill, longestSilence);
  const heard = () => {
    clearTimeout(silence);
    silence = setTimeout(kill, longestSilence);
  };
  const { stdout, stderr } = child.process;
  for (const stream of [stdout, stderr]) stream.on("data", heard);
  child.process.on("message", heard);
  return {
    stop() {
      clearTimeout(timer);
      clearTimeout(silence);
      for (const stream of [stdout, stderr]) stream.off("data", heard);
      child.process.off("message", heard);
    },
    killed: () => (killedAfter === null ? {} : { killedAfter }),
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
    // The group has already ended.
  }
  child.stdout.destroy();
  child.stderr.destroy();
}

function readCounts(path) {
  const text = readFileSync(path, "utf8");
  return text === "" ? { passed: 0, failed: 1, skipped: [] } : JSON.parse(text);
}
