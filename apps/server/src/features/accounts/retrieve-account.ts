// Retrieves secrets for people who may have them now: a group of calls at a time, each with its own answer and entry.
import type { Account, CheckOut, readAccount, retrieveAccount, retrieveAccountVersion } from "@strongroom/contract";
import { stepUpRefusal } from "#kernel/authz/step-up.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { Refusal, refuse } from "#kernel/http/refuse.ts";
import {
  isCandidate,
  lockAnyCredentials,
  openEnvelope,
  readEnvelope,
  unreadable,
  updateCredential,
} from "#features/credentials/index.ts";
import { decide } from "./accounts.policy.ts";
import { audienceOf, changed, notFound, readShown, standingOf, targetOf, toAccount } from "./accounts.ts";
import { wantRotation } from "./accounts.store.ts";
import { checkedOut, close } from "./check-outs.ts";
import { holdCheckOut, takeOut } from "./check-outs.store.ts";
import type { AccountDeps } from "./deps.ts";
import { demandOn } from "./hold-account.ts";
import { isOneTime, takeOnce } from "./one-time.ts";
import type { ShownRow } from "./shown-accounts.store.ts";

type Retrieval = Call<typeof readAccount> | Call<typeof retrieveAccount> | Call<typeof retrieveAccountVersion>;
interface Justification {
  reason?: string | undefined;
  ticket?: string | undefined;
}
export async function retrieveAccounts(deps: AccountDeps, calls: readonly Call<typeof retrieveAccount>[], tx: Tx) {
  return answerEach<Call<typeof retrieveAccount>, { password: string; check_out: CheckOut | null }>(
    tx,
    calls,
    async (call) => {
      const { password, isExclusive } = await retrieve(deps, tx, call, call.body, null);
      return { password, check_out: isExclusive ? (await shownTo(deps, tx, call)).check_out : null };
    },
  );
}

export async function retrieveVersions(
  deps: AccountDeps,
  calls: readonly Call<typeof retrieveAccountVersion>[],
  tx: Tx,
) {
  return answerEach<Call<typeof retrieveAccountVersion>, { password: string }>(tx, calls, async (call) => {
    const { password } = await retrieve(deps, tx, call, call.body, call.params.version);
    return { password };
  });
}

/** ACC-34: with its password for who may retrieve it. Who may only see the account is answered without. */
export async function readWithPassword(deps: AccountDeps, calls: readonly Call<typeof readAccount>[], tx: Tx) {
  return answerEach<Call<typeof readAccount>, Account & { password: string | null }>(tx, calls, async (call) => {
    const row = await readShown(tx, call.actor, call.params.id, deps.grants.grantsInForce);
    // Looking at an account asks for no proof; its password is withheld, and retrieving it says what for.
    const isStale = stepUpRefusal(call.endpoint, call.actor, deps.kernel.clock.now()) !== null;
    // Looking at an account must not take its one-time password.
    if (isStale || isOneTime(row) || decide("retrieve", standingOf(row)) !== "allowed") {
      call.note({ target: targetOf(row), result: "info", details: { password: false } });
      return { ...toAccount(row, call.actor), password: null };
    }
    const { password } = await retrieve(deps, tx, call, {}, null);
    return { ...(await shownTo(deps, tx, call)), password };
  });
}

async function shownTo({ grants }: AccountDeps, tx: Tx, { actor, params }: Retrieval): Promise<Account> {
  return toAccount(await readShown(tx, actor, params.id, grants.grantsInForce), actor);
}

/**
 * Holds the rows of the whole group first, in the order of their ids, so that groups of several processes cannot wait for
 * each other in a circle, and no retrieval is recorded after the deletion of its secret.
 */
async function answerEach<C extends Retrieval, R>(
  tx: Tx,
  calls: readonly C[],
  answer: (call: C) => Promise<R>,
): Promise<(R | Refusal)[]> {
  await lockAnyCredentials(tx, [...new Set(calls.map((call) => call.params.id as string))]);
  const answers: (R | Refusal)[] = [];
  for (const call of calls) {
    call.note({ target: { type: "account", id: call.params.id } });
    try {
      answers.push(await answer(call));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      answers.push(error);
    }
  }
  return answers;
}

/** INVARIANT: everything that can refuse comes before anything is written: a refusal leaves nothing behind in its group. */
async function retrieve(
  { kernel, grants }: AccountDeps,
  tx: Tx,
  call: Retrieval,
  justification: Justification,
  version: number | null,
): Promise<{ password: string; isExclusive: boolean }> {
  const { actor } = call;
  const row = await readShown(tx, actor, call.params.id, grants.grantsInForce);
  call.note({ target: targetOf(row) });
  requireRight(row);
  // Accounts are what production runs on: no environment of theirs is kept that would say otherwise.
  call.requireStepUp();
  requireJustification(row, justification);
  const held = row.exclusive_check_out ? await holdCheckOut(tx, row.id) : null;
  if (held !== null && !held.is_over && held.user_id !== actor.id) throw checkedOut(held);
  const wanted = version ?? row.secret_version;
  // INVARIANT: what comes into force next is for those who manage the secret: whoever it is lent to would know it unnoticed.
  if (wanted !== row.secret_version && (await isCandidate(tx, row.id, wanted))) demandOn(row, "manage_secret");
  const password = await open({ kernel }, tx, row, wanted);
  if (isOneTime(row)) await takeOnce(tx, row, { version: wanted, userId: actor.id });

  const at = kernel.clock.now();
  const isInForce = wanted === row.secret_version;
  if (isInForce) await grants.noteRetrieval(tx, actor.id, row.id);
  if (row.exclusive_check_out) {
    if (held?.is_over === true) await close(tx, held, at);
    await checkOut(tx, row, actor.id);
    await kernel.events.publish(tx, changed(row.id, await audienceOf(tx, row)));
  }
  await updateCredential(tx, row.id, { last_accessed_at: at });
  if (row.one_time_password && isInForce) await wantRotation(tx, row.id, "one-time", at);
  const { reason, ticket } = justification;
  call.note({
    ...(reason === undefined || reason === "" ? {} : { reason }),
    details: {
      version: wanted,
      safe: { id: row.safe_id, name: row.safe_name },
      ...(ticket === undefined || ticket === "" ? {} : { ticket }),
      ...(row.grant_id === null ? {} : { request: row.grant_id }),
    },
  });
  return { password, isExclusive: row.exclusive_check_out };
}

function requireRight(row: ShownRow): void {
  const verdict = decide("retrieve", standingOf(row));
  if (verdict === "allowed") return;
  if (row.status !== "active") {
    throw refuse(409, "account.not-active", `"${row.name}" is ${row.status}: it is not lent to anybody.`);
  }
  demandOn(row, "retrieve");
  throw refuse(
    403,
    "account.approval-needed",
    `"${row.name}" needs an approval first. Request access and retrieve it once it is granted.`,
  );
}

function requireJustification(row: ShownRow, { reason, ticket }: Justification): void {
  if (row.reason_required && (reason ?? "") === "") {
    throw refuse(422, "account.reason-required", `The platform "${row.platform_name}" asks for a reason.`, {
      errors: [{ path: "reason", msg: "Say why you need it" }],
    });
  }
  if (row.ticket_required && (ticket ?? "") === "") {
    throw refuse(422, "account.ticket-required", `The platform "${row.platform_name}" asks for a ticket.`, {
      errors: [{ path: "ticket", msg: "Name the ticket" }],
    });
  }
}

async function open({ kernel }: Pick<AccountDeps, "kernel">, tx: Tx, row: ShownRow, version: number): Promise<string> {
  const { id, safe_id } = row;
  const envelope = await readEnvelope(tx, id, version);
  if (envelope === null) throw version === row.secret_version ? notFound() : versionNotFound();
  try {
    using secret = await openEnvelope(kernel, { id, user_id: null, safe_id, version, envelope });
    return secret.reveal();
  } catch (error) {
    throw unreadable(kernel, id, error);
  }
}

const versionNotFound = () => refuse(404, "account.version-not-found", "There is no such version of this secret");

async function checkOut(tx: Tx, row: ShownRow, userId: string): Promise<void> {
  const grant = row.grant_id === null ? null : { id: row.grant_id, endsAt: row.grant_ends_at! };
  const isTaken = await takeOut(tx, { accountId: row.id, userId, grant, minutes: row.default_duration_minutes });
  // The account's row is held by us, and nobody takes it out without holding that.
  if (!isTaken) throw new Error(`the account ${row.id} was checked out while it was held`);
}
