// `npm run bench [name …]`: runs the benchmarks one after the other; each prints a table of ratios.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ensureWebBuilt } from "./build-web.mjs";
import { ensureInstalled, pinnedNode, root } from "./install.mjs";

ensureInstalled("development");
ensureWebBuilt();
const all = readdirSync(join(root, "bench"))
  .filter((file) => file.endsWith(".bench.ts"))
  .map((file) => file.slice(0, -9));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`Unknown benchmark: ${unknown.join(", ")}. Available: ${all.join(", ")}.`);
  process.exit(1);
}
let status = 0;
for (const name of wanted.length > 0 ? wanted : all) {
  console.log(`\n── ${name}`);
  status ||=
    spawnSync(pinnedNode, [join(root, "bench", `${name}.bench.ts`)], { cwd: root, stdio: "inherit" }).status ?? 1;
}
process.exit(status);
