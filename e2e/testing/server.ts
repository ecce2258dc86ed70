// Starts the real server as a separate process, as `npm start` does, on a free port with a separate data folder.
import { execFile, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { promisify } from "node:util";
import { ownEnvironment } from "./environment.ts";

const root = join(import.meta.dirname, "../..");

/** How `npm start` runs the server. */
const { serverArguments, serverEnvironment }: { serverArguments: string[]; serverEnvironment: Record<string, string> } =
  await import(join(root, "scripts/run-server.mjs"));

export interface RunningServer {
  url: string;
  /** The setup link; null once a user exists. */
  setupLink: string | null;
  dataFolder: string;
  /** All output so far. */
  output(): string;
  process: ChildProcess;
  /** Stops the server cleanly and waits; keeps the data folder. */
  stop(): Promise<number | null>;
  /** Kills the server with SIGKILL, as in a power cut, and waits; keeps the data folder. */
  kill(): Promise<void>;
  /** Stops the server and deletes its data. */
  close(): Promise<void>;
}

/** Matches the one-time link in the output of a server without users. */
export const SETUP_LINK = /^\s+(http\S+setup_token=\S+)$/m;

const START_WITHIN_MS = 60_000;

/**
 * The data folder prepared by the test runner, with an initialised and migrated database. It is unset if a test file runs alone.
 * Tests of first starts set it to "" in the environment that they pass.
 */
const READY_MADE = process.env["STRONGROOM_TEST_DATA"] ?? "";

async function prepare(dataFolder: string, env: Record<string, string>): Promise<void> {
  const readyMade = env["STRONGROOM_TEST_DATA"] ?? READY_MADE;
  if (readyMade === "" || env["DATABASE_URL"] !== undefined || existsSync(join(dataFolder, "postgres"))) return;
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  await promisify(execFile)("cp", ["-a", join(readyMade, "postgres"), dataFolder]);
}

/** Rejects with the server's output if it ends before it is ready. */
export async function startServer(env: Record<string, string> = {}, folder?: string): Promise<RunningServer> {
  const dataFolder = folder ?? mkdtempSync(join(tmpdir(), "strongroom-e2e-"));
  await prepare(dataFolder, env);
  let text = "";
  const server = spawn(process.execPath, [...serverArguments, join(root, "apps/server/src/main.ts")], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: ownEnvironment({
      ...serverEnvironment,
      PORT: "0",
      STRONGROOM_DATA: dataFolder,
      STRONGROOM_ALLOW_LOOPBACK: "1",
      STRONGROOM_RATE_LIMIT: "0",
      STRONGROOM_ENDS_WITH_PARENT: "1",
      // Only flows with privileged sessions need a gateway.
      STRONGROOM_GATEWAY: "0",
      STRONGROOM_SSH_PORT: "0",
      ...env,
    }),
  });
  server.stdout?.on("data", (chunk) => (text += chunk));
  server.stderr?.on("data", (chunk) => (text += chunk));
  const timeout = AbortSignal.timeout(START_WITHIN_MS);
  await Promise.race([
    once(server, "message", { signal: timeout }),
    once(server, "exit", { signal: timeout }).then(() => {
      throw new Error(`the server ended before it was ready:\n${text}`);
    }),
  ]);
  // Output from before the ready message may arrive after it, at the latest in the next event loop turn.
  await turn();
  await turn();
  const url = /Strongroom is at (\S+)/.exec(text)?.[1];
  if (url === undefined) throw new Error(`the server did not print its address:\n${text}`);
  const end = async (signal: NodeJS.Signals) => {
    if (server.exitCode !== null || server.signalCode !== null) return server.exitCode;
    server.kill(signal);
    const [status] = (await once(server, "exit")) as [number | null];
    return status;
  };
  return {
    url,
    setupLink: SETUP_LINK.exec(text)?.[1] ?? null,
    dataFolder,
    output: () => text,
    process: server,
    stop: () => end("SIGTERM"),
    kill: async () => void (await end("SIGKILL")),
    async close() {
      await end("SIGTERM");
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}
