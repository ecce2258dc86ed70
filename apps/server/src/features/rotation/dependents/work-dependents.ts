// The dependent workers: claim due dependents, record the use of secrets and store the results.
import { otherAccountOf } from "@strongroom/contract";
import type { UserId } from "@strongroom/contract";
import type { Secret } from "@strongroom/keys";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import { newId } from "#kernel/id.ts";
import {
  NOT_ACTIVE as NOT_ACTIVE_VERSION,
  activeError,
  keyOfOwner,
  lockSecret,
  lockSecrets,
  readEnvelope,
  replaceSecret,
  activeRotationOf,
  supersedeRotation,
} from "#features/secrets/index.ts";
import type { SecretRow } from "#features/secrets/index.ts";
import { findUser } from "#features/users/index.ts";
import { ownerOf } from "#features/verification/index.ts";
import { CHANGED } from "./dependent-alarm.ts";
import { canCheck, checkDependent } from "./dependent-mac.ts";
import { claimDependent, hasInactive, readViaWay, storeDependentResult } from "./dependents.store.ts";
import type { DependentResult, DependentRow } from "./dependents.store.ts";
import { isWithinRights, requireRights, storeConfig } from "./dependents.ts";
import type { Updated } from "./dependents.ts";
import { backOff } from "../rotation.policy.ts";
import { recordRotated } from "../rotation.store.ts";
import type { RotationContext } from "../context.ts";
import { updateOne } from "./update-dependent.ts";
import type { OpenableSecret, DependentTask } from "./update-dependent.ts";

const LEASE_SECONDS = 60;
const MOST_TRIES = 8;
const WHILE_BUSY_MS = 5_000;

/** Updates one due dependent and calls `taken` once it is claimed; returns false when none is due. */
export async function workDependent(
  context: RotationContext,
  signal: AbortSignal,
  taken: () => void,
): Promise<boolean> {
  const { database, keys, log } = context.kernel;
  if (!canCheck(keys)) return false;
  const row = await claimDependent(database.db, newId(), LEASE_SECONDS);
  if (row === null) return false;
  taken();
  try {
    await bringUpToDate(context, row, signal);
  } catch (error) {
    log.error({ err: error, dependent: row.id }, "a dependent could not be updated");
    await settle(context, row, null, { isDone: false, message: "Internal error. See the server log." });
  }
  return true;
}

async function bringUpToDate(context: RotationContext, row: DependentRow, signal: AbortSignal): Promise<void> {
  // INVARIANT: the claimed row is checked before any of its columns is used.
  if (!(await checkDependent(context.kernel, row))) {
    return settle(context, row, null, { isDone: false, message: CHANGED, isChanged: true });
  }
  const task = await context.kernel.database.transaction((tx) => prepare(context, tx, row));
  if (task === "busy") return postpone(context, row);
  if ("message" in task) return settle(context, row, null, task);
  const updated = await updateOne(context, task, signal, (secret) => takeOver(context, task, secret));
  // This server is shutting down: the lease expires, and another worker repeats the update.
  if (signal.aborted && !updated.isDone) return;
  await settle(context, row, task, updated);
}

const NOBODY_ANSWERS =
  "The user who requested this update can no longer retrieve the secrets it needs. A user with access to them must request it again.";

/**
 * INVARIANT: a dependent never exceeds its requester's permissions: secrets that they may not retrieve are not used.
 */
async function isAnsweredFor(
  { rotated }: RotationContext,
  tx: Tx,
  { account_id, added_by, config }: DependentRow,
): Promise<boolean> {
  const person = await findUser(tx, added_by);
  if (person?.status !== "active") return false;
  const { role } = person;
  return isWithinRights(requireRights(rotated, tx, { id: added_by as UserId, role }, account_id, config));
}

const REDIRECTED =
  "The address of the account that delivers the password was changed. Check it, then request the update again.";

const NOT_ACTIVE = "A required account, or its platform or safe, is not active.";

/** INVARIANT: a secret is opened only after its use is recorded. */
async function prepare(context: RotationContext, tx: Tx, row: DependentRow): Promise<DependentTask | "busy" | Updated> {
  const otherId = otherAccountOf(row.config);
  const ids = otherId === null ? [row.account_id] : [row.account_id, otherId];
  const rows = await lockSecrets(tx, ids);
  if ((await activeRotationOf(tx, ids)) !== null) return "busy";
  const account = await holding(tx, rows, row.account_id);
  if (account === null) return { isDone: false, message: "The account was deleted." };
  const other = otherId === null ? null : await holding(tx, rows, otherId);
  if (otherId !== null && other === null) return { isDone: false, message: "The other account was deleted." };
  if (!(await isAnsweredFor(context, tx, row))) return { isDone: false, message: NOBODY_ANSWERS };
  // INVARIANT: an editor of the delivering account cannot redirect another account's secret to their own host.
  if (row.via_way !== (await readViaWay(tx, row.config))) return { isDone: false, message: REDIRECTED };
  if (await hasInactive(tx, ids)) return { isDone: false, message: NOT_ACTIVE };
  const at = context.kernel.clock.now();
  const used = [account, ...(other === null || row.config.kind === "account" ? [] : [other])];
  for (const { secretRow } of used) {
    if ((await activeError(context.kernel, secretRow)) !== null) return { isDone: false, message: NOT_ACTIVE_VERSION };
  }
  const details = { for: "dependent", dependent: row.id, name: row.name, kind: row.config.kind };
  await appendAudit(
    tx,
    used.map(({ secretRow: { id, name, secret_version: version } }) =>
      systemEntry(
        "rotation.secret-used",
        "rotation",
        { target: { type: "account", id, name }, result: "info", details: { ...details, version } },
        at,
      ),
    ),
  );
  return { row, account, other };
}

async function holding(tx: Tx, rows: readonly SecretRow[], id: string): Promise<OpenableSecret | null> {
  const secretRow = rows.find((row) => row.id === id);
  if (secretRow === undefined) return null;
  const envelope = await readEnvelope(tx, id, secretRow.secret_version);
  return envelope === null ? null : { secretRow, envelope };
}

/** Stores the same password in another account and schedules its verification. */
async function takeOver(context: RotationContext, { account, other }: DependentTask, secret: Secret): Promise<Updated> {
  const { database, keys, clock, events } = context.kernel;
  const { id, name } = other!.secretRow;
  const kek = await keys.kekFor(keyOfOwner(other!.secretRow));
  return database.transaction(async (tx) => {
    const before = await lockSecret(tx, id);
    if (before === null || before.safe_id !== other!.secretRow.safe_id)
      return { isDone: false, message: `"${name}" was moved or deleted.` };
    if ((await activeRotationOf(tx, [id])) !== null)
      return { isDone: false, message: `A rotation of "${name}" is in progress.` };
    const at = clock.now();
    await supersedeRotation(
      tx,
      id,
      at,
      `Replaced by the password of "${account.secretRow.name}", on which this account depends.`,
    );
    const row = await replaceSecret(tx, before, { kek, secret, at });
    await recordRotated(tx, id, at);
    await context.loginChanged(tx, row);
    const { audience } = await ownerOf(context, tx, { user_id: null, credential_id: id });
    await events.publish(tx, { type: "account.changed", audience, data: { account_id: id } });
    const details = { from: account.secretRow.id, version: row.secret_version };
    const note = { target: { type: "account", id, name }, details };
    await appendAudit(tx, [systemEntry("account.password-taken-over", "rotation", note, at)]);
    return { isDone: true, message: `Stored in "${name}". Its verification is queued.` };
  });
}

async function postpone({ kernel }: RotationContext, row: DependentRow): Promise<void> {
  const at = kernel.clock.now();
  const message = "Waiting for a rotation to end.";
  const it = { state: "waiting", message, version: null, tries: row.tries, afterMs: WHILE_BUSY_MS, at } as const;
  await kernel.database.transaction((tx) => storeDependentResult(tx, row, it));
}

async function settle(
  context: RotationContext,
  row: DependentRow,
  task: DependentTask | null,
  { isDone, message, config, isChanged }: Updated,
): Promise<void> {
  const { database, clock, events } = context.kernel;
  const at = clock.now();
  const tries = isDone ? 0 : row.tries + 1;
  const isOver = isDone || isChanged === true || tries >= MOST_TRIES;
  const it: DependentResult = {
    state: isDone ? "current" : isOver ? "attention" : "waiting",
    message,
    version: isDone ? (task?.account.secretRow.secret_version ?? null) : null,
    tries,
    afterMs: isOver ? null : backOff(tries - 1),
    at,
  };
  await database.transaction(async (tx) => {
    if (!(await storeDependentResult(tx, row, it))) return;
    if (config !== undefined) await storeConfig(context, tx, row.id, config);
    if (it.version !== null) {
      const { id, account_id: accountId, version: before } = row;
      await context.dependentUpdated(tx, { id, accountId, before, version: it.version });
    }
    const name = task?.account.secretRow.name;
    const target = { type: "account", id: row.account_id, ...(name === undefined ? {} : { name }) };
    // The settings of a changed row may be unreadable.
    const kind = isChanged === true ? null : row.config.kind;
    const details = { dependent: row.id, name: row.name, kind, message, tries };
    const result = isDone ? "success" : "failure";
    await appendAudit(tx, [systemEntry("account.dependent-updated", "rotation", { target, result, details }, at)]);
    const { audience } = await ownerOf(context, tx, { user_id: null, credential_id: row.account_id });
    await events.publish(tx, { type: "account.changed", audience, data: { account_id: row.account_id } });
    if (it.state === "attention") await notifyOfAttention(context, tx, row, message);
  });
}

async function notifyOfAttention(context: RotationContext, tx: Tx, row: DependentRow, message: string): Promise<void> {
  await context.notify(tx, {
    to: { users: await context.rotated.secretManagersOf(tx, row.account_id) },
    type: "rotation_attention",
    title: `"${row.name}" does not have the new password`,
    message,
    severity: "high",
    actionRequired: true,
    metadata: { account_id: row.account_id, dependent_id: row.id },
    link: `/accounts/${row.account_id}`,
    dedupeKey: row.id,
  });
}
