// What is struck here comes after the change: a user elsewhere, with the same password, is given the new one by a stored account.
import { startCuttingProxy } from "@strongroom/connectors/testing";
import type { PostgresqlServer } from "@strongroom/connectors/testing";
import { addDependent, listDependents } from "@strongroom/contract";
import type { AccountId, Dependent } from "@strongroom/contract";
import { setTimeout as delay } from "node:timers/promises";
import { ask as call } from "../people.ts";
import type { JournalTable } from "./gate.ts";
import { POLL_MS, ask, isInForce, openServer, untilProved, untilRotated } from "./ground.ts";
import type { Ground, Verdict } from "./ground.ts";
import { accounts, openSafe } from "./keeper.ts";
import type { Subject } from "./subject.ts";

const DEPENDENTS: JournalTable = { name: "account_dependents", owner: "account_id", step: "state" };

/** Fewer than a process brings up to date at once. */
const AT_ONCE = 6;

/** The subject's reconcile account is who gives the user elsewhere the new password; only what it does is struck. */
export async function openDependentGround(
  store: PostgresqlServer,
  subject: Subject,
  database: string,
): Promise<Ground> {
  const server = await openServer(store, database, DEPENDENTS);
  const { caller, gate } = server;
  const { kind, account: giver } = subject.reconciler!;
  const keeper = accounts(caller, await openSafe(caller, kind), kind);
  let count = 0;

  const dependentOf = async (id: string): Promise<Dependent> =>
    (await call(caller.url(), listDependents, { params: { id: id } }, caller.token)).dependents[0]!;

  async function untilOver(id: string, signal: AbortSignal): Promise<void> {
    await untilRotated(keeper, id, signal);
    while (!["current", "attention"].includes((await dependentOf(id)).state))
      await delay(POLL_MS, undefined, { signal });
  }

  async function judge(id: string, body: Awaited<ReturnType<Subject["account"]>>): Promise<Verdict> {
    const overAt = performance.now();
    const { state, message } = await dependentOf(id);
    const isGiven = await isInForce(subject, body, await keeper.reveal(id));
    const isOldInForce = await isInForce(subject, body, body.value);
    const problem = !isGiven
      ? `the user elsewhere does not have the new password (${state}: ${message})`
      : isOldInForce
        ? "the old password of the user elsewhere still logs in"
        : state === "current"
          ? null
          : `it is ${state}: ${message}`;
    return { problem, leftToDo: null, overAt };
  }

  return {
    ...server,
    atOnce: AT_ONCE,

    async prepare(machine) {
      const [own, body] = [await subject.account(), await subject.account()];
      const untouched = await startCuttingProxy(subject.upstream, machine);
      const proxy = await startCuttingProxy(subject.upstream, machine);
      const name = `account ${count++}`;
      const id = await keeper.store({ ...own, name, host: untouched.host, port: untouched.port });
      const giving = `gives what ${name} has`;
      const via = await keeper.store({ ...giver, name: giving, host: proxy.host, port: proxy.port });
      await untilProved(keeper, id, name);
      await untilProved(keeper, via, giving);
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

    rotate: ({ id }) => ask(keeper, id),
    untilOver: ({ id }, signal) => untilOver(id, signal),

    async judge({ id, body }, patienceMs) {
      await untilOver(id, AbortSignal.timeout(patienceMs)).catch(() => {});
      return judge(id, body);
    },
  };
}
