// Maps account rows to API objects, names accounts in the audit trail, and publishes changes.
import { moment } from "#kernel/moment.ts";
import { ACCOUNT_FIELD_NAMES, ACCOUNT_VALIDATION_OF, CONNECTION_FIELD_NAMES, pick } from "@strongroom/contract";
import type {
  AccessRequestId,
  Account,
  AccountId,
  AccountValidationStatus,
  PlatformId,
  RotationId,
  SafeId,
  UserId,
} from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Audience } from "#kernel/events/audience.ts";
import type { NewEvent } from "#kernel/events/events.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import { addressUsed, connectorFacts, hostKeyAlarm, verificationStatus } from "#features/secrets/index.ts";
import { audienceOfSafe } from "#features/safes/index.ts";
import { blockOf } from "./access-block.policy.ts";
import { needsApproval, permissionsOn } from "./accounts.policy.ts";
import type { AccountAccess } from "./accounts.policy.ts";
import { granteesOf } from "./accounts.store.ts";
import { rotationDueAt, rotationStatus } from "./rotation.ts";
import { showAccounts } from "./shown-accounts.store.ts";
import type { GrantsInForce, ShownRow } from "./shown-accounts.store.ts";

/** The same refusal for an account that does not exist and for an account that this user may not see. */
export const notFound = (): Refusal => refuse(404, "account.not-found", "Account not found");

/** The target of audit entries about an account. */
export const targetOf = ({ id, name }: { id: string; name: string }) => ({ type: "account", id, name });

/** The users who receive events about an account: the audience of its safe, and users with a grant. */
export const audienceOf = async (db: Db, { id, safe_id }: { id: string; safe_id: string }): Promise<Audience> =>
  (await audiencesIn(db, safe_id, [id])).get(id)!;

/** Like `audienceOf`, for several accounts of one safe, with the same number of statements. */
export async function audiencesIn(db: Db, safeId: string, ids: readonly string[]): Promise<Map<string, Audience>> {
  const grantees = await granteesOf(db, ids);
  const { users, roles } = await audienceOfSafe(db, safeId);
  return new Map(ids.map((id) => [id, { users: [...new Set([...users, ...(grantees.get(id) ?? [])])], roles }]));
}

export const changed = (id: string, audience: Audience): NewEvent => ({
  type: "account.changed",
  audience,
  data: { account_id: id },
});

export const deleted = (id: string, audience: Audience): NewEvent => ({
  type: "account.deleted",
  audience,
  data: { account_id: id },
});

/** Throws 404 when the account does not exist or this user may not see it. */
export async function readShown(
  db: Db,
  actor: Pick<Actor, "id" | "role">,
  id: string,
  grantsInForce: GrantsInForce,
): Promise<ShownRow> {
  const [row] = await showAccounts(db, actor, [id], grantsInForce);
  if (row === undefined) throw notFound();
  return row;
}

export const accountAccessOf = (row: ShownRow): AccountAccess => ({
  permissions: row.permissions,
  safeStatus: row.safe_status,
  accountStatus: row.status,
  approvals: row.approvals,
  isGranted: row.grant_id !== null,
});

/** Maps the stored verification status to the validation status of accounts (ACC-28). */
export const validationStatusOf = (
  row: Pick<ShownRow, "verification_status" | "verify_after">,
): AccountValidationStatus => ACCOUNT_VALIDATION_OF[verificationStatus(row)];

export function toAccount(row: ShownRow, actor: Pick<Actor, "id">): Account {
  const standing = accountAccessOf(row);
  const rotation = rotationOf(row);
  const address = addressUsed(row);
  return {
    id: row.id as AccountId,
    name: row.name,
    username: row.username,
    hostname_ip: address.host ?? row.host,
    ...pick(row, ACCOUNT_FIELD_NAMES),
    ...pick(row, CONNECTION_FIELD_NAMES),
    port: address.port,
    database_name: address.database_name,
    platform_id: row.platform_id as PlatformId,
    platform_name: row.platform_name,
    safe_id: row.safe_id as SafeId,
    safe_name: row.safe_name,
    status: row.status,
    last_validation_status: validationStatusOf(row),
    last_validated_at: moment(row.last_verification_attempt),
    validation_message: row.verification_error,
    host_key_alarm: hostKeyAlarm(row),
    rotation_status: rotationStatus(rotation, row.now),
    last_rotated_at: row.rotated_at.toISOString(),
    rotation_due_at: moment(row.rotation_wanted_at ?? rotationDueAt(rotation)),
    open_rotation: openRotation(row),
    last_accessed: moment(row.last_accessed_at),
    connector: connectorFacts(row),
    check_out: toCheckOut(row, actor),
    access_block: blockOf(row),
    my_permissions: permissionsOn(standing),
    needs_approval: needsApproval(standing),
    my_grant: row.grant_id === null ? null : grantOf(row.grant_id, row.grant_ends_at!),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

const rotationOf = (row: ShownRow) => ({
  rotateEveryDays: row.rotate_every_days,
  noticeDays: row.rotation_notice_days,
  rotatedAt: row.rotated_at,
  wantedAt: row.rotation_wanted_at,
});

function openRotation(row: ShownRow): Account["open_rotation"] {
  const { rotation_id: id, rotation_state: state, rotation_message: message } = row;
  return id === null || state === null ? null : { id: id as RotationId, state, message: message ?? "" };
}

const grantOf = (id: string, endsAt: Date): Account["my_grant"] => ({
  request_id: id as AccessRequestId,
  ends_at: endsAt.toISOString(),
});

export function toCheckOut(
  {
    out_user_id,
    out_name,
    out_since,
    out_until,
  }: Pick<ShownRow, "out_user_id" | "out_name" | "out_since" | "out_until">,
  actor: Pick<Actor, "id">,
): Account["check_out"] {
  if (out_user_id === null || out_since === null || out_until === null) return null;
  return {
    user_id: out_user_id as UserId,
    name: out_name ?? "Someone",
    since: out_since.toISOString(),
    until: out_until.toISOString(),
    is_own: out_user_id === actor.id,
  };
}
