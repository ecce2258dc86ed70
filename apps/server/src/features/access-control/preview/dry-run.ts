// Previews a change: runs its real use case in a transaction that is always rolled back, and compares the access before
// and after.
import type { AccessChange, AccessPreview, UserId, previewAccessChange, updateSafe } from "@strongroom/contract";
import { readGroup } from "#features/groups/index.ts";
import type { GroupsFeature } from "#features/groups/index.ts";
import type { SafesFeature } from "#features/safes/index.ts";
import type { UsersFeature } from "#features/users/index.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { isCutOff } from "#kernel/db/within.ts";
import type { CallInput } from "#kernel/http/call.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { differenceOf } from "./difference.policy.ts";
import { previewApprovals, requireRight } from "./preview-approvals.ts";
import * as store from "./preview.store.ts";
import type { PreviewScope } from "./preview.store.ts";

export interface DryRunContext {
  kernel: Kernel;
  safes: Pick<SafesFeature, "members" | "change">;
  groups: Pick<GroupsFeature, "acts">;
  users: Pick<UsersFeature, "changeRole" | "changeStatus">;
}

const MOST_SHOWN = 100;

export async function preview(
  context: DryRunContext,
  call: SteppedCall<typeof previewAccessChange>,
): Promise<AccessPreview> {
  const { change } = call.body;
  call.note({ target: targetOf(change), details: { change: change.kind } });
  const answer = await dryRun(context, call.actor, change);
  call.note({
    details: {
      change: change.kind,
      people_gaining: answer.people_gaining,
      people_losing: answer.people_losing,
      accounts: answer.accounts,
    },
  });
  return call.commit(async () => answer);
}

function targetOf(change: AccessChange): { type: string; id: string } {
  if ("safe_id" in change) return { type: "safe", id: change.safe_id };
  if ("group_id" in change) return { type: "group", id: change.group_id };
  if ("platform_id" in change) return { type: "platform", id: change.platform_id };
  return { type: "user", id: change.user_id };
}

/** Thrown to roll back the transaction; carries the result out of the transaction. */
class RolledBack {
  readonly answer: AccessPreview;
  constructor(answer: AccessPreview) {
    this.answer = answer;
  }
}

/**
 * INVARIANT: a dry run leaves no trace: its transaction always ends with an exception. It waits at most 500 ms for a
 * lock, and while it holds the locks of the change, each statement may take two seconds at most.
 */
async function dryRun(context: DryRunContext, actor: Actor, change: AccessChange): Promise<AccessPreview> {
  try {
    return await context.kernel.database.transaction(async (tx): Promise<never> => {
      await store.beginDryRun(tx);
      requireRight(context.kernel, actor, change);
      if (change.kind === "platform-approvals") throw new RolledBack(await previewApprovals(tx, change, MOST_SHOWN));
      const parts = await partsOf(tx, change);
      const before = await store.takeSnapshot(tx, parts);
      if (before.standings.length > store.MAX_PERMISSION_ROWS) throw tooLarge();
      await store.limitLockTime(tx);
      await apply(context, tx, actor, change);
      const difference = differenceOf(before, await store.takeSnapshot(tx, parts));
      throw new RolledBack(await present(tx, difference));
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.answer;
    throw refusalOf(error) ?? error;
  }
}

const tooLarge = (): Refusal =>
  refuse(422, "access-control.too-large", "This change affects too many people and safes to preview.");

/**
 * Maps PostgreSQL's errors for a lock wait or a statement that exceeds the preview's limits to a refusal; null for
 * other errors.
 */
function refusalOf(error: unknown): Refusal | null {
  if (isCutOff(error)) return tooLarge();
  const { code } = error as { code?: unknown };
  if (code !== LOCK_NOT_AVAILABLE && code !== SERIALIZATION_FAILURE) return null;
  return refuse(409, "access-control.busy", "Another change is in progress. Try again in a moment.");
}

const LOCK_NOT_AVAILABLE = "55P03";
const SERIALIZATION_FAILURE = "40001";

type TriedChange = Exclude<AccessChange, { kind: "platform-approvals" }>;

/** The users and safes that the change may affect. May include unaffected ones, but never omits an affected one. */
async function partsOf(db: Db, change: TriedChange): Promise<PreviewScope[]> {
  switch (change.kind) {
    case "member-added": {
      const { user_id, group_id } = change.member;
      const people = user_id === undefined ? await store.peopleOfGroup(db, group_id!) : [user_id];
      return [{ people, safes: [change.safe_id] }];
    }
    case "member-updated":
    case "member-removed":
      return [
        { people: await store.peopleOfMembership(db, change.safe_id, change.member_id), safes: [change.safe_id] },
      ];
    case "group-member-added":
    case "group-member-removed": {
      const others = (await store.peopleOfGroup(db, change.group_id)).filter((id) => id !== change.user_id);
      const own = await store.sharedSafesOf(db, [change.user_id]);
      const theirs = await store.sharedSafesOf(db, others);
      const safes = [...new Set([...(await store.safesOfGroup(db, change.group_id)), ...theirs])];
      return [
        { people: [change.user_id], safes },
        { people: own.length === 0 ? [] : others, safes: own },
      ];
    }
    case "group-deleted": {
      const people = await store.peopleOfGroup(db, change.group_id);
      const safes = [...(await store.safesOfGroup(db, change.group_id)), ...(await store.sharedSafesOf(db, people))];
      return [{ people, safes: [...new Set(safes)] }];
    }
    case "group-kind-changed": {
      const people = await store.peopleOfGroup(db, change.group_id);
      return [{ people, safes: await store.sharedSafesOf(db, people) }];
    }
    case "safe-changed": {
      const { safe_id: id, access_level } = change;
      return [{ people: await store.peopleOfSafe(db, id, access_level ?? null), safes: [id] }];
    }
    case "role-changed":
    case "person-disabled":
      return [{ people: [change.user_id], safes: null }];
  }
}

async function apply(
  { safes, groups, users }: DryRunContext,
  tx: Tx,
  actor: Actor,
  change: TriedChange,
): Promise<void> {
  const act = { actor, note: () => {}, body: undefined };
  switch (change.kind) {
    case "member-added":
      await safes.members.add({ ...act, params: { id: change.safe_id }, body: change.member }, tx);
      return;
    case "member-updated": {
      const params = { id: change.safe_id, member_id: change.member_id };
      await safes.members.change({ ...act, params, body: change.member }, tx);
      return;
    }
    case "member-removed":
      await safes.members.remove({ ...act, params: { id: change.safe_id, member_id: change.member_id } }, tx);
      return;
    case "group-member-added":
      await groups.acts.addPerson({ ...act, params: { id: change.group_id }, body: { user_id: change.user_id } }, tx);
      return;
    case "group-member-removed":
      await groups.acts.removePerson({ ...act, params: { id: change.group_id, user_id: change.user_id } }, tx);
      return;
    case "group-deleted":
      await groups.acts.remove({ ...act, params: { id: change.group_id } }, tx);
      return;
    case "group-kind-changed":
      await applyKind(groups, tx, act, change);
      return;
    case "safe-changed":
      await applyToSafe(safes, tx, act, change);
      return;
    case "person-disabled":
      await users.changeStatus({ ...act, params: { id: change.user_id }, body: { status: "disabled" } }, tx);
      return;
    case "role-changed":
      await users.changeRole({ ...act, params: { id: change.user_id }, body: { role: change.role } }, tx);
  }
}

type Plain = Pick<CallInput<typeof updateSafe>, "actor" | "note">;
type Of<Kind extends AccessChange["kind"]> = Extract<AccessChange, { kind: Kind }>;

/**
 * Keeps the fields that the change does not mention. The use case itself refuses a safe that is missing or that the
 * caller cannot see.
 */
async function applyToSafe(
  safes: DryRunContext["safes"],
  tx: Tx,
  act: Plain,
  change: Of<"safe-changed">,
): Promise<void> {
  const { safe_id: id, access_level, status } = change;
  const { name, description } = (await store.readSafeNames(tx, id)) ?? NOTHING;
  // Only the change itself requires re-authentication, not its preview.
  const requireStepUp = () => {};
  await safes.change({ ...act, requireStepUp, params: { id }, body: { name, description, access_level, status } }, tx);
}

const NOTHING = { name: "", description: null };

async function applyKind(
  groups: DryRunContext["groups"],
  tx: Tx,
  act: Plain,
  { group_id: id, group_kind }: Of<"group-kind-changed">,
): Promise<void> {
  const { name, description, may_break_glass } = (await readGroup(tx, id)) ?? { ...NOTHING, may_break_glass: false };
  const body = { name, description, kind: group_kind, may_break_glass };
  await groups.acts.change({ ...act, params: { id }, body }, tx);
}

async function present(tx: Tx, { people, accounts }: ReturnType<typeof differenceOf>): Promise<AccessPreview> {
  const shown = people.slice(0, MOST_SHOWN);
  const names = await store.readNames(
    tx,
    shown.map(({ userId }) => userId),
  );
  return {
    people_gaining: people.filter(({ gains }) => gains).length,
    people_losing: people.filter(({ loses }) => loses).length,
    accounts,
    people: shown.map(({ userId, changes, grantsLost }) => ({
      user_id: userId as UserId,
      ...names.get(userId)!,
      changes,
      grants_lost: grantsLost,
    })),
  };
}
