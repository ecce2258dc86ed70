// A server process with a separate database, a real target behind proxies that can be cut, and rotations of accounts on that
// target.
import { connectorFor } from "@strongroom/connectors";
import { aContext, aTarget, startCuttingProxy } from "@strongroom/connectors/testing";
import type { CuttingProxy, PostgresqlServer, needs } from "@strongroom/connectors/testing";
import type { Rotation } from "@strongroom/contract";
import { Secret } from "@strongroom/keys";
import { setTimeout as delay } from "node:timers/promises";
import { firstAdmin, tokenOf } from "../people.ts";
import { startServer } from "../server.ts";
import type { RunningServer } from "../server.ts";
import { ROTATIONS, openGate } from "./gate.ts";
import type { Gate, JournalTable } from "./gate.ts";
import { credentials, reconciled } from "./secret-client.ts";
import type { Caller, SecretClient } from "./secret-client.ts";
import type { AccountBody, Subject } from "./subject.ts";

/** The accounts appear to be on different machines, so that the limit on logins per machine delays none of them. */
export const MACHINES: readonly string[] = Array.from({ length: 12 }, (_, number) => `127.1.0.${number + 1}`);

export const POLL_MS = 100;

/** An account with a verified secret, reached through its own proxy. */
export interface Prepared {
  id: string;
  body: AccountBody;
  proxy: CuttingProxy;
  /** The number of connections through the proxy before the rotation. */
  connectionsBefore: number;
  /** The number of journal writes before the rotation. */
  writesBefore: number;
}

/** The result of automatic recovery. */
export interface Verdict {
  /** The problem in plain language, or null. */
  problem: string | null;
  /** The step that needs a person, or null. */
  remainingTask: string | null;
  /** When the rotation stopped, as a value of `performance.now()`. */
  overAt: number;
}

export interface TestBed {
  gate: Gate;
  /** The number of rotations that can run concurrently. */
  atOnce: number;
  /** Stores an account on the given machine, one of `MACHINES`. */
  prepare(machine: string): Promise<Prepared>;
  /** Requests the rotation, which continues in the background. Ignores a server that dies in the meantime. */
  rotate(prepared: Prepared): Promise<void>;
  /** Resolves when the rotation has stopped. Rejects when aborted. */
  untilOver(prepared: Prepared, signal: AbortSignal): Promise<void>;
  /** Kills the server with SIGKILL. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  /** Waits until the rotation has stopped, then checks which secret is active. */
  judge(prepared: Prepared, timeoutMs: number): Promise<Verdict>;
  /** The output of all processes. */
  output(): string;
  stop(): Promise<void>;
}

/** A server that tests kill and restart, and its gate. */
export interface KillableServer extends Pick<TestBed, "gate" | "kill" | "restart" | "output" | "stop"> {
  caller: Caller;
}

export async function openServer(
  store: PostgresqlServer,
  database: string,
  table: JournalTable,
): Promise<KillableServer> {
  const role = await store.addRole();
  await store.sql(`create database ${database} owner ${role.username} template template0`);
  const url = `postgres://${role.username}:${role.password}@${store.host}:${store.port}/${database}`;
  const env = { DATABASE_URL: url, STRONGROOM_LOG_LEVEL: "warn" };
  let server: RunningServer = await startServer(env);
  const folder = server.dataFolder;
  const token = await tokenOf(server, await firstAdmin(server));
  const gate = await openGate(url, table);
  let output = "";
  return {
    caller: { url: () => server.url, token },
    gate,
    async kill() {
      await server.kill();
      output += server.output();
    },
    async restart() {
      server = await startServer(env, folder);
    },
    output: () => output + server.output(),
    async stop() {
      await gate.stop();
      await server.close();
    },
  };
}

/** Waits until a login has verified the secret. */
export async function untilProved(client: SecretClient, id: string, name: string): Promise<void> {
  for (;;) {
    const { isProved, problem } = await client.verificationOf(id);
    if (isProved) return;
    if (problem !== null) throw new Error(`${name} cannot be used: ${problem}`);
    await delay(POLL_MS);
  }
}

/** Requests the rotation. Ignores a server that dies in the meantime. */
export async function ask(client: SecretClient, id: string): Promise<void> {
  const answer = await client.rotate(id).catch(() => null);
  if (answer !== null && answer.status !== 202) throw new Error(await answer.text());
}

/** Resolves when the rotation has stopped, with null if it never started. Rejects when aborted. */
export async function untilRotated(client: SecretClient, id: string, signal: AbortSignal): Promise<Rotation | null> {
  for (;;) {
    const rotation = await client.latest(id);
    if (rotation === null || OVER.includes(rotation.state)) return rotation;
    await delay(POLL_MS, undefined, { signal });
  }
}

/** Whether the target accepts this secret. */
export async function isActive(
  subject: Pick<Subject, "login" | "upstream">,
  body: AccountBody,
  value: string,
): Promise<boolean> {
  const target = aTarget({
    ...(subject.login ?? subject.upstream),
    type: body.type ?? "password",
    username: body.username,
    databaseName: body.database_name ?? null,
    schemaName: body.schema_name ?? null,
    sslEnabled: body.ssl_enabled ?? false,
    additionalParams: body.additional_params ?? {},
  });
  const { outcome, message } = await connectorFor(target).verify(target, Secret.fromText(value), aContext());
  if (outcome === "verified" || outcome === "rejected") return outcome === "verified";
  throw new Error(`the target did not answer: ${message}`);
}

export async function openTestBed(store: PostgresqlServer, subject: Subject, database: string): Promise<TestBed> {
  const server = await openServer(store, database, ROTATIONS);
  const { caller, gate } = server;
  const { reconciler } = subject;
  const client = reconciler === undefined ? credentials(caller) : await reconciled(caller, subject, reconciler);
  let count = 0;

  return {
    ...server,
    gate,
    atOnce: MACHINES.length,

    async prepare(machine) {
      const body = await subject.account();
      // A reconcile account logs in only at the port stored with it.
      const fixed = reconciler === undefined ? 0 : subject.upstream.port;
      const proxy = await startCuttingProxy(subject.upstream, machine, fixed);
      const { host, port } = proxy;
      const name = `account ${count++}`;
      const id = await client.store({ ...body, name, host, port, ...subject.through?.(body, proxy) });
      await untilProved(client, id, name);
      return { id, body, proxy, connectionsBefore: proxy.connections(), writesBefore: 0 };
    },

    rotate: ({ id }) => ask(client, id),
    untilOver: async ({ id }, signal) => void (await untilRotated(client, id, signal)),

    async judge({ id, body }, timeoutMs) {
      const rotation = await untilRotated(client, id, AbortSignal.timeout(timeoutMs)).catch(() => client.latest(id));
      const overAt = performance.now();
      const value = await client.reveal(id);
      const isNew = value !== body.value;
      const isNewActive = await isActive(subject, body, value);
      const remainingTask =
        isNewActive && !isNew && rotation !== null ? (subject.remainingTask?.(rotation) ?? null) : null;
      if (remainingTask !== null) return { problem: null, remainingTask, overAt };
      const isOldActive = isNew && subject.isOldAccepted !== true ? await isActive(subject, body, body.value) : false;
      return { problem: problemOf(rotation, { isNew, isNewActive, isOldActive }), remainingTask, overAt };
    },
  };
}

const OVER: readonly string[] = ["rotated", "attention", "cancelled", "superseded"];

interface Found {
  /** Whether the product shows a different secret than before. */
  isNew: boolean;
  isNewActive: boolean;
  isOldActive: boolean;
}

function problemOf(rotation: Rotation | null, { isNew, isNewActive, isOldActive }: Found): string | null {
  if (!isNewActive) return `THE SHOWN SECRET DOES NOT LOG IN (${rotation?.state}: ${rotation?.message})`;
  // The rotation never started: the caller got no answer and requests it again.
  if (rotation === null) return isNew ? "the secret changed without a rotation" : null;
  if (rotation.state !== "rotated") return `the rotation is ${rotation.state}: ${rotation.message}`;
  if (!isNew) return "the rotation ended as rotated, but the old secret is still active";
  return isOldActive ? "the old secret still logs in" : null;
}

export interface Kind {
  /** The target's name on the command line. */
  name: string;
  needs: ReturnType<typeof needs>;
  /** `machines`: the addresses for its certificate. */
  start(machines: readonly string[]): Promise<Subject>;
  /** Replaces the default test bed if faults hit something other than the change itself. */
  testBed?: typeof openTestBed;
}
