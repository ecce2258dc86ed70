// Retrieves secrets of accounts. Calls are processed in groups, but each call has its own reply and audit entry.
import type { Account, CheckOut, readAccount, retrieveAccount, retrieveAccountVersion } from "@strongroom/contract";
import { stepUpRefusal } from "#kernel/authz/step-up.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { Refusal, refuse } from "#kernel/http/refuse.ts";
import {
  activeError,
  isCandidate,
  lockSecrets,
  openEnvelope,
  readEnvelope,
  unreadable,
} from "#features/secrets/index.ts";
import { blockOf } from "./access-block.policy.ts";
import { refuseBlocked } from "./access-block.ts";
import {
  justificationNote,
  recordAccess,
  requireJustification,
  requireNotCheckedOut,
  requireRight,
} from "./access-rules.ts";
import type { Justification } from "./access-rules.ts";
import { decideAccess } from "./accounts.policy.ts";
import { notFound, readShown, accountAccessOf, targetOf, toAccount } from "./accounts.ts";
import type { AccountDeps } from "./deps.ts";
import { requireAccountPermission } from "./lock-account.ts";
import { isOneTime, noteTake, takeOneTime } from "./checkout/one-time.ts";
import type { ShownRow } from "./shown-accounts.store.ts";

type Retrieval = Call<typeof readAccount> | Call<typeof retrieveAccount> | Call<typeof retrieveAccountVersion>;

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

/** Returns the account, with its password only if the caller may retrieve it (ACC-34). */
export async function readWithPassword(deps: AccountDeps, calls: readonly Call<typeof readAccount>[], tx: Tx) {
  return answerEach<Call<typeof readAccount>, Account & { password: string | null }>(tx, calls, async (call) => {
    const row = await readShown(tx, call.actor, call.params.id, deps.grants.grantsInForce);
    // Reading an account does not require re-authentication. If the last one is not recent enough, the reply omits the password.
    const isStale = stepUpRefusal(call.endpoint, call.actor, deps.kernel.clock.now()) !== null;
    // Reading an account must not take its one-time password.
    if (
      isStale ||
      isOneTime(row) ||
      blockOf(row) !== null ||
      decideAccess("retrieve", accountAccessOf(row)) !== "allowed"
    ) {
      call.note({ target: targetOf(row), result: "info", details: { password: false } });
      return { ...toAccount(row, call.actor), password: null };
    }
    if ((await activeError(deps.kernel, { ...row, user_id: null })) !== null) {
      // The account must still be readable, because its page explains how to repair the secret.
      call.note({ target: targetOf(row), result: "failure", details: { password: false } });
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
 * Locks the rows of the whole group first, in the order of their ids. This way, groups of several processes cannot deadlock, and
 * no retrieval is recorded after the deletion of its secret.
 */
async function answerEach<C extends Retrieval, R>(
  tx: Tx,
  calls: readonly C[],
  answer: (call: C) => Promise<R>,
): Promise<(R | Refusal)[]> {
  await lockSecrets(tx, [...new Set(calls.map((call) => call.params.id as string))]);
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

/**
 * INVARIANT: every check that can refuse the call runs before anything is written, so a refusal leaves no changes in the
 * transaction of its group.
 */
async function retrieve(
  deps: AccountDeps,
  tx: Tx,
  call: Retrieval,
  justification: Justification,
  version: number | null,
): Promise<{ password: string; isExclusive: boolean }> {
  const { kernel, grants } = deps;
  const { actor } = call;
  const row = await readShown(tx, actor, call.params.id, grants.grantsInForce);
  call.note({ target: targetOf(row) });
  requireRight(row, "retrieve");
  // Accounts have no environment that could waive re-authentication, so all of them count as production.
  call.requireStepUp();
  requireJustification(row, justification);
  const held = await requireNotCheckedOut(tx, row, actor.id);
  await requireActive({ kernel }, row, version);
  const wanted = version ?? row.secret_version;
  if (wanted === row.secret_version) refuseBlocked(row);
  // INVARIANT: a candidate secret is returned only to secret managers. Otherwise, another user could already know it when it
  // becomes active, without anyone noticing.
  const isProposed = wanted !== row.secret_version && (await isCandidate(tx, row.id, wanted));
  if (isProposed) requireAccountPermission(row, "manage_secret");
  const password = await open({ kernel }, tx, row, wanted);
  if (isOneTime(row)) {
    const take = { version: wanted, userId: actor.id };
    // Repairs may need the candidate more than once. When it becomes active, it is rotated again.
    await (isProposed ? noteTake(tx, row.id, take) : takeOneTime(tx, row, take));
  }
  await recordAccess(deps, tx, { row, held, userId: actor.id, isActive: wanted === row.secret_version });
  call.note(justificationNote(row, justification, { version: wanted }));
  return { password, isExclusive: row.exclusive_check_out };
}

/**
 * When the active version is not authentic, secret managers can still retrieve versions by number to restore the
 * correct value.
 */
async function requireActive(
  { kernel }: Pick<AccountDeps, "kernel">,
  row: ShownRow,
  version: number | null,
): Promise<void> {
  const error = await activeError(kernel, { ...row, user_id: null });
  if (error === null) return;
  if (version === null) throw unreadable(kernel, row.id, error);
  requireAccountPermission(row, "manage_secret");
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

const versionNotFound = () => refuse(404, "account.version-not-found", "Version not found");
