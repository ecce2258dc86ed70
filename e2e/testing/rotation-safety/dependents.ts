// Injects faults after the change of a password: a stored account sets the new password for a dependent user on a different
// target.
import { startCuttingProxy } from "@strongroom/connectors/testing";
import type { PostgresqlServer } from "@strongroom/connectors/testing";
import { addDependent, listDependents } from "@strongroom/contract";
import type { AccountId, Dependent } from "@strongroom/contract";
import { setTimeout as delay } from "node:timers/promises";
import { ask as call } from "../people.ts";
import type { JournalTable } from "./gate.ts";
import { POLL_MS, ask, isActive, openServer, untilProved, untilRotated } from "./test-bed.ts";
import type { TestBed, Verdict } from "./test-bed.ts";
import { accounts, openSafe } from "./secret-client.ts";
import type { Subject } from "./subject.ts";

const DEPENDENTS: JournalTable = { name: "account_dependents", owner: "account_id", step: "state" };

/** Fewer than the number of dependents that a process updates at once. */
const AT_ONCE = 6;

/** The subject's reconcile account updates the dependent user. Faults hit only its connections. */
export async function openDependentTestBed(
  store: PostgresqlServer,
  subject: Subject,
  database: string,
): Promise<TestBed> {
  const server = await openServer(store, database, DEPENDENTS);
  const { caller, gate } = server;
  const { kind, account: updater } = subject.reconciler!;
  const client = accounts(caller, await openSafe(caller, kind), kind);
  let count = 0;

  const dependentOf = async (id: string): Promise<Dependent> =>
    (await call(caller.url(), listDependents, { params: { id: id } }, caller.token)).dependents[0]!;

  async function untilOver(id: string, signal: AbortSignal): Promise<void> {
    await untilRotated(client, id, signal);
    while (!["current", "attention"].includes((await dependentOf(id)).state))
      await delay(POLL_MS, undefined, { signal });
  }

  async function judge(id: string, body: Awaited<ReturnType<Subject["account"]>>): Promise<Verdict> {
    const overAt = performance.now();
    const { state, message } = await dependentOf(id);
    const isUpdated = await isActive(subject, body, await client.reveal(id));
    const isOldActive = await isActive(subject, body, body.value);
    const problem = !isUpdated
      ? `the dependent user does not have the new password (${state}: ${message})`
      : isOldActive
        ? "the old password of the dependent user still logs in"
        : state === "current"
          ? null
          : `the dependent is ${state}: ${message}`;
    return { problem, remainingTask: null, overAt };
  }

  return {
    ...server,
    atOnce: AT_ONCE,

    async prepare(machine) {
      const [own, body] = [await subject.account(), await subject.account()];
      const untouched = await startCuttingProxy(subject.upstream, machine);
      const proxy = await startCuttingProxy(subject.upstream, machine);
      const name = `account ${count++}`;
      const id = await client.store({ ...own, name, host: untouched.host, port: untouched.port });
      const updaterName = `updates dependents of ${name}`;
      const via = await client.store({ ...updater, name: updaterName, host: proxy.host, port: proxy.port });
      await untilProved(client, id, name);
      await untilProved(client, via, updaterName);
      const config = { kind: "linked-user", via_account_id: via as AccountId, username: body.username } as const;
      const params = { id: id as AccountId };
      await call(caller.url(), addDependent, { params, body: { name: "elsewhere", config } }, caller.token);
      const stop = async () => void (await Promise.all([proxy.stop(), untouched.stop()]));
      return {
        id,
        body,
        proxy: { ...proxy, stop },
        connectionsBefore: proxy.connections(),
        writesBefore: (await gate.writes(id)).length,
      };
    },

    rotate: ({ id }) => ask(client, id),
    untilOver: ({ id }, signal) => untilOver(id, signal),

    async judge({ id, body }, timeoutMs) {
      await untilOver(id, AbortSignal.timeout(timeoutMs)).catch(() => {});
      return judge(id, body);
    },
  };
}
