// Runs the server on the pinned Node as a child that ends with us, and passes on the wish to stop.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { pinnedNode, root } from "./install.mjs";

/**
 * How the server is run: types are stripped once and kept beside the packages (so that later starts are faster and do not
 * hold the compiler in memory), and short-lived objects get less room, because an idle server should be small.
 */
export const serverArguments = ["--max-semi-space-size=8"];
export const serverEnvironment = { NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "strongroom") };

/** Ends this process with the exit status of the server. */
export function runServer(nodeArguments = [], env = process.env) {
  const main = join(root, "apps", "server", "src", "main.ts");
  // The channel closes when this process dies, however it dies; the server takes that as the wish to stop.
  const server = spawn(pinnedNode, [...serverArguments, ...nodeArguments, main, ...process.argv.slice(2)], {
    cwd: process.cwd(),
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...serverEnvironment, ...env, STRONGROOM_ENDS_WITH_PARENT: "1" },
  });
  // Ctrl-C reaches the whole group, so the server has it already; a `kill` reaches only us.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => server.kill("SIGTERM"));
  process.on("SIGHUP", () => server.kill("SIGTERM"));
  server.on("exit", (status, signal) => process.exit(signal ? 1 : (status ?? 1)));
  return server;
}
