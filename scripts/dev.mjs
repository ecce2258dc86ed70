// `npm run dev`: the server restarts and the page reloads when a file changes.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { ensureInstalled, pinnedNode, root } from "./install.mjs";
import { runServer } from "./run-server.mjs";

ensureInstalled("development");
const apiPort = process.env.PORT ?? "3000";
const server = runServer(["--watch-path=apps/server/src", "--watch-path=packages"], {
  ...process.env,
  NODE_ENV: "development",
  PORT: apiPort,
  // Vite serves the reloading page, so links use its address.
  STRONGROOM_PUBLIC_URL: process.env.STRONGROOM_PUBLIC_URL ?? "http://127.0.0.1:5173",
});
const vite = spawn(pinnedNode, [join(root, "node_modules", "vite", "bin", "vite.js"), "--host", "127.0.0.1"], {
  cwd: join(root, "apps", "web"),
  stdio: "inherit",
  env: { ...process.env, STRONGROOM_API_PORT: apiPort },
});
server.on("exit", () => vite.kill());
process.on("exit", () => vite.kill());
