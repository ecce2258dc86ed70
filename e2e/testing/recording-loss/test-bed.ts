// A server and a gateway, which run as separate processes with the embedded database and are killed by tests, and a real sshd as
// the target.
import {
  createAccount,
  createSafe,
  exportSessionRecording,
  listPlatforms,
  readPrivilegedSession,
  readSessionRecording,
  startPrivilegedSession,
  validateAccount,
  verifyAudit,
} from "@strongroom/contract";
import { startSshd } from "@strongroom/connectors/testing";
import type { Sshd } from "@strongroom/connectors/testing";
import { fork, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ownEnvironment } from "../environment.ts";
import { ask, firstAdmin, send, tokenOf } from "../people.ts";
import type { Person } from "../people.ts";
import { startServer } from "../server.ts";
import type { RunningServer } from "../server.ts";
import { openTerminal } from "./terminal.ts";
import type { SessionTerminal } from "./terminal.ts";

const GATEWAY = join(import.meta.dirname, "../../../apps/gateway/src/main.ts");
const DISK = "64m";
const OPEN_WITHIN_MS = 30_000;

export interface LiveSession {
  id: string;
  path: string;
  terminal: SessionTerminal;
}

export interface LossBed {
  /** Whether recordings have their own small disk. Needs root. */
  hasDisk: boolean;
  begin(): Promise<LiveSession>;
  /** A terminal that continues the session; null when the session has ended. */
  resume(session: LiveSession): Promise<SessionTerminal | null>;
  killServer(): Promise<void>;
  killGateway(): Promise<void>;
  killDatabase(): void;
  startServer(): Promise<void>;
  startGateway(): Promise<void>;
  fillDisk(): void;
  freeDisk(): void;
  /** The session's details as returned by the API. */
  read(id: string): Promise<Awaited<ReturnType<typeof readOf>>>;
  /** The asciicast or the sealed file; empty when the server refuses to return it. */
  recordingOf(id: string, as: "played" | "exported"): Promise<Buffer>;
  /** Deletes the file, so that the small disk has space for more rounds. */
  deleteRecording(recordingId: string): void;
  isTrailIntact(): Promise<boolean>;
  output(): string;
  stop(): Promise<void>;
}

const readOf = (url: string, id: string, token: string) => ask(url, readPrivilegedSession, { params: { id } }, token);

export async function openLossBed(): Promise<LossBed> {
  const folder = mkdtempSync(join(tmpdir(), "strongroom-loss-"));
  const recordings = join(folder, "recordings");
  mkdirSync(recordings, { mode: 0o700 });
  const hasDisk = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${DISK},mode=700`, "tmpfs", recordings]).status === 0;
  const env = { STRONGROOM_LOG_LEVEL: "warn", STRONGROOM_ALLOW_LOOPBACK: "1" };
  let output = "";
  let sshd: Sshd | null = null;
  let server: RunningServer | null = null;
  let gateway: ChildProcess | null = null;

  const bed = {
    running: () => server!,
    async startServer() {
      server = await startServer(env, folder);
    },
    async startGateway() {
      const child = fork(GATEWAY, {
        env: ownEnvironment({ ...env, STRONGROOM_DATA: folder, STRONGROOM_SSH_PORT: "0" }),
        stdio: ["ignore", "pipe", "pipe", "ipc"],
      });
      for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text) => (output += text));
      const [first] = await Promise.race([once(child, "message"), once(child, "exit")]);
      if (first !== "ready") throw new Error(`the gateway did not start:\n${output.slice(-3000)}`);
      gateway = child;
    },
    async killServer() {
      output += server?.output() ?? "";
      await server?.kill();
    },
    async killGateway() {
      if (gateway === null || gateway.exitCode !== null || gateway.signalCode !== null) return;
      gateway.kill("SIGKILL");
      await once(gateway, "exit");
    },
    async stop() {
      await bed.killGateway();
      await server?.stop();
      await sshd?.stop();
      if (hasDisk) spawnSync("umount", [recordings]);
      rmSync(folder, { recursive: true, force: true });
    },
  };

  try {
    sshd = await startSshd();
    await bed.startServer();
    await bed.startGateway();
    const admin = await firstAdmin(bed.running());
    const accountId = await anAccountOn(sshd, bed.running(), admin);
    let token = { text: await tokenOf(bed.running(), admin), at: performance.now() };
    const currentToken = async () => {
      if (performance.now() - token.at > 60_000) {
        token = { text: await tokenOf(bed.running(), admin), at: performance.now() };
      }
      return token.text;
    };
    const urlOf = (path: string) => new URL(path, bed.running().url.replace(/^http/, "ws"));

    return {
      ...bed,
      hasDisk,
      async begin() {
        const until = performance.now() + OPEN_WITHIN_MS;
        for (;;) {
          try {
            const as = await currentToken();
            const started = await ask(bed.running().url, startPrivilegedSession, { params: { id: accountId } }, as);
            const { session_id: id, ticket, connect_path: path } = started;
            return { id, path, terminal: await openTerminal(urlOf(path), as, { t: "ticket", ticket }) };
          } catch (error) {
            // The server may choose a gateway that was just killed, or may not have its database yet.
            if (performance.now() > until) throw error;
            await delay(500);
          }
        }
      },
      async resume({ path, terminal }) {
        const first = { t: "resume", secret: terminal.resumeSecret() } as const;
        return await openTerminal(urlOf(path), await currentToken(), first).catch(() => null);
      },
      killDatabase: () => process.kill(postmasterOf(folder), "SIGKILL"),
      fillDisk() {
        for (let size = 1024 * 1024; size >= 1; size = Math.floor(size / 2)) {
          const more = Buffer.alloc(size);
          try {
            for (;;) writeFileSync(join(recordings, "filler"), more, { flag: "a" });
          } catch {
            // The disk has less space than this.
          }
        }
      },
      freeDisk: () => rmSync(join(recordings, "filler"), { force: true }),
      read: async (id) => await readOf(bed.running().url, id, await currentToken()),
      async recordingOf(id, as) {
        const endpoint = as === "played" ? readSessionRecording : exportSessionRecording;
        const answer = await send(bed.running().url, endpoint, { params: { id } }, await currentToken());
        return Buffer.from(answer.ok ? await answer.arrayBuffer() : new ArrayBuffer(0));
      },
      deleteRecording: (recordingId) => rmSync(join(recordings, `${recordingId}.srr`), { force: true }),
      isTrailIntact: async () => (await ask(bed.running().url, verifyAudit, {}, await currentToken())).is_intact,
      output: () => output + bed.running().output(),
    };
  } catch (error) {
    await bed.stop();
    throw error;
  }
}

const postmasterOf = (folder: string): number =>
  Number.parseInt(readFileSync(join(folder, "postgres/cluster/postmaster.pid"), "utf8"), 10);

async function anAccountOn(sshd: Sshd, server: RunningServer, admin: Person) {
  const token = await tokenOf(server, admin);
  const { username, password } = await sshd.addUser("active", { hasHome: true });
  const { platforms } = await ask(server.url, listPlatforms, {}, token);
  const platform = platforms.find(({ name }) => name === "Linux");
  if (platform === undefined) throw new Error("there is no platform Linux");
  const safe = await ask(server.url, createSafe, { body: { name: "Web servers" } }, token);
  const body = {
    name: "web-01 deploy",
    system_type: "Linux",
    hostname: sshd.host,
    port: sshd.port,
    username,
    password,
    platform_id: platform.id,
    safe_id: safe.id,
    connection_method: "SSH",
  } as const;
  const { id } = await ask(server.url, createAccount, { body }, token);
  const { outcome, validation_message: why } = await ask(server.url, validateAccount, { params: { id } }, token);
  if (outcome !== "verified") throw new Error(`the account does not work: ${why}`);
  return id;
}
