// Runs one action on several accounts independently: failures are listed, and the action continues with the rest.
import { RunId } from "@strongroom/contract";
import type { AccountId, ReplyOf, bulkAccounts as bulkEndpoint } from "@strongroom/contract";
import type { Kek } from "@strongroom/keys";
import { appendAudit } from "#kernel/audit/append.ts";
import { callEntry } from "#kernel/audit/entry.ts";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { Refusal } from "#kernel/http/refuse.ts";
import { requireConfirmedPeople, requirePermission } from "#features/safes/index.ts";
import { verifyAccounts } from "#features/verification/index.ts";
import { targetOf } from "../accounts.ts";
import { setStatus } from "./change-account.ts";
import { deleteOne } from "./delete-account.ts";
import type { AccountDeps } from "../deps.ts";
import { lockAccount } from "../lock-account.ts";
import { keyToMoveTo, moveOne } from "./move-account.ts";

type Bulk = SteppedCall<typeof bulkEndpoint>;
type Reply = ReplyOf<typeof bulkEndpoint>;
type Failure = Reply["failed"][number];

/** Runs the action on one account in its own transaction. Returns the event for its audit entry. */
type Operation = (tx: Tx, id: string) => Promise<{ event: string; note: AuditNote }>;

export async function changeSeveral(deps: AccountDeps, call: Bulk): Promise<Reply> {
  const { action, account_ids } = call.body;
  // One re-authentication covers all accounts. It is needed because moving and enabling give other users access to the secrets.
  if (action === "move" || action === "enable") call.requireStepUp();
  const ids = [...new Set(account_ids)];
  const operation = await operationOf(deps, call);
  const done: AccountId[] = [];
  const failed: Failure[] = [];
  for (const id of ids) {
    if (call.signal.aborted) break;
    const failure = await doOne(deps, call, operation, id);
    if (failure === null) done.push(id);
    else failed.push(failure);
  }
  const message = messageOf(action, done.length, failed.length);
  const work = async (tx: Tx): Promise<Reply> => {
    const run = action === "validate" && done.length > 0 ? await verifyAccounts(deps.kernel, call, tx, done) : null;
    call.note({
      result: failed.length === 0 ? "success" : done.length === 0 ? "failure" : "warning",
      details: { action, done: done.length, failed: failed.length },
    });
    return { done, failed, message, run_id: run === null ? null : RunId.parse(run.id) };
  };
  return call.commit(work, (stored) => stored);
}

/** Returns null when the action succeeded and its audit entry was written. */
async function doOne(
  { kernel }: AccountDeps,
  call: Bulk,
  operation: Operation,
  id: AccountId,
): Promise<Failure | null> {
  try {
    await kernel.database.transaction(async (tx) => {
      const { event, note } = await operation(tx, id);
      await appendAudit(tx, [callEntry(event, call.actor, call.request, note, kernel.clock.now())]);
    });
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { id, code: error.code, message: error.message };
  }
}

async function operationOf(deps: AccountDeps, { actor, body }: Bulk): Promise<Operation> {
  switch (body.action) {
    case "delete":
      return async (tx, id) => {
        const { name } = await deleteOne(deps, tx, { id, actor });
        return { event: "account.deleted", note: { target: targetOf({ id, name }) } };
      };
    case "move": {
      // The contract requires `safe_id` for this action.
      const toSafe = body.safe_id!;
      const kek: Kek = await keyToMoveTo(deps, actor, toSafe);
      const { confirmation } = body;
      // Checked here for the whole call and again for each account, because users may join the safe in the meantime.
      const { db } = deps.kernel.database;
      const { safe } = await requirePermission(db, actor, toSafe, "add");
      await requireConfirmedPeople(db, actor, safe, confirmation);
      return async (tx, id) => {
        const { name, details } = await moveOne(deps, tx, { id, toSafe, kek, actor, confirmation });
        return { event: "account.moved", note: { target: targetOf({ id, name }), details } };
      };
    }
    case "enable":
      return statusDeed(deps, actor, "active");
    case "disable":
      return statusDeed(deps, actor, "disabled");
    case "validate":
      break;
  }
  return (tx, id) => askToValidate(deps, tx, id, actor);
}

/** Enables or disables an account. */
const statusDeed =
  (deps: AccountDeps, actor: Actor, status: "active" | "disabled"): Operation =>
  async (tx, id) => {
    const { name, before } = await setStatus(deps, tx, { id, status, actor });
    const changed = before === status ? [] : ["status"];
    const details = { changed, from: { status: before }, to: { status } };
    return { event: "account.updated", note: { target: targetOf({ id, name }), details } };
  };

/** Only checks the permission, because one verification run for all accounts follows. */
async function askToValidate({ grants }: AccountDeps, tx: Tx, id: string, actor: Actor) {
  const row = await lockAccount(tx, actor, id, "manage_secret", grants.grantsInForce);
  const note: AuditNote = { target: targetOf(row), result: "info" };
  return { event: "account.validation-asked", note };
}

const DONE: Record<Bulk["body"]["action"], string> = {
  validate: "Validation of {n} started",
  enable: "Enabled {n}",
  disable: "Disabled {n}",
  move: "Moved {n}",
  delete: "Deleted {n}",
};

function messageOf(action: Bulk["body"]["action"], done: number, failed: number): string {
  const accounts = (count: number) => (count === 1 ? "1 account" : `${count} accounts`);
  const sentence = DONE[action].replace("{n}", accounts(done));
  return failed === 0 ? sentence : `${sentence}, ${accounts(failed)} failed`;
}
