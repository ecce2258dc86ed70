// A server and a gateway, which run as separate processes with the embedded database and are killed by tests, and a real sshd as
// the target.
import {
  exportSessionRecording,
  readPrivilegedSession,
  readSessionRecording,
  startPrivilegedSession,
  verifyAudit,
} from "@strongroom/contract";
import { startSshd } from "@strongroom/connectors/testing";
import type { Sshd } from "@strongroom/connectors/testing";
import { FAKE_BUCKET, FAKE_CREDENTIALS, FAKE_REGION } from "@strongroom/recordings/testing/fake-s3";
import { fork, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ownEnvironment } from "../environment.ts";
import { anAccountOn, startGateway } from "../gateway.ts";
import { ask, firstAdmin, send, tokenOf } from "../people.ts";
import { startServer } from "../server.ts";
import type { RunningServer } from "../server.ts";
import { openTerminal } from "./terminal.ts";
import type { SessionTerminal } from "./terminal.ts";

const FAKE_S3 = join(import.meta.dirname, "../../../packages/recordings/testing/fake-s3.ts");
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
  /** The object store answers nothing until `continueStore`. */
  stopStore(): void;
  continueStore(): void;
  killStore(): Promise<void>;
  startStore(): Promise<void>;
  fillDisk(): void;
  freeDisk(): void;
  /** The session's details as returned by the API. */
  read(id: string): Promise<Awaited<ReturnType<typeof readOf>>>;
  /** The asciicast or the sealed file; empty when the server refuses to return it. */
  recordingOf(id: string, as: "played" | "exported"): Promise<Buffer>;
  /** Deletes the file, so that the small disk has space for more rounds. */
  deleteRecording(recordingId: string): void;
  trailProblems(): Promise<string[]>;
  output(): string;
  stop(): Promise<void>;
}

const readOf = (url: string, id: string, token: string) => ask(url, readPrivilegedSession, { params: { id } }, token);

/** `storesIn`: where the gateway stores recordings. */
export async function openLossBed(storesIn: "folder" | "bucket" = "folder"): Promise<LossBed> {
  const folder = mkdtempSync(join(tmpdir(), "strongroom-loss-"));
  const recordings = join(folder, "recordings");
  mkdirSync(recordings, { mode: 0o700 });
  const hasDisk = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${DISK},mode=700`, "tmpfs", recordings]).status === 0;
  const storePort = await freePort();
  const env = {
    STRONGROOM_LOG_LEVEL: "warn",
    STRONGROOM_ALLOW_LOOPBACK: "1",
    ...(storesIn === "folder"
      ? {}
      : {
          STRONGROOM_RECORDINGS_BUCKET: FAKE_BUCKET,
          STRONGROOM_RECORDINGS_ENDPOINT: `http://127.0.0.1:${storePort}`,
          STRONGROOM_RECORDINGS_REGION: FAKE_REGION,
          AWS_ACCESS_KEY_ID: FAKE_CREDENTIALS.accessKeyId,
          AWS_SECRET_ACCESS_KEY: FAKE_CREDENTIALS.secretAccessKey,
        }),
  };
  let output = "";
  let store: ChildProcess | null = null;
  let sshd: Sshd | null = null;
  let server: RunningServer | null = null;
  let gateway: ChildProcess | null = null;

  const bed = {
    running: () => server!,
    async startServer() {
      server = await startServer(env, folder);
    },
    async startGateway() {
      gateway = await startGateway({ ...env, STRONGROOM_DATA: folder }, (text) => (output += text));
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
    stopStore: () => void store?.kill("SIGSTOP"),
    continueStore: () => void store?.kill("SIGCONT"),
    async killStore() {
      if (store === null || store.exitCode !== null || store.signalCode !== null) return;
      store.kill("SIGKILL");
      await once(store, "exit");
    },
    async startStore() {
      const child = fork(FAKE_S3, [join(folder, "objects"), String(storePort)], { env: ownEnvironment({}) });
      const [first] = await Promise.race([once(child, "message"), once(child, "exit")]);
      if (first !== "ready") throw new Error("the object store did not start");
      store = child;
    },
    async stop() {
      await bed.killGateway();
      await server?.stop();
      await bed.killStore();
      await sshd?.stop();
      if (hasDisk) spawnSync("umount", [recordings]);
      rmSync(folder, { recursive: true, force: true });
    },
  };

  try {
    sshd = await startSshd();
    if (storesIn === "bucket") await bed.startStore();
    await bed.startServer();
    await bed.startGateway();
    const admin = await firstAdmin(bed.running());
    const { accountId } = await anAccountOn(sshd, bed.running(), await tokenOf(bed.running(), admin));
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
      trailProblems: async () => {
        const { findings, is_intact } = await ask(bed.running().url, verifyAudit, {}, await currentToken());
        return is_intact ? [] : ["not intact", ...findings.map(({ message }) => message)];
      },
      output: () => output + bed.running().output(),
    };
  } catch (error) {
    await bed.stop();
    throw error;
  }
}

/** A port that was free a moment ago: a store that is killed starts again on the same one. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

const postmasterOf = (folder: string): number =>
  Number.parseInt(readFileSync(join(folder, "postgres/cluster/postmaster.pid"), "utf8"), 10);
