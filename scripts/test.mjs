// `npm test [GROUP …]`: installs missing packages and starts the tests on the pinned Node. Any Node from version 18 can run it.
import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { ensureWebBuilt } from "./build-web.mjs";
import { ensureInstalled, pinnedNode, root } from "./install.mjs";
import { serverEnvironment } from "./run-server.mjs";

ensureInstalled("development");
ensureWebBuilt();
const { status } = spawnSync(pinnedNode, [join(root, "scripts", "run-tests.mjs"), ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
  env: {
    ...serverEnvironment,
    ...process.env,
    PATH: `${join(root, "node_modules", ".bin")}${delimiter}${process.env.PATH}`,
  },
});
process.exit(status ?? 1);
