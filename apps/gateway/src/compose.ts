// Wires a gateway: its part of the kernel, the sessions in the database, the recorder, and the terminals in browsers.
import { networkPolicy } from "@strongroom/connectors";
import { openPendingCheck } from "@strongroom/server/features/audit/index.ts";
import {
  RECHECK_CHANNEL,
  createNativeAccess,
  gatewayHostKey,
  gatewaySocket,
  prepareSecrets,
  recordingStorage,
  registerGateway,
  relayKey,
  sessionContextOf,
  unregisterGateway,
  type GatewayFacts,
} from "@strongroom/server/features/sessions/index.ts";
import { createPendingKeys, usePendingKeys } from "@strongroom/server/kernel/audit/pending-keys.ts";
import { systemClock } from "@strongroom/server/kernel/clock.ts";
import type { Config } from "@strongroom/server/kernel/config.ts";
import type { Database } from "@strongroom/server/kernel/db/database.ts";
import { listen } from "@strongroom/server/kernel/db/listener.ts";
import { createEvents } from "@strongroom/server/kernel/events/events.ts";
import { newId } from "@strongroom/server/kernel/id.ts";
import { createJobs } from "@strongroom/server/kernel/jobs/jobs.ts";
import type { ProcessKernel } from "@strongroom/server/kernel/kernel.ts";
import { followRekeys } from "@strongroom/server/kernel/keys/follow-rekeys.ts";
import { openKeyRing } from "@strongroom/server/kernel/keys/open-key-ring.ts";
import type { Log } from "@strongroom/server/kernel/log.ts";
import { StartError } from "@strongroom/server/kernel/start-error.ts";
import { version } from "@strongroom/server/kernel/version.ts";
import { lstatSync, mkdirSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import { startBrowserServer, type BrowserServer } from "./browser/browser-server.ts";
import { startRelayServer } from "./browser/relay-server.ts";
import { systemTimerClock } from "./core/clock.ts";
import { Gateway } from "./core/gateway.ts";
import { parseFrame } from "./browser/frames.ts";
import { createFileAudit } from "./store/file-audit.ts";
import { databaseSessions } from "./store/database-sessions.ts";
import { startSshServer, type SshServer } from "./ssh-server/ssh-server.ts";
import { recordSessions } from "./store/record-session.ts";

export interface GatewayAppOptions {
  config: Config;
  log: Log;
  /** Already migrated. */
  database: Database;
}

export interface GatewayApp {
  id: string;
  gateway: Gateway;
  /** Registers the gateway and serves browsers. */
  start(): Promise<void>;
  /** Ends all sessions. The database stays open. */
  stop(): Promise<void>;
}

/** Messages from watchers to the user of a session. */
const MESSAGE_CHANNEL = "session_message";
const SessionMessage = z.object({ session_id: z.uuid(), from: z.string(), text: z.string() });

const NO_STORAGE =
  "the bucket of recordings cannot be used, so no session can start; check STRONGROOM_RECORDINGS_BUCKET";

export async function composeGateway({ config, log, database }: GatewayAppOptions): Promise<GatewayApp> {
  const keyRing = await openKeyRing(config, database, log);
  const kernel: ProcessKernel = {
    config,
    log,
    clock: systemClock,
    database,
    keys: keyRing.ring,
    events: createEvents(database, log),
    jobs: createJobs(database, log),
  };
  await signAuditEntries(kernel);
  await prepareSecrets(kernel);
  const id = newId();
  const facts = {
    id,
    name: hostname(),
    address: null,
    relayAddress: null,
    zone: config.gatewayZone,
    version,
  } as GatewayFacts;
  const context = sessionContextOf(kernel);
  const network = networkPolicy({
    allowLoopback: config.allowLoopbackTargets,
    allowedNetworks: config.allowedNetworks,
  });
  const storage = await recordingStorage(config);
  const gateway = new Gateway({
    store: databaseSessions({ context, gateway: facts, network }),
    startRecorder: recordSessions(kernel, storage),
    clock: systemTimerClock,
    log,
    mostSessions: config.sessionsPerGateway,
  });
  const stops: (() => Promise<unknown>)[] = [];

  function showMessage(payload: string): void {
    const message = parseFrame(SessionMessage, payload);
    if (message !== null) gateway.notice(message.session_id, `${message.from}: ${message.text}`);
  }

  const files = createFileAudit(kernel);

  /** Without its SSH port, a gateway still serves browsers. */
  async function startNative(): Promise<SshServer | null> {
    const { sshPort: port, host } = config;
    if (port === 0) return null;
    if (kernel.keys.isSealed) {
      log.error({ port }, "the SSH port stays closed because the vault is sealed; restart the gateway once it is open");
      return null;
    }
    try {
      const hostKey = await gatewayHostKey(kernel);
      const access = createNativeAccess(context, id, pagesOf(config));
      const server = await startSshServer({ gateway, access, files, hostKey, host, port, pages: pagesOf(config), log });
      facts.address = sshAddressOf(config);
      log.info({ host, port, fingerprint: hostKey.fingerprint }, "the gateway listens for SSH clients");
      return server;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      log.error({ host, port, code, reason: message }, "the SSH port could not be opened; set STRONGROOM_SSH_PORT");
      return null;
    }
  }

  /** For servers on other machines. Without it, a gateway still serves those with the same data folder. */
  async function startRelay({ accept }: BrowserServer): Promise<{ stop(): Promise<void> } | null> {
    const { relayPort: port, relayAddress, host } = config;
    if (port === 0) return null;
    if (kernel.keys.isSealed) {
      log.error({ port }, "the relay stays closed because the vault is sealed; restart the gateway once it is open");
      return null;
    }
    try {
      const relay = await startRelayServer({ id, key: await relayKey(kernel, id), host, port, accept, log });
      facts.relayAddress = addressFor({ given: relayAddress, usual: hostOf(config), port });
      log.info({ host, port, address: facts.relayAddress }, "the gateway accepts browsers from other servers");
      return relay;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      log.error({ host, port, code, reason: message }, "the relay could not be opened; set STRONGROOM_RELAY_PORT");
      return null;
    }
  }

  return {
    id: facts.id,
    gateway,
    async start() {
      await kernel.events.start();
      stops.push(() => kernel.events.stop());
      await followRekeys(kernel.events, keyRing, log);
      const rights = await listen(database, RECHECK_CHANNEL, log, () => gateway.check());
      stops.push(() => rights.close());
      const messages = await listen(database, MESSAGE_CHANNEL, log, () => {}, showMessage);
      stops.push(() => messages.close());
      const path = gatewaySocket(config, facts.id);
      makePrivateFolder(dirname(path));
      stops.push(() => files.stop());
      const browsers = await startBrowserServer({ gateway, files, path, log });
      stops.push(() => browsers.stop());
      const relay = await startRelay(browsers);
      if (relay !== null) stops.push(() => relay.stop());
      const ssh = await startNative();
      if (ssh !== null) stops.push(() => ssh.stop());
      // Not a reason to stop: the store may be back before the first session, and no session starts without it.
      await storage.check().catch((error: unknown) => log.error({ err: error }, NO_STORAGE));
      gateway.start();
      // Only now does the server send users here.
      await registerGateway(database.db, facts);
      stops.push(() => unregisterGateway(database.db, facts.id));
      stops.push(() => gateway.stop());
    },
    async stop() {
      for (const stop of stops.toReversed()) {
        await stop().catch((error: unknown) => log.warn({ err: error }, "a part of the gateway did not stop cleanly"));
      }
    },
  };
}

/** Where SSH clients reach this gateway, as `host:port`. */
function sshAddressOf(config: Config): string {
  const { sshAddress: given, sshPort: port, publicUrl } = config;
  return addressFor({ given, usual: publicUrl === null ? hostOf(config) : new URL(publicUrl).hostname, port });
}

const hostOf = ({ host }: Config): string => (["0.0.0.0", "::"].includes(host) ? hostname() : host);

interface Listener {
  /** As configured: a host, or `host:port`. */
  given: string | null;
  usual: string;
  port: number;
}

function addressFor({ given, usual, port }: Listener): string {
  const host = given ?? (usual.includes(":") && !usual.startsWith("[") ? `[${usual}]` : usual);
  return /:\d+$/.test(host) ? host : `${host}:${port}`;
}

const pagesOf = ({ publicUrl, host, port }: Config): string => publicUrl ?? `http://${host}:${port}`;

/** Entries of this process are signed with the key of the data folder, and with the vault's key while it is open. */
async function signAuditEntries({ config, database, keys, clock }: ProcessKernel): Promise<void> {
  const folder = join(config.dataFolder, "audit");
  const pendingKeys = createPendingKeys(folder);
  usePendingKeys(database.pool, pendingKeys);
  if (!keys.isSealed) await openPendingCheck({ database, keys, pendingKeys, folder, now: () => clock.now() });
}

/** INVARIANT: only this user's processes reach the socket, even where its folder is shared, such as in /tmp. */
function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(folder);
  if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o077) !== 0)) {
    throw new StartError(`The folder ${folder} is not private. Delete it and start again.`);
  }
}
