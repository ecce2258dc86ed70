// `npm run check`: format, types, lint and boundaries, dead code, then every test. This is what CI runs.
import { spawn, spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { ensureInstalled, pinnedNode, root } from "./install.mjs";

ensureInstalled("development");
const bin = (name) => join(root, "node_modules", ".bin", name);

/** Longest first. One TypeScript program per set of libraries; the project of each folder is for editors. */
const steps = [
  ["lint", bin("oxlint"), ["--type-aware", "--deny-warnings"]],
  ["types: Node", bin("tsc"), ["-p", "tsconfig.node.json"]],
  ["types: browser tests", bin("tsc"), ["-p", "tsconfig.browser.json"]],
  ["types: web app", bin("tsc"), ["-p", "apps/web"]],
  ["dead code", bin("knip"), []],
  ["format", bin("oxfmt"), ["--check", "."]],
];

const env = { ...process.env, PATH: `${join(root, "node_modules", ".bin")}:${process.env.PATH}` };
const failed = [];

/** Prints the output of a step together, under its name. */
async function run([name, command, args]) {
  const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], env });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (printed += text));
  const startedAt = Date.now();
  const status = await new Promise((resolve) => {
    child.once("error", (error) => ((printed += error.message), resolve(null)));
    child.once("close", resolve);
  });
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  console.log(`\n${status === 0 ? "✔" : "✖"} ${name} (${seconds} s)\n${printed}`.trimEnd());
  if (status !== 0) failed.push(name);
}

const waiting = [...steps];
const work = async () => {
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) await run(step);
};
await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, work));

if (!process.argv.includes("--static")) {
  console.log("\n▸ tests");
  const tests = spawnSync(pinnedNode, [join(root, "scripts", "test.mjs")], { cwd: root, stdio: "inherit", env });
  if (tests.status !== 0) failed.push("tests");
}
if (failed.length > 0) console.error(`\nFailed: ${failed.join(", ")}.`);
process.exit(failed.length === 0 ? 0 : 1);
