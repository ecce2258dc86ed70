// Runs Vitest and then `node:test`, and summarises both: failures, skipped tests with their reasons, flaky files and totals.
// With STRONGROOM_REQUIRE_TARGETS=1, a skipped test counts as a failure, and up to six failed files run twice.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { run } from "node:test";
import { spec as Spec } from "node:test/reporters";
import { root } from "./install.mjs";
import { repeatFailed, summarize, TestResults } from "./test-results.mjs";

/** The browser's files take longest and therefore start first. */
const GROUPS = {
  browser: ["e2e"],
  packages: ["packages"],
  docs: ["docs", "scripts"],
  server: ["apps/server", "apps/cli", "apps/gateway"],
};
/** More than the number of cores, because tests mostly wait. */
const CONCURRENCY = Math.max(3, availableParallelism());
/** Tests keep their files in memory from this many available bytes on. */
const LEAST_MEMORY = 12 * 2 ** 30;
/** A test that takes longer sets its own `timeout`. */
const TEST_TIMEOUT_MS = 180_000;

const isStrict = process.env.STRONGROOM_REQUIRE_TARGETS === "1";
const wanted = process.argv.slice(2);
const isWanted = (group) => wanted.length === 0 || wanted.includes(group);
const temporary = mkdtempSync(join(temporaryParent(), "strongroom-"));
// Servers under test run as other users, and they write here too.
chmodSync(temporary, 0o1777);
process.env.TMPDIR = temporary;

/** Memory where there is enough of it, because every test database is written and deleted again. */
function temporaryParent() {
  const memory = "/dev/shm";
  if (!existsSync(memory) || process.availableMemory() < LEAST_MEMORY) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  const isExecutable = !/^\S+ \/dev\/shm \S+ \S*\bnoexec\b/m.test(readFileSync("/proc/mounts", "utf8"));
  return isExecutable && bavail * bsize >= LEAST_MEMORY ? memory : tmpdir();
}

/** Runs these files of `node:test` and prints a line for each, then the failures. */
async function runNodeTests(files, concurrency) {
  const results = new TestResults();
  const failures = [];
  const entries = new Set(files.map((file) => resolve(root, file)));
  /** Tests that a shared file defines, such as the steps of a browser flow. Their test file is the next in the summaries. */
  const shared = [];
  const ended = new Set();
  const execArgv = [`--test-timeout=${TEST_TIMEOUT_MS}`, `--import=${join(root, "scripts", "end-test-file.mjs")}`];
  for await (const event of run({ files, cwd: root, concurrency, execArgv })) {
    const { type, data } = event;
    if (type === "test:fail") failures.push(event);
    if ((type === "test:pass" || type === "test:fail") && data.details.type !== "suite") {
      if (entries.has(data.file)) results.add(data.file, type, data);
      else shared.push([type, data]);
    }
    if (type !== "test:summary" || data.file === undefined) continue;
    ended.add(data.file);
    for (const [outcome, test] of shared.splice(0)) results.add(data.file, outcome, test);
    const file = relative(root, data.file);
    const seconds = (data.duration_ms / 1000).toFixed(1);
    console.log(`${data.success ? "✔" : "✖"} ${file} (${data.counts.passed} passed, ${seconds} s)`);
  }
  for (const [outcome, test] of shared) results.add(test.file, outcome, test);
  for (const file of entries) {
    if (ended.has(file)) continue;
    // Tests of a file that ended without its summary may be missing from the results.
    results.file(file).failed += 1;
    console.log(`✖ ${relative(root, file)} (ended before it sent all results)`);
  }
  if (failures.length > 0)
    for await (const text of Readable.from(failures).compose(new Spec())) process.stdout.write(text);
  return results;
}

/** Runs all web tests, or these files. */
function runWebTests(files) {
  const output = join(temporary, "web.json");
  rmSync(output, { force: true });
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const reporters = ["--reporter=dot", "--reporter=json", `--outputFile.json=${output}`];
  const { status } = spawnSync(process.execPath, [vitest, "run", ...files, ...reporters], {
    cwd: join(root, "apps", "web"),
    stdio: ["ignore", "inherit", "inherit"],
  });
  const results = new TestResults();
  for (const file of existsSync(output) ? JSON.parse(readFileSync(output, "utf8")).testResults : []) {
    const counts = results.file(file.name);
    for (const { status: outcome } of file.assertionResults)
      if (outcome === "passed" || outcome === "failed") counts[outcome] += 1;
    if (file.status === "failed" && counts.failed === 0) counts.failed = 1;
  }
  if (status !== 0 && results.failedFiles.length === 0) results.file().failed = 1;
  return results;
}

/** In strict mode, a few failed files run again, alone: they are flaky when they pass. */
const runTwice = async (first, runAgain) => (isStrict ? repeatFailed(first, runAgain) : { results: first, flaky: [] });

/** One temporary database server for all test files, which create their own databases in it. */
async function startTestDatabase() {
  const entry = join(root, "apps", "server", "src", "kernel", "testing", "test-server.ts");
  const server = spawn(process.execPath, [entry], { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
  const [connection] = await once(createInterface(server.stdout), "line");
  const stop = () => (server.stdin.end(), once(server, "exit"));
  return { connection, stop };
}

/** The initial data folder of servers under test. */
function makeDataFolder() {
  const folder = join(temporary, "data");
  const entry = join(root, "e2e", "testing", "make-data-folder.ts");
  const { status } = spawnSync(process.execPath, [entry, folder], { cwd: root, stdio: "inherit" });
  if (status !== 0) throw new Error("the data folder for servers under test could not be created");
  return folder;
}

const runs = [];
if (isWanted("web")) runs.push(await runTwice(runWebTests([]), runWebTests));
const folders = Object.keys(GROUPS)
  .filter(isWanted)
  .flatMap((group) => GROUPS[group]);
const files = folders.flatMap((folder) =>
  globSync(`${folder}/**/*.test.ts`, { cwd: root, exclude: ["**/node_modules"] }).sort(),
);
if (files.length > 0) {
  console.log(`\n── ${files.length} files of node:test`);
  const database = await startTestDatabase();
  process.env.STRONGROOM_TEST_DATABASE = database.connection;
  process.env.STRONGROOM_TEST_DATA = makeDataFolder();
  const first = await runNodeTests(files, CONCURRENCY);
  runs.push(await runTwice(first, (failed) => runNodeTests(failed, 1)));
  await database.stop();
}
rmSync(temporary, { recursive: true, force: true });

const { lines, isSuccess } = summarize(runs, { isStrict, root });
console.log(lines.join("\n"));
process.exit(isSuccess ? 0 : 1);
