// A server process on a database of its own, a real system behind proxies that can be cut, and rotations of accounts there.
import { connectorFor } from "@strongroom/connectors";
import { aContext, aTarget, startCuttingProxy } from "@strongroom/connectors/testing";
import type { CuttingProxy, PostgresqlServer } from "@strongroom/connectors/testing";
import type { Rotation } from "@strongroom/contract";
import { Secret } from "@strongroom/keys";
import { setTimeout as delay } from "node:timers/promises";
import { firstAdmin, tokenOf } from "../people.ts";
import { startServer } from "../server.ts";
import type { RunningServer } from "../server.ts";
import { ROTATIONS, openGate } from "./gate.ts";
import type { Gate, JournalTable } from "./gate.ts";
import { credentials, reconciled } from "./keeper.ts";
import type { Caller, Keeper } from "./keeper.ts";
import type { AccountBody, Subject } from "./subject.ts";

/** To the product each is another machine, so that the number of logins to one of them holds none up. */
export const MACHINES: readonly string[] = Array.from({ length: 12 }, (_, number) => `127.1.0.${number + 1}`);

export const POLL_MS = 100;

/** An account whose stored secret was proved, and which is reached through a proxy of its own. */
export interface Prepared {
  id: string;
  body: AccountBody;
  proxy: CuttingProxy;
  /** How many connections the proxy has seen before the rotation. */
  connectionsBefore: number;
  /** How many writes of its journal there were before the rotation. */
  writesBefore: number;
}

/** How it ended, without anybody's help. */
export interface Verdict {
  /** Plain words on what is wrong; null: nothing. */
  problem: string | null;
  /** What a person is left to do, where nothing else can do it; null: nothing. */
  leftToDo: string | null;
  /** When nothing went on any more, by `performance.now()`. */
  overAt: number;
}

export interface Ground {
  gate: Gate;
  /** How many can be struck at the same time. */
  atOnce: number;
  /** On that machine, one of `MACHINES`. */
  prepare(machine: string): Promise<Prepared>;
  /** Asks for the rotation, which goes on in the background; says nothing when the server dies meanwhile. */
  rotate(prepared: Prepared): Promise<void>;
  /** Resolves when nothing goes on any more; rejects when aborted. */
  untilOver(prepared: Prepared, signal: AbortSignal): Promise<void>;
  /** By SIGKILL. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  /** Waits until nothing goes on any more, and looks which secret is in force. */
  judge(prepared: Prepared, patienceMs: number): Promise<Verdict>;
  /** Everything that the processes printed. */
  output(): string;
  stop(): Promise<void>;
}

/** The server that is killed and started again, and its gate. */
export interface StruckServer extends Pick<Ground, "gate" | "kill" | "restart" | "output" | "stop"> {
  caller: Caller;
}

export async function openServer(
  store: PostgresqlServer,
  database: string,
  table: JournalTable,
): Promise<StruckServer> {
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

/** Its secret was proved by a login. */
export async function untilProved(keeper: Keeper, id: string, name: string): Promise<void> {
  for (;;) {
    const { isProved, problem } = await keeper.standing(id);
    if (isProved) return;
    if (problem !== null) throw new Error(`${name} cannot be used: ${problem}`);
    await delay(POLL_MS);
  }
}

/** Says nothing when the server dies meanwhile. */
export async function ask(keeper: Keeper, id: string): Promise<void> {
  const answer = await keeper.rotate(id).catch(() => null);
  if (answer !== null && answer.status !== 202) throw new Error(await answer.text());
}

/** Resolves when nothing goes on any more; rejects when aborted. Null: it was never begun. */
export async function untilRotated(keeper: Keeper, id: string, signal: AbortSignal): Promise<Rotation | null> {
  for (;;) {
    const rotation = await keeper.latest(id);
    if (rotation === null || OVER.includes(rotation.state)) return rotation;
    await delay(POLL_MS, undefined, { signal });
  }
}

/** Whether this secret is in force, asked of the system itself. */
export async function isInForce(
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
  throw new Error(`the system could not be asked: ${message}`);
}

export async function openGround(store: PostgresqlServer, subject: Subject, database: string): Promise<Ground> {
  const server = await openServer(store, database, ROTATIONS);
  const { caller, gate } = server;
  const { reconciler } = subject;
  const keeper = reconciler === undefined ? credentials(caller) : await reconciled(caller, subject, reconciler);
  let count = 0;

  return {
    ...server,
    gate,
    atOnce: MACHINES.length,

    async prepare(machine) {
      const body = await subject.account();
      // A reconcile account logs in only at the port that it is stored with.
      const fixed = reconciler === undefined ? 0 : subject.upstream.port;
      const proxy = await startCuttingProxy(subject.upstream, machine, fixed);
      const { host, port } = proxy;
      const name = `account ${count++}`;
      const id = await keeper.store({ ...body, name, host, port, ...subject.through?.(body, proxy) });
      await untilProved(keeper, id, name);
      return { id, body, proxy, connectionsBefore: proxy.connections(), writesBefore: 0 };
    },

    rotate: ({ id }) => ask(keeper, id),
    untilOver: async ({ id }, signal) => void (await untilRotated(keeper, id, signal)),

    async judge({ id, body }, patienceMs) {
      const rotation = await untilRotated(keeper, id, AbortSignal.timeout(patienceMs)).catch(() => keeper.latest(id));
      const overAt = performance.now();
      const value = await keeper.reveal(id);
      const isNew = value !== body.value;
      const isNewInForce = await isInForce(subject, body, value);
      const leftToDo = isNewInForce && !isNew && rotation !== null ? (subject.leftToDo?.(rotation) ?? null) : null;
      if (leftToDo !== null) return { problem: null, leftToDo, overAt };
      const isOldInForce = isNew && subject.isOldAccepted !== true ? await isInForce(subject, body, body.value) : false;
      return { problem: problemOf(rotation, { isNew, isNewInForce, isOldInForce }), leftToDo, overAt };
    },
  };
}

const OVER: readonly string[] = ["rotated", "attention", "cancelled", "superseded"];

interface Found {
  /** The secret that is shown to people is another than before. */
  isNew: boolean;
  isNewInForce: boolean;
  isOldInForce: boolean;
}

function problemOf(rotation: Rotation | null, { isNew, isNewInForce, isOldInForce }: Found): string | null {
  if (!isNewInForce) return `THE SECRET THAT IS SHOWN DOES NOT LOG IN (${rotation?.state}: ${rotation?.message})`;
  // It was never begun: whoever asked got no answer, and asks again.
  if (rotation === null) return isNew ? "nothing is known of a rotation, and the secret has changed" : null;
  if (rotation.state !== "rotated") return `it is ${rotation.state}: ${rotation.message}`;
  if (!isNew) return "it says that it is done, and the old secret is in force";
  return isOldInForce ? "the old secret still logs in" : null;
}
