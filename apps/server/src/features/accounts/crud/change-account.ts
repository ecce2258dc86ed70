// Updates an account's name, properties, status and secret. Each of these needs its own permission.
import type {
  Account,
  AccountEdit,
  AccountStatus,
  SafePermission,
  updateAccount as updateEndpoint,
} from "@strongroom/contract";
import { Secret } from "@strongroom/keys";
import type { Updateable } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { addressUsed, editSecret, isSame, keyOfSafe } from "#features/secrets/index.ts";
import { audienceOf, changed as changedEvent, readShown, targetOf, toAccount } from "../accounts.ts";
import { readAccountRow, updateAccountRow } from "../accounts.store.ts";
import type { AccountsTable } from "../accounts.store.ts";
import { endCheckOuts } from "../checkout/check-outs.ts";
import { isOneTime, refuseTaken } from "../checkout/one-time.ts";
import { accountFields, lockUsablePlatform, searchedValues, storedFields } from "./create-account.ts";
import type { AccountDeps } from "../deps.ts";
import { requireAccountPermission, lockAccount, lockShown, moved, RETRIEVE_WITHOUT_APPROVAL } from "../lock-account.ts";
import type { ShownRow } from "../shown-accounts.store.ts";

type Edit = SteppedCall<typeof updateEndpoint>;

export async function changeAccount(deps: AccountDeps, call: Edit): Promise<Account> {
  const { kernel, grants } = deps;
  const { id } = call.params;
  const { password, ...sent } = call.body;
  call.note({ target: { type: "account", id } });
  const seen = await readShown(kernel.database.db, call.actor, id, grants.grantsInForce);
  call.note({ target: targetOf(seen) });
  if (password !== undefined) requireAccountPermission(seen, "update_secret");
  using secret = password === undefined ? null : Secret.fromText(password);
  const replacement = secret === null ? null : { secret, kek: await kernel.keys.kekFor(keyOfSafe(seen.safe_id)) };
  const at = kernel.clock.now();

  const work = async (tx: Tx) => {
    const { row: before, shown } = await lockShown(tx, call.actor, id, grants.grantsInForce);
    // This is the key of the safe that contained the account when it was read.
    if (shown.safe_id !== seen.safe_id) throw moved();
    const edit = { ...sent, tags: sent.tags ?? shown.tags };
    const changes = changesOf(shown, edit);
    for (const permission of permissionsFor(changes, replacement !== null, shown))
      requireAccountPermission(shown, permission);
    // INVARIANT: a taken password is never sent to a different target, where the user who changed the address could read it.
    if (changesTarget(changes, replacement !== null)) refuseTaken(shown);
    if (givesAway(shown, edit, changes)) call.requireStepUp();
    if (changes.includes("platform_id")) await lockUsablePlatform(tx, edit.platform_id);
    if (edit.status === "disabled" && shown.status !== "disabled") await endAccess(deps, tx, id, call.actor);
    const requireStepUp = () => call.requireStepUp();
    const stored = { fields: storedFields(edit), searched: searchedValues(edit) };
    const change = { ...stored, replacement, at, by: call.actor.id, requireStepUp };
    const { row, isLoginChanged, details } = await editSecret(tx, before, change);
    const { is_password_unknown } = await readAccountRow(tx, id);
    const isUnknown = is_password_unknown && replacement === null;
    const status = statusOf(edit.status ?? shown.status, isUnknown);
    const columns = { ...accountFields(edit), platform_id: edit.platform_id, status, is_password_unknown: isUnknown };
    await updateAccountRow(tx, id, { ...columns, ...(replacement === null ? {} : renewed(at)) });
    const after = await readShown(tx, call.actor, id, grants.grantsInForce);
    // INVARIANT: no edit of the platform, the system or its parameters makes a taken password retrievable again.
    if (replacement === null && !isOneTime(after)) refuseTaken(shown);
    if (isLoginChanged) await deps.loginChanged(tx, row);
    await kernel.events.publish(tx, changedEvent(id, await audienceOf(tx, shown)));
    call.note({ target: targetOf(row), details: { ...details, changed: changes } });
    return toAccount(await readShown(tx, call.actor, id, grants.grantsInForce), call.actor);
  };
  // Awaited here because the secret is destroyed when this function returns.
  return await call.commit(work, (account) => account);
}

type Fields = Omit<AccountEdit, "password">;

/** The columns of the shown row whose names differ from the form's. */
const SHOWN_AS: Partial<Record<keyof Fields, keyof ShownRow>> = { hostname: "host" };

/** The fields in which the edit differs from the stored values. An omitted port means the default port. */
function changesOf(row: ShownRow, edit: Fields): (keyof Fields)[] {
  const shown = { ...row, ...addressUsed(row) };
  const requested: Fields = {
    ...edit,
    port: storedFields(edit).port,
    status: edit.status ?? (shown.status as "active"),
  };
  return (Object.keys(requested) as (keyof Fields)[]).filter(
    (field) => !isSame(shown[SHOWN_AS[field] ?? (field as keyof ShownRow)], requested[field]),
  );
}

/** The fields that determine where the stored secret is sent and how it is protected on the way. */
const SENT_TO: readonly (keyof Fields)[] = [
  "hostname",
  "port",
  "connection_string",
  "system_type",
  "connection_method",
  "ssl_enabled",
  "additional_params",
];

const changesTarget = (changes: readonly (keyof Fields)[], isSecretReplaced: boolean): boolean =>
  !isSecretReplaced && changes.some((field) => SENT_TO.includes(field));

/**
 * The permissions for an edit. An edit without changes still needs `update_properties`. Sending the stored secret to a different
 * target requires the permissions to retrieve it without an approval, and users who need an approval cannot choose a platform
 * that requires none.
 */
function permissionsFor(
  changes: readonly (keyof Fields)[],
  isSecretReplaced: boolean,
  shown: ShownRow,
): SafePermission[] {
  const isEmpty = changes.length === 0 && !isSecretReplaced;
  return [
    ...(changes.includes("name") ? (["rename"] as const) : []),
    ...(isEmpty || changes.some((field) => field !== "name") ? (["update_properties"] as const) : []),
    ...(isSecretReplaced ? (["update_secret"] as const) : []),
    ...(changesTarget(changes, isSecretReplaced) ? RETRIEVE_WITHOUT_APPROVAL(shown) : []),
    ...(changes.includes("platform_id") && shown.approvals > 0 ? (["access_without_confirmation"] as const) : []),
  ];
}

/**
 * Whether the edit may give users access: a different platform may require no approval, and an enabled account can be
 * checked out again.
 */
const givesAway = (shown: ShownRow, edit: Fields, changes: readonly (keyof Fields)[]): boolean =>
  changes.includes("platform_id") || (shown.status !== "active" && edit.status === "active");

/** INVARIANT: an account without a known password is never active; it is pending instead. */
function statusOf(wanted: AccountStatus, isPasswordUnknown: boolean): AccountStatus {
  if (wanted === "disabled") return wanted;
  return isPasswordUnknown ? "pending" : "active";
}

const renewed = (at: Date): Updateable<AccountsTable> => ({
  rotated_at: at,
  rotation_wanted_at: null,
  rotation_wanted_because: null,
});

/** Ends all grants and check-outs of the account. Its row in `credentials` must be locked. */
async function endAccess({ kernel, lost }: AccountDeps, tx: Tx, id: string, by: Actor): Promise<void> {
  await lost(tx, [id], "disabled", by);
  await endCheckOuts(tx, [id], kernel.clock.now());
}

/** Enables or disables one account; leaves it unchanged if it already has this status. */
export async function setStatus(
  deps: AccountDeps,
  tx: Tx,
  { id, status, actor }: { id: string; status: "active" | "disabled"; actor: Actor },
): Promise<{ name: string; before: AccountStatus }> {
  const { safe_id, name } = await lockAccount(tx, actor, id, "update_properties", deps.grants.grantsInForce);
  const { status: before, is_password_unknown } = await readAccountRow(tx, id);
  const after = statusOf(status, is_password_unknown);
  if (before === after) return { name, before };
  const audience = await audienceOf(tx, { id, safe_id });
  if (status === "disabled") await endAccess(deps, tx, id, actor);
  await updateAccountRow(tx, id, { status: after });
  await deps.kernel.events.publish(tx, changedEvent(id, audience));
  return { name, before };
}
