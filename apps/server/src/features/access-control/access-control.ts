// Handlers of the access overview: users with their roles, and everything one user can access, with the source of each
// access.
import type {
  AccessPerson,
  GroupId,
  PersonAccount,
  PersonSafe,
  SafeId,
  StandingPath,
  UserId,
  listAccessPeople,
  listAccessSafes,
  listPersonAccounts,
  listPersonSafes,
  readAccessPerson,
} from "@strongroom/contract";
import { SAFE_ROLE_LABELS } from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { pageByName, placeByName } from "#kernel/http/cursor.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { moment } from "#kernel/moment.ts";
import { activeGrants } from "#features/access-requests/index.ts";
import { pageOfAccounts } from "#features/accounts/index.ts";
import { namesOf, safeNotFound } from "#features/safes/index.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import { NO_ACCESS, addAccess, accessInSafe, accessFromGrant } from "./access-control.policy.ts";
import * as store from "./access-control.store.ts";
import type { PersonRow, PersonSafeRow } from "./access-control.store.ts";

const orNull = (text: string | undefined): string | null => (text === undefined || text === "" ? null : text);

export async function findPeople(call: Call<typeof listAccessPeople>, db: Db) {
  const { limit, cursor, search, role } = call.query;
  const query = { limit, after: placeByName(cursor), search: orNull(search), role: role ?? null, id: null };
  const rows = await store.listPeople(db, call.actor, query);
  const { shown, next_cursor } = pageByName(rows, limit);
  return { people: await counted(db, call.actor, shown), next_cursor };
}

/** Throws 404 for a user outside the caller's scope. */
async function personOf(db: Db, viewer: Actor, id: string): Promise<PersonRow> {
  const query = { limit: 1, after: null, search: null, role: null, id };
  const [row] = await store.listPeople(db, viewer, query);
  if (row === undefined) throw refuse(404, "access-control.person-not-found", "Person not found");
  return row;
}

export async function readOne(call: Call<typeof readAccessPerson>, db: Db) {
  const row = await personOf(db, call.actor, call.params.id);
  const [[person], groups] = [await counted(db, call.actor, [row]), await store.groupsOf(db, row.id)];
  return { ...person!, in_groups: groups.map((group) => ({ ...group, group_id: group.group_id as GroupId })) };
}

/** Adds to each user the counts of what they can access now, within the caller's scope. */
async function counted(db: Db, viewer: Actor, people: readonly PersonRow[]): Promise<AccessPerson[]> {
  const ids = people.map(({ id }) => id);
  const standings = Map.groupBy(await store.permissionBucketsOf(db, viewer, ids), (row) => row.user_id);
  const granted = Map.groupBy(await store.grantsOfPeople(db, viewer, ids), (row) => row.user_id);
  return people.map((person) => {
    const [buckets, grants] = [standings.get(person.id) ?? [], granted.get(person.id) ?? []];
    const reach = [
      ...buckets.map((each) => accessInSafe(each.permissions, each.safe_status, each)),
      ...grants.map(accessFromGrant),
    ].reduce(addAccess, NO_ACCESS);
    return {
      user_id: person.id as UserId,
      name: person.name,
      email: person.email,
      role: person.role,
      kind: person.kind,
      status: person.status,
      safes: buckets.reduce((sum, { safes }) => sum + safes, 0),
      accounts_usable: reach.accounts_usable,
      accounts_retrievable: reach.accounts_retrievable,
      grants: grants.length,
      groups: person.groups,
      may_break_glass: person.may_break_glass && person.status === "active",
    };
  });
}

export async function findSafesOf(call: Call<typeof listPersonSafes>, db: Db) {
  const person = await personOf(db, call.actor, call.params.id);
  if (person.status !== "active") return { safes: [], next_cursor: null };
  const { limit, cursor, search } = call.query;
  const query = { limit, after: placeByName(cursor), search: orNull(search) };
  const { shown, next_cursor } = pageByName(await store.listSafesOf(db, call.actor, person, query), limit);
  return { safes: shown.map((row) => toPersonSafe(row, person)), next_cursor };
}

function toPersonSafe(row: PersonSafeRow, { role }: PersonRow): PersonSafe {
  const reach = [accessInSafe(row.permissions, row.status, row), ...row.granted.map(accessFromGrant)].reduce(
    addAccess,
    NO_ACCESS,
  );
  return {
    safe_id: row.id as SafeId,
    name: row.name,
    status: row.status,
    access_level: row.access_level,
    permissions: namesOf(row.permissions),
    paths: row.paths.map((path) => ({
      kind: path.kind,
      through: throughOf(path, row, role),
      permissions: namesOf(path.permissions),
      expires_at: path.expires_at,
    })),
    ...reach,
    grants: row.granted.length,
  };
}

function throughOf(path: PersonSafeRow["paths"][number], row: PersonSafeRow, role: string): StandingPath["through"] {
  if (path.kind === "group") return path.group_name ?? "A group";
  if (path.kind === "role") return role;
  if (path.kind === "member") return path.safe_role === null ? "Member" : SAFE_ROLE_LABELS[path.safe_role];
  return path.group_name === null ? row.access_level : `${row.access_level} ${path.group_name}`;
}

/** Returns the accounts that the user sees in their own account list, using the same query. */
export async function findAccountsOf(call: Call<typeof listPersonAccounts>, db: Db) {
  const person = await personOf(db, call.actor, call.params.id);
  if (!(await store.canSeeInside(db, call.actor, call.query.safe_id))) throw safeNotFound();
  if (person.status !== "active") return { accounts: [], next_cursor: null };
  const page = await pageOfAccounts(db, { id: call.params.id, role: person.role }, call.query, activeGrants);
  const accounts = page.data.map((account): PersonAccount => ({
    account_id: account.id,
    name: account.name,
    hostname: account.hostname_ip,
    username: account.username,
    system_type: account.system_type,
    platform_name: account.platform_name,
    status: account.status,
    permissions: account.my_permissions,
    needs_approval: account.needs_approval,
    granted_until: account.my_grant?.ends_at ?? null,
  }));
  return { accounts, next_cursor: page.next_cursor };
}

export async function findVisibleSafes(call: Call<typeof listAccessSafes>, db: Db) {
  const { limit, cursor, search } = call.query;
  const query = { limit, after: placeByName(cursor), search: orNull(search) };
  const { shown, next_cursor } = pageByName(await store.listVisibleSafes(db, call.actor, query), limit);
  const safes = shown.map((row) => ({ ...row, safe_id: row.id as SafeId, reviewed_at: moment(row.reviewed_at) }));
  return { safes, next_cursor };
}
