// Use cases of groups: administrators create, update and fill them; access through a group ends with the membership.
import type {
  Group,
  GroupId,
  GroupMember,
  Message,
  UserId,
  addGroupMember,
  createGroup,
  deleteGroup as deleteEndpoint,
  listGroupMembers,
  listGroups as listEndpoint,
  removeGroupMember,
  updateGroup as updateEndpoint,
} from "@strongroom/contract";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Audience } from "#kernel/events/audience.ts";
import type { NewEvent } from "#kernel/events/events.ts";
import type { Call, CallInput } from "#kernel/http/call.ts";
import { pageByName, placeByName } from "#kernel/http/cursor.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { announceLostMembers, safeChanged } from "#features/safes/index.ts";
import type { LostMembersListener } from "#features/safes/index.ts";
import { findUser } from "#features/users/index.ts";
import * as store from "./groups.store.ts";
import { MOST_FOUND } from "#features/search/index.ts";
import type { Hit, Searchable } from "#features/search/index.ts";
import { listGroups, readGroups } from "./groups.store.ts";
import type { PersonInGroup, ShownGroup } from "./groups.store.ts";

export const searchableGroups: Searchable = {
  kind: "group",
  needs: "group.read",
  find: async (db, _actor, text) => (await listGroups(db, text, MOST_FOUND, null)).map(hitOf),
  read: async (db, _actor, ids) => (await readGroups(db, ids)).map(hitOf),
};

export interface GroupDeps {
  kernel: Kernel;
  membersLost: LostMembersListener;
}

export async function findGroups(call: Call<typeof listEndpoint>, db: Db) {
  const { limit, cursor, search } = call.query;
  const rows = await store.listGroups(db, search ?? "", limit, placeByName(cursor));
  const { shown, next_cursor } = pageByName(rows, limit);
  return { groups: shown.map(toGroup), next_cursor };
}

export async function makeGroup({ kernel }: GroupDeps, call: Call<typeof createGroup>, tx: Tx): Promise<Group> {
  const at = kernel.clock.now();
  const id = newId(at.getTime());
  const { name, kind, may_break_glass } = call.body;
  call.note({ target: { type: "group", id, name }, details: { kind, may_break_glass } });
  if (!(await store.insertGroup(tx, { ...call.body, id, created_at: at }))) throw nameTaken(name);
  await kernel.events.publish(tx, changed(id));
  return toGroup(await existing(tx, id));
}

export async function changeGroup(
  { kernel }: GroupDeps,
  call: CallInput<typeof updateEndpoint>,
  tx: Tx,
): Promise<Group> {
  const group = await begin(call, tx);
  const { name, kind, may_break_glass } = call.body;
  if (!(await store.updateGroup(tx, group.id, call.body))) throw nameTaken(name);
  const from = { name: group.name, kind: group.kind, may_break_glass: group.may_break_glass };
  call.note({ details: { from, to: { name, kind, may_break_glass } } });
  await kernel.events.publish(tx, changed(group.id));
  // The kind decides which safes its members see; the name is shown in the member lists of safes.
  await publishSafeChanges(kernel, tx, await store.safesOf(tx, group.id), await store.peopleIn(tx, group.id));
  return toGroup(await existing(tx, group.id));
}

export async function removeGroup(deps: GroupDeps, call: CallInput<typeof deleteEndpoint>, tx: Tx): Promise<Message> {
  const group = await begin(call, tx);
  const [safes, people] = [await store.safesOf(tx, group.id), await store.peopleIn(tx, group.id)];
  await store.deleteGroup(tx, group.id);
  await lose(deps, call, tx, safes, people);
  call.note({ details: { people: people.length, safes: safes.length } });
  await deps.kernel.events.publish(tx, changed(group.id));
  return { message: `"${group.name}" deleted successfully` };
}

export async function findPeople(call: Call<typeof listGroupMembers>, db: Db) {
  const group = await store.readGroup(db, call.params.id);
  if (group === null) throw notFound();
  const { limit, cursor } = call.query;
  const rows = await store.listPeople(db, group.id, limit, placeByName(cursor));
  const { shown, next_cursor } = pageByName(rows, limit);
  return { members: shown.map(toPerson), next_cursor };
}

export async function addPerson(
  { kernel }: GroupDeps,
  call: CallInput<typeof addGroupMember>,
  tx: Tx,
): Promise<GroupMember> {
  const group = await begin(call, tx);
  const { user_id } = call.body;
  const person = await findUser(tx, user_id);
  if (person === undefined || person.status !== "active") {
    throw refuse(422, "group.user-unknown", "User not found.");
  }
  const isNew = await store.insertPerson(tx, { group_id: group.id, user_id, added_at: kernel.clock.now() });
  if (!isNew) throw refuse(409, "group.already-member", `${person.name} is already in this group.`);
  noteAbout(call, person.name, user_id);
  await kernel.events.publish(tx, changed(group.id));
  await publishSafeChanges(kernel, tx, await store.safesOf(tx, group.id), [user_id]);
  return toPerson((await store.readPerson(tx, group.id, user_id))!);
}

export async function removePerson(
  deps: GroupDeps,
  call: CallInput<typeof removeGroupMember>,
  tx: Tx,
): Promise<Message> {
  const group = await begin(call, tx);
  const { user_id } = call.params;
  const person = await store.readPerson(tx, group.id, user_id);
  if (person === null) throw refuse(404, "group.member-not-found", "Member not found");
  await store.deletePerson(tx, group.id, user_id);
  await lose(deps, call, tx, await store.safesOf(tx, group.id), [user_id]);
  noteAbout(call, person.name, user_id);
  await deps.kernel.events.publish(tx, changed(group.id));
  return { message: `${person.name} is no longer in "${group.name}"` };
}

type AboutGroup = Pick<Call, "actor" | "note"> & { params: { id: string } };

/** Locks the group of a call and adds it to the audit entry. Throws 404 when the group does not exist. */
async function begin(call: AboutGroup, tx: Tx): Promise<ShownGroup> {
  call.note({ target: { type: "group", id: call.params.id } });
  const group = await store.lockGroup(tx, call.params.id);
  if (group === null) throw notFound();
  call.note({ target: { type: "group", id: group.id, name: group.name } });
  return group;
}

async function existing(db: Db, id: string): Promise<ShownGroup> {
  const group = await store.readGroup(db, id);
  if (group === null) throw new Error(`the group ${id} vanished within a transaction`);
  return group;
}

/** Announces that these users lost the access they had to these safes through the group. */
async function lose(
  { kernel, membersLost }: GroupDeps,
  { actor }: AboutGroup,
  tx: Tx,
  safes: string[],
  people: string[],
) {
  for (const safe of safes) await announceLostMembers(tx, safe, people, actor, membersLost);
  await publishSafeChanges(kernel, tx, safes, people);
}

async function publishSafeChanges(kernel: Kernel, tx: Tx, safes: readonly string[], people: string[]): Promise<void> {
  const audience: Audience = { users: people, roles: ["admin"] };
  await kernel.events.publish(tx, ...safes.map((id) => safeChanged(id, audience)));
}

const noteAbout = (call: AboutGroup, person: string, user_id: string): void =>
  call.note({ details: { person, user_id, ...(user_id === call.actor.id ? { oneself: true } : {}) } });

const notFound = (): Refusal => refuse(404, "group.not-found", "Group not found");
const nameTaken = (name: string): Refusal =>
  refuse(409, "group.name-taken", `A group named "${name}" already exists.`, {
    errors: [{ path: "name", msg: "A group with this name already exists" }],
  });

/** An event for all users who may read groups. */
const changed = (id: string): NewEvent => ({
  type: "group.changed",
  audience: { roles: ["admin", "manager"] },
  data: { group_id: id },
});

const toGroup = (row: ShownGroup): Group => ({
  id: row.id as GroupId,
  name: row.name,
  description: row.description,
  kind: row.kind,
  may_break_glass: row.may_break_glass,
  member_count: row.member_count,
  created_at: row.created_at.toISOString(),
});

const toPerson = ({ id, name, email, added_at }: PersonInGroup): GroupMember => ({
  user_id: id as UserId,
  name,
  email,
  added_at: added_at.toISOString(),
});

function hitOf({ id, name, description, kind, member_count }: ShownGroup): Hit {
  const people = member_count === 1 ? "1 person" : `${member_count.toLocaleString("en")} people`;
  return { id, title: name, detail: `${kind}, ${people}`, by: [description], can: [] };
}
