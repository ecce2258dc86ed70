// Compares two snapshots of users' permissions and returns the difference for each user. Pure; the decisions come from
// the accounts feature.
import { SAFE_PERMISSIONS } from "@strongroom/contract";
import type { PermissionChange, SafePermission } from "@strongroom/contract";
import { decideAccess, permissionsOn } from "#features/accounts/index.ts";
import type { AccountAccess } from "#features/accounts/index.ts";
import { namesOf } from "#features/safes/index.ts";
import type { Permissions } from "#features/safes/index.ts";
import type { GrantedAccountRow, Snapshot, AccountCountRow } from "./preview.store.ts";

export interface PersonDifference {
  userId: string;
  changes: PermissionChange[];
  grantsLost: number;
  gains: boolean;
  loses: boolean;
}

export interface Difference {
  /** Users with the most changes first. */
  people: PersonDifference[];
  /** The number of accounts on which any user gains or loses a permission. */
  accounts: number;
}

interface Look {
  standings: Map<string, Map<string, Permissions>>;
  stock: Map<string, Map<string, AccountCountRow>>;
  grants: Map<string, Map<string, GrantedAccountRow>>;
}

type Kind = Omit<AccountCountRow, "count">;
const kindOf = (row: Kind): string => `${row.platform_id}/${row.account_status}`;

const within = <V>(map: Map<string, Map<string, V>>, key: string): Map<string, V> => {
  const found = map.get(key) ?? new Map<string, V>();
  map.set(key, found);
  return found;
};

function lookOf({ standings, stock, grants }: Snapshot): Look {
  const look: Look = { standings: new Map(), stock: new Map(), grants: new Map() };
  for (const row of standings) within(look.standings, row.user_id).set(row.safe_id, row.permissions);
  for (const row of stock) within(look.stock, row.safe_id).set(kindOf(row), row);
  for (const row of grants) within(look.grants, row.user_id).set(row.account_id, row);
  return look;
}

const standingOn = (kind: Kind, permissions: Permissions, isGranted: boolean): AccountAccess => ({
  permissions,
  safeStatus: kind.safe_status,
  accountStatus: kind.account_status,
  approvals: kind.approvals,
  isGranted,
});

const both = <V>(a: ReadonlyMap<string, V> | undefined, b: ReadonlyMap<string, V> | undefined): Map<string, V> =>
  new Map([...(a ?? []), ...(b ?? [])]);

export function differenceOf(before: Snapshot, after: Snapshot): Difference {
  const [was, is] = [lookOf(before), lookOf(after)];
  const touched = new Set<string>();
  const users = new Set([...was.standings.keys(), ...is.standings.keys(), ...was.grants.keys(), ...is.grants.keys()]);
  const people = [...users].map((userId) => personDifference(userId, was, is, touched));
  const sizeOf = ({ changes, grantsLost }: PersonDifference): number =>
    changes.reduce((sum, each) => sum + each.accounts_gained + each.accounts_lost + each.safes_gained, grantsLost);
  return {
    people: people.filter(({ gains, loses }) => gains || loses).toSorted((a, b) => sizeOf(b) - sizeOf(a)),
    accounts: countTouched(touched, was, is),
  };
}

type Tally = Map<SafePermission, PermissionChange>;

function changeOf(tally: Tally, permission: SafePermission): PermissionChange {
  const none = { accounts_gained: 0, accounts_lost: 0, accounts_askable: 0, safes_gained: 0, safes_lost: 0 };
  const found = tally.get(permission) ?? { permission, ...none };
  tally.set(permission, found);
  return found;
}

/** Adds the difference for `count` identical accounts. Returns whether there is any. */
function addAccounts(tally: Tally, from: AccountAccess, to: AccountAccess, count: number): boolean {
  if (count === 0) return false;
  const [had, has] = [permissionsOn(from), permissionsOn(to)];
  const gained = has.filter((each) => !had.includes(each));
  const lost = had.filter((each) => !has.includes(each));
  for (const each of gained) changeOf(tally, each).accounts_gained += count;
  for (const each of lost) {
    const change = changeOf(tally, each);
    change.accounts_lost += count;
    const isAskable = (each === "use" || each === "retrieve") && decideAccess(each, to) === "needs-approval";
    if (isAskable) change.accounts_askable += count;
  }
  return gained.length + lost.length > 0;
}

function personDifference(userId: string, was: Look, is: Look, touched: Set<string>): PersonDifference {
  const tally: Tally = new Map();
  const grants = both(was.grants.get(userId), is.grants.get(userId));
  for (const safeId of both(was.standings.get(userId), is.standings.get(userId)).keys()) {
    addSafe(tally, { userId, safeId, grants }, was, is, touched);
  }
  for (const id of grants.keys()) {
    if (addLoan(tally, userId, id, was, is)) touched.add(id);
  }
  const changes = SAFE_PERMISSIONS.flatMap((permission) => tally.get(permission) ?? []);
  const stillLent = is.grants.get(userId);
  const grantsLost = [...(was.grants.get(userId)?.keys() ?? [])].filter((id) => stillLent?.has(id) !== true).length;
  return {
    userId,
    changes,
    grantsLost,
    gains: changes.some((each) => each.accounts_gained + each.safes_gained > 0),
    loses: grantsLost > 0 || changes.some((each) => each.accounts_lost + each.safes_lost > 0),
  };
}

interface Place {
  userId: string;
  safeId: string;
  /** Accounts with a grant before or after the change; these are compared individually. */
  grants: ReadonlyMap<string, GrantedAccountRow>;
}

function addSafe(tally: Tally, { userId, safeId, grants }: Place, was: Look, is: Look, touched: Set<string>): void {
  const standingIn = (look: Look): Permissions => look.standings.get(userId)?.get(safeId) ?? 0;
  const [had, has] = [standingIn(was), standingIn(is)];
  for (const each of namesOf(has & ~had)) changeOf(tally, each).safes_gained += 1;
  for (const each of namesOf(had & ~has)) changeOf(tally, each).safes_lost += 1;
  for (const [key, row] of is.stock.get(safeId) ?? was.stock.get(safeId) ?? []) {
    const before = was.stock.get(safeId)?.get(key) ?? row;
    if (had === has && before.approvals === row.approvals) continue;
    const apart = [...grants.values()].filter((loan) => loan.safe_id === safeId && kindOf(loan) === key).length;
    const [from, to] = [standingOn(before, had, false), standingOn(row, has, false)];
    if (addAccounts(tally, from, to, row.count - apart)) touched.add(`${safeId}/${key}`);
  }
}

function addLoan(tally: Tally, userId: string, id: string, was: Look, is: Look): boolean {
  const standingIn = (look: Look, from: GrantedAccountRow): AccountAccess => {
    // The required approvals may change whether or not the grant remains.
    const approvals = look.stock.get(from.safe_id)?.get(kindOf(from))?.approvals ?? from.approvals;
    const permissions = look.standings.get(userId)?.get(from.safe_id) ?? 0;
    return standingOn({ ...from, approvals }, permissions, look.grants.get(userId)?.has(id) === true);
  };
  const loan = was.grants.get(userId)?.get(id) ?? is.grants.get(userId)!.get(id)!;
  return addAccounts(tally, standingIn(was, loan), standingIn(is, loan), 1);
}

/** Counts each account once. An affected kind counts all its accounts, including those with a grant. */
function countTouched(touched: ReadonlySet<string>, was: Look, is: Look): number {
  let count = 0;
  for (const [safeId, kinds] of both(was.stock, is.stock))
    for (const [key, row] of kinds) if (touched.has(`${safeId}/${key}`)) count += row.count;
  const grants = new Map([...was.grants.values(), ...is.grants.values()].flatMap((each) => [...each]));
  for (const [id, loan] of grants) if (touched.has(id) && !touched.has(`${loan.safe_id}/${kindOf(loan)}`)) count += 1;
  return count;
}
