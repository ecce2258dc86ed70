// Real servers for tests: child processes that end with the test, run as an ordinary user, and report when they are
// ready.
import { execFile, spawn, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The account under which a server runs; null is the account of the test itself. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

export const isRoot = process.getuid?.() === 0;

/** The first of `names` that exists, when the test is root and can become it; null otherwise. */
export function ordinaryAccount(...names: string[]): Account | null {
  if (!isRoot) return null;
  for (const name of [...names, "nobody"]) {
    const id = spawnSync("id", ["-u", name]);
    if (id.status !== 0) continue;
    const gid = spawnSync("id", ["-g", name]);
    return { name, uid: Number(id.stdout.toString()), gid: Number(gid.stdout.toString()) };
  }
  return null;
}

/** The first of `paths` that exists, or null. */
export function firstExisting(paths: readonly string[]): string | null {
  return paths.find((path) => existsSync(path)) ?? null;
}

/** A port on loopback on which nothing listens. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

/** Several distinct ports. On Linux they belong to this process until it ends: no other test gets them. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    // A port from the ephemeral range could be taken before the server binds it.
    const port = process.platform === "linux" ? randomInt(...OUTSIDE_OF_CONNECTIONS) : 0;
    if (port !== 0 && !(await isMine(`port-${port}`))) continue;
    const found = await tryPort(port);
    if (found !== null) ports.push(found);
  }
  return ports;
}

/** Below Linux's ephemeral port range. */
const OUTSIDE_OF_CONNECTIONS = [20_000, 32_000] as const;

/** The same port if it can be bound; 0 asks for any port. Null when it is in use. */
function tryPort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer().once("error", () => resolve(null));
    server.listen(port, "127.0.0.1", () => {
      const { port: found } = server.address() as AddressInfo;
      server.close(() => resolve(found));
    });
  });
}

/** Whether this name was free; from now on it belongs to this process (an abstract socket: Linux). */
function isMine(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().unref();
    server.once("error", () => resolve(false));
    server.listen(`\0strongroom-target-${name}`, () => resolve(true));
  });
}

/**
 * Waits until no other process uses `name`, for servers of which only one can run at a time. The name is released when
 * the returned function is called, or when this process ends for any reason (an abstract socket: Linux).
 */
export async function acquireExclusive(name: string): Promise<() => Promise<void>> {
  for (;;) {
    const server = createServer().listen(`\0strongroom-target-${name}`).unref();
    const isMine = await new Promise<boolean>((resolve) => {
      server.once("listening", () => resolve(true));
      server.once("error", () => resolve(false));
    });
    if (isMine) return () => new Promise((resolve) => server.close(() => resolve()));
    await delay(200);
  }
}

/** Resolves when the port accepts connections; for servers that report readiness too early. */
export async function untilListening(port: number, host = "127.0.0.1"): Promise<void> {
  for (;;) {
    const socket = connect(port, host);
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await delay(10);
  }
}

/** A folder readable only by `owner`; `remove` deletes it with its contents. */
export function temporaryFolder(owner: Account | null): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "strongroom-target-"));
  chmodSync(path, 0o700);
  if (owner !== null) chownSync(path, owner.uid, owner.gid);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Makes `owner` the owner of a folder and everything in it. */
export async function handOver(path: string, owner: Account | null): Promise<void> {
  if (owner !== null) await runTool("chown", ["-R", `${owner.uid}:${owner.gid}`, path]);
}

/** Runs a tool to its end as `account`; rejects with its standard error output. */
export async function runTool(
  command: string,
  args: readonly string[],
  options: { account?: Account | null; env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  const { account = null, env } = options;
  const identity = account === null ? {} : { uid: account.uid, gid: account.gid };
  const { stdout } = await run(command, args, {
    ...identity,
    cwd: "/",
    maxBuffer: 16 * 1024 * 1024,
    ...(env === undefined ? {} : { env }),
  });
  return stdout;
}

export interface ServerProcess {
  pid: number;
  /** Everything that the server has written so far. */
  output(): string;
  /** Resolves with the first line, past or future, that matches; rejects when the server ends before. */
  line(pattern: RegExp): Promise<string>;
  /** Ends the server with SIGTERM (or another signal) and waits until it has exited. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface ServerCommand {
  command: string;
  args: readonly string[];
  account?: Account | null;
  env?: NodeJS.ProcessEnv;
}

/** How long a server's last output may take to arrive after its exit. */
const LAST_WORDS_MS = 300;

/** Starts a server in the foreground. The kernel ends it when this process dies for any reason (Linux). */
export function startServer({ command, args, account = null, env = process.env }: ServerCommand): ServerProcess {
  const identity =
    account === null ? [] : ["--reuid", String(account.uid), "--regid", String(account.gid), "--clear-groups"];
  const setpriv = firstExisting(["/usr/bin/setpriv", "/bin/setpriv"]);
  const [file, argv] =
    setpriv === null ? [command, args] : [setpriv, ["--pdeathsig", "KILL", ...identity, command, ...args]];
  const child = spawn(file, argv, { stdio: ["ignore", "pipe", "pipe"], cwd: "/", env });
  const lines: string[] = [];
  const waiting = new Set<(line: string | null) => void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      for (const tell of waiting) tell(line);
    });
  }
  const gone = new Promise<void>((resolve) => {
    const end = () => {
      for (const tell of waiting) tell(null);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve();
    };
    child.once("close", end);
    // A process that the server left behind, such as a connection's session, may keep its output open forever.
    child.once("exit", () => void delay(LAST_WORDS_MS).then(end));
    child.once("error", (error) => lines.push(String(error)));
  });

  return {
    pid: child.pid ?? -1,
    output: () => lines.join("\n"),
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const tell = (line: string | null) => {
          if (line !== null && !pattern.test(line)) return;
          waiting.delete(tell);
          if (line === null) reject(new Error(`${command} ended early:\n${lines.join("\n")}`));
          else resolve(line);
        };
        waiting.add(tell);
        const past = lines.find((line) => pattern.test(line));
        if (past !== undefined) tell(past);
        else if (child.exitCode !== null || child.signalCode !== null) tell(null);
      }),
    stop: async (signal = "SIGTERM") => {
      child.kill(signal);
      await gone;
    },
  };
}
