// `npm run check`: format, types, lint and boundaries, dead code, then every test. This is what CI runs.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ensureInstalled, pinnedNode, root } from "./install.mjs";

ensureInstalled("development");
const bin = (name) => join(root, "node_modules", ".bin", name);
const projects = [
  "packages/contract",
  "packages/keys",
  "packages/auditlog",
  "packages/connectors",
  "apps/server",
  "apps/cli",
  "apps/web",
  "e2e",
  "bench",
];

const steps = [
  ["format", bin("oxfmt"), ["--check", "."]],
  ...projects
    .filter((p) => existsSync(join(root, p, "tsconfig.json")))
    .map((p) => [`types ${p}`, bin("tsc"), ["-p", p]]),
  ["lint", bin("oxlint"), ["--type-aware", "--deny-warnings"]],
  ["dead code", bin("knip"), []],
  ...(process.argv.includes("--static") ? [] : [["tests", pinnedNode, [join(root, "scripts", "test.mjs")]]]),
];

const env = { ...process.env, PATH: `${join(root, "node_modules", ".bin")}:${process.env.PATH}` };
const failed = [];
for (const [name, command, args] of steps) {
  console.log(`\n▸ ${name}`);
  if (spawnSync(command, args, { cwd: root, stdio: "inherit", env }).status !== 0) failed.push(name);
}
if (failed.length > 0) console.error(`\nNot good: ${failed.join(", ")}.`);
process.exit(failed.length === 0 ? 0 : 1);
