// A server process on a database of its own, a real system behind proxies that can be cut, and rotations of accounts there.
import { connectorFor } from "@strongroom/connectors";
import { aContext, aTarget, startCuttingProxy } from "@strongroom/connectors/testing";
import type { CuttingProxy, PostgresqlServer } from "@strongroom/connectors/testing";
import {
  createCredential,
  listCredentialRotations,
  readCredential,
  revealCredential,
  rotateCredential,
} from "@strongroom/contract";
import type { CredentialId, Rotation } from "@strongroom/contract";
import { Secret } from "@strongroom/keys";
import { setTimeout as delay } from "node:timers/promises";
import { ask, firstAdmin, send, tokenOf } from "../people.ts";
import { startServer } from "../server.ts";
import type { RunningServer } from "../server.ts";
import { openGate } from "./gate.ts";
import type { Gate } from "./gate.ts";
import type { AccountBody, Subject } from "./subjects.ts";

/** To the product each is another machine, so that the number of logins to one of them holds none up. */
export const MACHINES: readonly string[] = Array.from({ length: 12 }, (_, number) => `127.1.0.${number + 1}`);

const POLL_MS = 100;

/** An account whose stored secret was proved, and which is reached through a proxy of its own. */
export interface Prepared {
  id: CredentialId;
  body: AccountBody;
  proxy: CuttingProxy;
  /** How many connections the proxy has seen before the rotation. */
  connectionsBefore: number;
}

/** How it ended, without anybody's help. */
interface Verdict {
  /** Plain words on what is wrong; null: nothing. */
  problem: string | null;
  /** When nothing went on any more, by `performance.now()`. */
  overAt: number;
}

export interface Ground {
  gate: Gate;
  /** On that machine, one of `MACHINES`. */
  prepare(machine: string): Promise<Prepared>;
  /** Asks for the rotation, which goes on in the background; says nothing when the server dies meanwhile. */
  rotate(prepared: Prepared): Promise<void>;
  /** Resolves when nothing goes on any more; rejects when aborted. */
  untilOver(prepared: Prepared, signal: AbortSignal): Promise<Rotation | null>;
  /** By SIGKILL. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  /** Waits until nothing goes on any more, and looks which secret is in force. */
  judge(prepared: Prepared, patienceMs: number): Promise<Verdict>;
  /** Everything that the processes printed. */
  output(): string;
  stop(): Promise<void>;
}

export async function openGround(store: PostgresqlServer, subject: Subject, database: string): Promise<Ground> {
  const role = await store.addRole();
  await store.sql(`create database ${database} owner ${role.username} template template0`);
  const url = `postgres://${role.username}:${role.password}@${store.host}:${store.port}/${database}`;
  const env = { DATABASE_URL: url, STRONGROOM_LOG_LEVEL: "warn" };
  let server: RunningServer = await startServer(env);
  const folder = server.dataFolder;
  const token = await tokenOf(server, await firstAdmin(server));
  const gate = await openGate(url);
  let output = "";
  let count = 0;

  const latest = async (id: CredentialId): Promise<Rotation | null> =>
    (await ask(server.url, listCredentialRotations, { params: { id } }, token)).rotations[0] ?? null;

  const untilOver = async ({ id }: Prepared, signal: AbortSignal) => {
    for (;;) {
      const rotation = await latest(id);
      if (rotation === null || OVER.includes(rotation.state)) return rotation;
      await delay(POLL_MS, undefined, { signal });
    }
  };

  /** Whether this secret is in force, asked of the system itself. */
  const isInForce = async (body: AccountBody, value: string): Promise<boolean> => {
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
  };

  return {
    gate,

    async prepare(machine) {
      const body = await subject.account();
      const proxy = await startCuttingProxy(subject.upstream, machine);
      const { host, port } = proxy;
      const stored = { ...body, name: `account ${count++}`, host, port, ...subject.through?.(body, proxy) };
      const { id } = await ask(server.url, createCredential, { body: stored }, token);
      const params = { id };
      for (;;) {
        const { verification_status: status, verification_error: error } = await ask(
          server.url,
          readCredential,
          { params },
          token,
        );
        if (status === "verified") break;
        if (status === "failed") throw new Error(`${stored.name} cannot be used: ${error}`);
        await delay(POLL_MS);
      }
      return { id, body, proxy, connectionsBefore: proxy.connections() };
    },

    async rotate({ id }) {
      const answer = await send(server.url, rotateCredential, { params: { id } }, token).catch(() => null);
      if (answer !== null && answer.status !== 202) throw new Error(await answer.text());
    },
    untilOver,

    async kill() {
      await server.kill();
      output += server.output();
    },
    async restart() {
      server = await startServer(env, folder);
    },

    async judge(prepared, patienceMs) {
      const { id, body } = prepared;
      const rotation = await untilOver(prepared, AbortSignal.timeout(patienceMs)).catch(() => latest(id));
      const overAt = performance.now();
      const { value } = await ask(server.url, revealCredential, { params: { id }, body: {} }, token);
      const isNewInForce = await isInForce(body, value);
      const isOldInForce =
        value === body.value || subject.isOldAccepted === true ? false : await isInForce(body, body.value);
      return { problem: problemOf(rotation, { isNew: value !== body.value, isNewInForce, isOldInForce }), overAt };
    },

    output: () => output + server.output(),

    async stop() {
      await gate.stop();
      await server.close();
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
