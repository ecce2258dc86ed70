// Searches the graph of accounts, keys and systems, from a key or an account in both directions.
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import { rightOf } from "./explain.ts";
import {
  accountsOfKeys,
  controllersOf,
  keysOfAccounts,
  keysOnSystems,
  privilegesOfAccounts,
  privilegesToAccounts,
} from "./reach.store.ts";
import type { KeyStep, PrivilegeStep } from "./reach.store.ts";

export type Place =
  | { kind: "account"; target_id: string; identity: string }
  | { kind: "key"; fingerprint: string }
  /** Full control of a system: every account and file on it. */
  | { kind: "control"; target_id: string }
  /** Every account of a system. */
  | { kind: "everyone"; target_id: string };

export interface Reached {
  place: Place;
  distance: number;
  from: string | null;
  reason: string | null;
  needsPassword: boolean;
}

export const idOf = (place: Place): string => {
  if (place.kind === "account") return `account:${place.target_id}:${place.identity}`;
  return place.kind === "key" ? `key:${place.fingerprint}` : `${place.kind}:${place.target_id}`;
};

interface Step {
  from: string;
  to: Place;
  reason: string;
  needsPassword: boolean;
}

export type Direction = "reaches" | "reached_by";

/** The maximum number of nodes of a search. */
const MOST_NODES = 2000;
/** A path longer than this is not searched. */
const LONGEST_PATH = 20;

/**
 * The nodes by their ids, the start first, each with the shortest path to it. Paths that need no password come first:
 * steps that do need one are tried only where there is no other way.
 */
export async function searchGraph(
  db: Db,
  actor: Actor,
  start: Place,
  direction: Direction,
): Promise<{ reached: Map<string, Reached>; isComplete: boolean }> {
  const reached = new Map<string, Reached>([
    [idOf(start), { place: start, distance: 0, from: null, reason: null, needsPassword: false }],
  ]);
  let deferred: Step[] = [];
  let frontier: Place[] = [start];
  for (let rounds = 0; rounds < LONGEST_PATH; rounds += 1) {
    const next: Place[] = [];
    const take = (step: Step) => {
      const id = idOf(step.to);
      const before = reached.get(step.from)!;
      if (reached.has(id) || reached.size >= MOST_NODES) return;
      const needsPassword = before.needsPassword || step.needsPassword;
      const distance = before.distance + 1;
      reached.set(id, { place: step.to, distance, from: step.from, reason: step.reason, needsPassword });
      next.push(step.to);
    };
    const steps = direction === "reaches" ? await stepsFrom(db, actor, frontier) : await stepsTo(db, actor, frontier);
    for (const step of steps) {
      if (step.needsPassword) deferred.push(step);
      else take(step);
    }
    if (next.length === 0) {
      for (const step of deferred) take(step);
      deferred = [];
    }
    if (next.length === 0) return { reached, isComplete: reached.size < MOST_NODES };
    frontier = next;
  }
  return { reached, isComplete: false };
}

type Split = { accounts: (Place & { kind: "account" })[]; keys: string[]; systems: string[]; all: string[] };

function split(places: readonly Place[]): Split {
  const parts: Split = { accounts: [], keys: [], systems: [], all: [] };
  for (const place of places) {
    if (place.kind === "account") parts.accounts.push(place);
    else if (place.kind === "key") parts.keys.push(place.fingerprint);
    else if (place.kind === "control") parts.systems.push(place.target_id);
    else parts.all.push(place.target_id);
  }
  return parts;
}

const account = ({ target_id, identity }: { target_id: string; identity: string }): Place => ({
  kind: "account",
  target_id,
  identity,
});
const keyOf = ({ fingerprint }: KeyStep): Place => ({ kind: "key", fingerprint });
const control = (target_id: string): Place => ({ kind: "control", target_id });

async function stepsFrom(db: Db, actor: Actor, places: readonly Place[]): Promise<Step[]> {
  const { accounts, keys, systems } = split(places);
  const steps: Step[] = [];
  if (keys.length > 0) {
    for (const each of await accountsOfKeys(db, actor, "opens", keys)) {
      if (each.identity === null) continue;
      const to = account({ ...each, identity: each.identity });
      steps.push({ from: idOf(keyOf(each)), to, reason: opening(each), needsPassword: false });
    }
  }
  if (accounts.length > 0) {
    const known = new Set(accounts.map(idOf));
    for (const each of await privilegesOfAccounts(db, actor, accounts)) steps.push(privilegeStep(each));
    for (const each of await keysOfAccounts(db, actor, "held", accounts)) {
      // A private key for everyone belongs to each account of its system.
      const readers = accounts.filter(
        ({ target_id, identity }) =>
          target_id === each.target_id && (each.identity === null || each.identity === identity),
      );
      for (const reader of readers) if (known.has(idOf(reader))) steps.push(holding(each, idOf(reader)));
    }
  }
  if (systems.length > 0) {
    for (const each of await keysOnSystems(db, actor, systems))
      steps.push(holding(each, idOf(control(each.target_id))));
  }
  return steps;
}

async function stepsTo(db: Db, actor: Actor, places: readonly Place[]): Promise<Step[]> {
  const { accounts, keys, systems } = split(places);
  const steps: Step[] = [];
  if (accounts.length > 0) {
    for (const each of await keysOfAccounts(db, actor, "opens", accounts)) {
      const from = idOf(account({ ...each, identity: each.identity! }));
      steps.push({ from, to: keyOf(each), reason: opening(each), needsPassword: false });
    }
    for (const each of await privilegesToAccounts(db, actor, accounts)) {
      const { to, reason, needsPassword } = privilegeStep(each);
      steps.push({ from: idOf(to), to: account(each), reason, needsPassword });
    }
    for (const each of accounts) {
      const reason = "full control of the system includes every account";
      steps.push({ from: idOf(each), to: control(each.target_id), reason, needsPassword: false });
    }
  }
  if (systems.length > 0) {
    for (const each of await controllersOf(db, actor, systems)) {
      const { reason, needsPassword } = privilegeStep(each);
      steps.push({ from: idOf(control(each.target_id)), to: account(each), reason, needsPassword });
    }
  }
  if (keys.length > 0) {
    for (const each of await accountsOfKeys(db, actor, "held", keys)) {
      const to: Place =
        each.identity === null
          ? { kind: "everyone", target_id: each.target_id }
          : account({ ...each, identity: each.identity });
      const { reason, needsPassword } = holding(each, "");
      steps.push({ from: idOf(keyOf(each)), to, reason, needsPassword });
      const byControl = "full control of the system includes the private key";
      steps.push({ from: idOf(keyOf(each)), to: control(each.target_id), reason: byControl, needsPassword });
    }
  }
  return steps;
}

function privilegeStep(each: PrivilegeStep): Step {
  const to: Place =
    each.is_full || each.becomes === null
      ? control(each.target_id)
      : { kind: "account", target_id: each.target_id, identity: each.becomes };
  return { from: idOf(account(each)), to, reason: rightOf(each), needsPassword: each.needs_password === true };
}

function opening({ place, options }: KeyStep): string {
  const limits = options.length === 0 ? "" : `, limited by ${options.slice(0, 5).join(", ")}`;
  return `the key is in ${place}${limits}`;
}

const holding = (each: KeyStep, from: string): Step => ({
  from,
  to: keyOf(each),
  reason: `the private key is in ${each.place}${each.is_encrypted === true ? ", with a passphrase" : ", without a passphrase"}`,
  needsPassword: each.is_encrypted === true,
});
