// `npm test`: installs missing packages, runs every test that this machine supports, and lists skipped tests with reasons.
// With STRONGROOM_REQUIRE_TARGETS=1 a skipped test counts as a failure, and up to six failed files run twice.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { ensureWebBuilt } from "./build-web.mjs";
import { ensureInstalled, pinnedNode, root } from "./install.mjs";
import { serverEnvironment } from "./run-server.mjs";
import { MOST_REPEATED, runTestFiles } from "./run-test-files.mjs";

ensureInstalled("development");
ensureWebBuilt();

const isStrict = process.env.STRONGROOM_REQUIRE_TARGETS === "1";
const only = process.argv.slice(2);
const results = mkdtempSync(join(tmpdir(), "strongroom-results-"));
const totals = { passed: 0, failed: 0, skipped: [], flaky: [] };
const path = `${join(root, "node_modules", ".bin")}:${process.env.PATH}`;

function testFiles(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((file) => !file.includes("node_modules"))
    .sort();
}

async function runNodeTests(names, files, env) {
  if (files.length === 0) return;
  console.log(`\n── ${names.join(", ")} (${files.length} files)`);
  const options = { atOnce: AT_ONCE, mayShare, env: { ...env, PATH: path }, results, repeats: isStrict };
  addToTotals(await runTestFiles(files, options));
}

function addToTotals({ passed, failed, skipped, flaky }) {
  totals.passed += passed;
  totals.failed += failed;
  totals.skipped.push(...skipped);
  totals.flaky.push(...flaky);
}

function runWebTests() {
  console.log("\n── web");
  const { passed, failed, files } = runVitest([]);
  const repeats = isStrict && files.length > 0 && files.length <= MOST_REPEATED;
  const left = repeats ? runVitest(files).failed : failed;
  const isFlaky = failed > 0 && left === 0;
  addToTotals({
    passed: isFlaky ? passed + failed : passed,
    failed: left,
    skipped: [],
    flaky: isFlaky ? files : [],
  });
}

/** Runs all web tests, or these files. Returns the failed files in `files`. */
function runVitest(files) {
  const output = join(results, "web.json");
  rmSync(output, { force: true });
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const run = spawnSync(
    pinnedNode,
    [vitest, "run", ...files, "--reporter=dot", "--reporter=json", `--outputFile.json=${output}`],
    { cwd: join(root, "apps", "web"), stdio: ["ignore", "inherit", "inherit"], env: { ...process.env, PATH: path } },
  );
  if (!existsSync(output)) return { passed: 0, failed: 1, files: [] };
  const { numPassedTests: passed, numFailedTests, testResults } = JSON.parse(readFileSync(output, "utf8"));
  const failing = testResults.filter(({ status }) => status === "failed").map(({ name }) => relative(root, name));
  const failed = numFailedTests || (run.status === 0 ? 0 : 1);
  return { passed, failed, files: failing.map((file) => relative(join("apps", "web"), file)) };
}

/** One temporary database server for all test files, which create their own databases in it. */
async function startTestDatabase() {
  const entry = join(root, "apps", "server", "src", "kernel", "testing", "test-server.ts");
  const server = spawn(pinnedNode, [entry], { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
  const config = await new Promise((resolve, reject) => {
    let text = "";
    server.stdout.on("data", (chunk) => {
      text += chunk;
      if (text.includes("\n")) resolve(text.split("\n")[0]);
    });
    server.on("exit", () => reject(new Error("the test database did not start")));
  });
  return { config, stop: () => new Promise((done) => (server.on("exit", done), server.stdin.end())) };
}

/** The initial data folder of servers under test. */
async function makeDataFolder() {
  const folder = join(results, "data");
  // The database server may run as another user.
  chmodSync(results, 0o755);
  const entry = join(root, "e2e", "testing", "make-data-folder.ts");
  const making = spawn(pinnedNode, [entry, folder], {
    cwd: root,
    stdio: "inherit",
    env: { ...serverEnvironment, ...process.env },
  });
  const status = await new Promise((resolve) => making.on("exit", resolve));
  if (status !== 0) throw new Error("the data folder for servers under test could not be created");
  return folder;
}

/** The longest files start first, so that none of them runs alone at the end. */
const LONG = [
  "e2e/crash",
  "packages/connectors/src/linux/linux",
  "apps/cli/src/commands/backup",
  "apps/cli/src/commands/rekey",
  "e2e/start",
  "e2e/xss-forms",
  "docs/guides",
  "apps/server/src/kernel/embedded/crash",
  "packages/connectors/src/network-device/network-device",
  "packages/connectors/src/active-directory/active-directory",
  "packages/connectors/src/mssql/mssql",
  "e2e/accounts-flow",
  "e2e/vault-flow",
  "e2e/access-request-flow",
  "e2e/safes-flow",
  "e2e/screens",
  "e2e/sign-in-flow",
  "apps/server/src/features/access-requests/at-once",
  "apps/server/src/features/audit/tampering",
  "apps/server/src/kernel/embedded/backup",
  "apps/server/src/kernel/jobs/killed-worker",
  "apps/cli/src/commands/users",
  "apps/cli/src/commands/unseal",
  "apps/cli/src/commands/audit-export",
  "apps/server/src/features/rotation/engine/attention",
];
const inOrder = (files) => {
  const long = LONG.map((name) => `${name}.test.ts`);
  return [...long.filter((file) => files.includes(file)), ...files.filter((file) => !long.includes(file))];
};

/**
 * The server's tests run one after another in a few processes, because loading the server would be half of their work. Loaded
 * modules keep no state of a stopped application. A file that uses `process` has its own process.
 */
const mayShare = (file) =>
  /^apps\/server\/src\/(features|testing)\//.test(file) &&
  !/\bprocess\.|node:child_process|node:worker_threads/.test(readFileSync(join(root, file), "utf8"));

/** More than the number of cores, because tests mostly wait. */
const AT_ONCE = Math.max(3, availableParallelism());

const groups = {
  packages: ["packages"],
  server: ["apps/server", "apps/cli", "apps/gateway"],
  docs: ["docs", "scripts"],
  browser: ["e2e"],
};
const wants = (name) => only.length === 0 || only.includes(name);

const [database, dataFolder] = await Promise.all([startTestDatabase(), makeDataFolder()]);
try {
  const env = {
    ...serverEnvironment,
    ...process.env,
    STRONGROOM_TEST_DATABASE: database.config,
    STRONGROOM_TEST_DATA: dataFolder,
  };
  const names = Object.keys(groups).filter(wants);
  const files = names.flatMap((name) => groups[name].flatMap((folder) => testFiles(join(root, folder))));
  const ordered = inOrder(files.map((file) => relative(root, file)));
  if (wants("web")) runWebTests();
  await runNodeTests(names, ordered, env);
} finally {
  await database.stop();
  rmSync(results, { recursive: true, force: true });
}

for (const { name, reason } of totals.skipped) console.log(["skipped:", name, reason && `(${reason})`].join(" "));
for (const file of totals.flaky) console.log(`flaky: ${file} failed, and passed when it ran again alone`);
const failed = totals.failed + (isStrict ? totals.skipped.length : 0);
if (isStrict && totals.skipped.length > 0) console.log("Skipping is forbidden here, so skipped tests count as failed.");
console.log(`\n${totals.passed} passed, ${failed} failed, ${isStrict ? 0 : totals.skipped.length} skipped`);
process.exit(failed === 0 && totals.passed > 0 ? 0 : 1);
