// Adds users and groups to a safe, changes their permissions, and removes them.
import { readAccessTime } from "#kernel/db/access-time.ts";
import type { Message, SafeMember, addSafeMember, removeSafeMember, updateSafeMember } from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call, CallInput } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import type { Kernel } from "#kernel/kernel.ts";
import {
  deleteMember,
  insertMember,
  membersWith,
  membershipsOf,
  nameOfPrincipal,
  peopleOf,
  readMember,
  updateMember,
} from "./members.store.ts";
import type { ShownMember } from "./members.store.ts";
import type { LostMembersListener } from "./lost-members.ts";
import { announceLostMembers } from "./lost-members.ts";
import { audienceOfSafe, changed, targetOf, toMember } from "../safes.ts";
import { bitOf, isOwners, namesOf, permissionsOfRole, permissionsBeyond } from "../safes.policy.ts";
import type { PermissionGrant } from "../safes.policy.ts";
import { lockSafes, readSafeRow } from "../safes.store.ts";
import type { SafeRow } from "../safes.store.ts";
import { lockSafe, notFound } from "../effective-permissions.ts";

export interface MemberDeps {
  kernel: Kernel;
  onLost: LostMembersListener;
}

export async function addMember(
  { kernel }: MemberDeps,
  call: CallInput<typeof addSafeMember>,
  tx: Tx,
): Promise<SafeMember> {
  const safe = await begin(call, tx);
  const { user_id = null, group_id = null, role, permissions: chosen, expires_at } = call.body;
  const given: PermissionGrant = { permissions: permissionsOfRole(role, chosen), expiresAt: moment(expires_at) };
  await requireFuture(tx, given.expiresAt);
  const name = await nameOfPrincipal(tx, call.body);
  if (name === null) throw refuse(422, "safe.member-unknown", "This user or group does not exist.");
  await requireNotTooMuch(tx, call.actor, safe, given, null);
  const at = kernel.clock.now();
  const row = { id: newId(at.getTime()), safe_id: safe.id, user_id, group_id, role, added_at: at };
  const isNew = await insertMember(tx, {
    ...row,
    permissions: given.permissions,
    expires_at: given.expiresAt,
    added_by: call.actor.id,
  });
  if (!isNew)
    throw refuse(409, "safe.already-member", `${name} is already a member. Change the existing membership instead.`);
  const member = await memberOf(tx, safe.id, row.id);
  await noteGivenPermissions(call, tx, member);
  await kernel.events.publish(tx, changed(safe.id, await audienceOfSafe(tx, safe.id)));
  return toMember(member);
}

export async function changeMember(
  { kernel }: MemberDeps,
  call: CallInput<typeof updateSafeMember>,
  tx: Tx,
): Promise<SafeMember> {
  const safe = await begin(call, tx);
  const before = await memberOf(tx, safe.id, call.params.member_id);
  const { role, permissions: chosen, expires_at } = call.body;
  const given: PermissionGrant = { permissions: permissionsOfRole(role, chosen), expiresAt: moment(expires_at) };
  await requireFuture(tx, given.expiresAt);
  if (isOwners(safe, before) && (role !== "owner" || given.expiresAt !== null)) throw ownersMembership();
  await requireNotTooMuch(tx, call.actor, safe, given, {
    permissions: before.permissions,
    expiresAt: before.expires_at,
  });
  await updateMember(tx, before.id, { role, permissions: given.permissions, expires_at: given.expiresAt });
  await requireOwnerLeft(tx, call.actor, safe);
  const member = await memberOf(tx, safe.id, before.id);
  await noteGivenPermissions(call, tx, member, before);
  await kernel.events.publish(tx, changed(safe.id, await audienceOfSafe(tx, safe.id, await peopleOf(tx, member))));
  return toMember(member);
}

export async function removeMember(
  deps: MemberDeps,
  call: CallInput<typeof removeSafeMember>,
  tx: Tx,
): Promise<Message> {
  return takeOut(deps, call, tx, await begin(call, tx));
}

/**
 * Like `removeMember`, for the reviewer of a membership. The reviewer was appointed by an administrator, so they need
 * no permission to manage the members. All other checks apply.
 */
export async function removeReviewed(
  deps: MemberDeps,
  act: CallInput<typeof removeSafeMember>,
  tx: Tx,
): Promise<Message> {
  const { id } = act.params;
  await lockSafes(tx, [id], "no key update");
  const safe = await readSafeRow(tx, id);
  if (safe === null) throw notFound();
  return takeOut(deps, act, tx, safe);
}

async function takeOut(
  { kernel, onLost }: MemberDeps,
  call: CallInput<typeof removeSafeMember>,
  tx: Tx,
  safe: SafeRow,
): Promise<Message> {
  const member = await memberOf(tx, safe.id, call.params.member_id);
  if (isOwners(safe, member)) throw ownersMembership();
  const people = await peopleOf(tx, member);
  await deleteMember(tx, member.id);
  await requireOwnerLeft(tx, call.actor, safe);
  await announceLostMembers(tx, safe.id, people, call.actor, onLost);
  call.note({ details: { member: member.name, role: member.role, permissions: namesOf(member.permissions) } });
  await kernel.events.publish(tx, changed(safe.id, await audienceOfSafe(tx, safe.id, people)));
  return { message: `${member.name} is no longer a member of "${safe.name}"` };
}

/**
 * Locks the safe, so that changes of its members run one at a time and each change is checked against the result of the
 * previous one.
 */
async function begin(call: Pick<Call, "actor" | "note"> & { params: { id: string } }, tx: Tx): Promise<SafeRow> {
  const { id } = call.params;
  call.note({ target: { type: "safe", id } });
  const { safe } = await lockSafe(tx, call.actor, id, "manage_members", "no key update");
  call.note({ target: targetOf(safe) });
  return safe;
}

async function memberOf(db: Db, safeId: string, id: string): Promise<ShownMember> {
  const member = await readMember(db, safeId, id);
  if (member === null) throw refuse(404, "safe.member-not-found", "Member not found");
  return member;
}

const moment = (text: string | null): Date | null => (text === null ? null : new Date(text));

async function requireFuture(db: Db, expiresAt: Date | null): Promise<void> {
  if (expiresAt === null || expiresAt > (await readAccessTime(db))) return;
  throw refuse(400, "request.invalid", "The expiry must be in the future", {
    errors: [{ path: "expires_at", msg: "The expiry must be in the future" }],
  });
}

/**
 * INVARIANT: members cannot give more permissions than they have, nor give them for longer than they have them;
 * administrators can, and the audit trail records it.
 */
async function requireNotTooMuch(
  tx: Tx,
  actor: Actor,
  safe: SafeRow,
  given: PermissionGrant,
  before: PermissionGrant | null,
): Promise<void> {
  if (actor.role === "admin") return;
  const own = await membershipsOf(tx, safe.id, actor.id);
  const excess = namesOf(permissionsBeyond(given, before, own));
  if (excess.length === 0) return;
  throw refuse(
    403,
    "safe.gives-too-much",
    `You cannot give permissions that you do not have, or have for a shorter time: ${excess.join(", ").replaceAll("_", " ")}.`,
  );
}

const ownersMembership = (): Refusal =>
  refuse(409, "safe.owner-membership", "The owner's membership cannot be changed. Choose another owner first.");

/** INVARIANT: only an administrator can leave a safe without an active user who manages its members. */
async function requireOwnerLeft(tx: Tx, actor: Actor, safe: SafeRow): Promise<void> {
  if (actor.role === "admin" || (await membersWith(tx, safe.id, bitOf("manage_members"))).length > 0) return;
  throw refuse(409, "safe.last-manager", "This would leave the safe without anyone to manage its members.");
}

/** Notes the permissions given and to whom; permissions that administrators give themselves are noted as a warning. */
async function noteGivenPermissions(
  call: Pick<Call, "actor" | "note">,
  tx: Tx,
  now: ShownMember,
  before?: ShownMember,
) {
  const isOwn = (await peopleOf(tx, now)).includes(call.actor.id);
  const said = ({ role, permissions, expires_at }: ShownMember) => ({
    role,
    permissions: namesOf(permissions),
    expires_at: expires_at?.toISOString() ?? null,
  });
  call.note({
    ...(isOwn ? { result: "warning" as const } : {}),
    details: {
      member: now.name,
      ...(now.user_id === null ? { group_id: now.group_id } : { user_id: now.user_id }),
      ...(before === undefined ? said(now) : { from: said(before), to: said(now) }),
      ...(isOwn ? { to_oneself: true } : {}),
    },
  });
}
