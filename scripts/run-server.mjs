// Runs the server on the pinned Node as a child that ends with us, and forwards stop signals.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { pinnedNode, root } from "./install.mjs";

/**
 * Environment of the server: stripped types are cached next to the packages (later starts are faster and do not keep the
 * compiler in memory), and the young generation is small, because an idle server should use little memory.
 */
export const serverArguments = ["--max-semi-space-size=8"];
export const serverEnvironment = { NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "strongroom") };

/** Ends this process with the exit status of the server. */
export function runServer(nodeArguments = [], env = process.env) {
  const main = join(root, "apps", "server", "src", "main.ts");
  // The channel closes when this process dies in any way; the server then stops.
  const server = spawn(pinnedNode, [...serverArguments, ...nodeArguments, main, ...process.argv.slice(2)], {
    cwd: process.cwd(),
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...serverEnvironment, ...env, STRONGROOM_ENDS_WITH_PARENT: "1" },
  });
  // Ctrl-C signals the whole group, including the server; `kill` signals only us.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => server.kill("SIGTERM"));
  process.on("SIGHUP", () => server.kill("SIGTERM"));
  server.on("exit", (status, signal) => process.exit(signal ? 1 : (status ?? 1)));
  return server;
}
