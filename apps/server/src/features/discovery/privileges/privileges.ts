// Answers calls about the privileges of discovered accounts, their keys, and what an account or a key can reach.
import type {
  AccountId,
  DiscoveredAccountId,
  DiscoveryTargetId,
  ReachNode,
  SafeId,
  listDiscoveredKeys,
  readAccountPrivileges,
  readBlastRadius as readBlastRadiusEndpoint,
} from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import { explainAccount, explainPrivilege, levelOf } from "./explain.ts";
import { keysHeld, keysOpening, listKeys, managedLogins, privilegesOf, readSeenAccount } from "./privileges.store.ts";
import { idOf, searchGraph } from "./reach.ts";
import type { Place, Reached } from "./reach.ts";
import { accountIds, accountsOfKeys, keyComments, readSystems } from "./reach.store.ts";

const accountNotFound = (): Refusal => refuse(404, "discovery.account-not-found", "Discovered account not found");
const keyNotFound = (): Refusal => refuse(404, "discovery.key-not-found", "Key not found");

export async function readPrivileges(call: Call<typeof readAccountPrivileges>, db: Db) {
  const account = await readSeenAccount(db, call.actor, call.params.id);
  if (account === null) throw accountNotFound();
  const privileges = await privilegesOf(db, account);
  const opened_by = await keysOpening(db, call.actor, account);
  const holds = await keysHeld(db, call.actor, account);
  const managed = await managedLogins(db, call.actor, account);
  const holders = new Set(
    opened_by.flatMap((key) => key.holders.map(({ hostname, account_name }) => `${hostname} ${account_name}`)),
  );
  return {
    explanation: explainAccount(privileges[0], {
      name: account.account_name,
      hostname: account.hostname,
      keys: opened_by.length,
      holders: holders.size,
      isLocked: account.is_locked,
      isManaged: managed.length > 0,
    }),
    privileges: privileges.map((each) => ({
      ...each,
      level: levelOf(each.kind),
      explanation: explainPrivilege(each),
    })),
    opened_by,
    holds,
    managed_by: managed.map(({ id, safe_id, safe_name }) => ({
      id: id as AccountId,
      safe_id: safe_id as SafeId,
      safe_name,
    })),
  };
}

export async function readKeys(call: Call<typeof listDiscoveredKeys>, db: Db) {
  const { search = "", limit } = call.query;
  return { data: await listKeys(db, call.actor, { text: search === "" ? null : search, limit }) };
}

export async function readBlastRadius(call: Call<typeof readBlastRadiusEndpoint>, db: Db) {
  const { direction } = call.query;
  const start = await startOf(call, db);
  const { reached, isComplete } = await searchGraph(db, call.actor, start, direction);
  const nodes = await labelled(db, call.actor, reached);
  const systems = nodes.filter(({ kind }) => kind === "control");
  const controlled = new Set(systems.map(({ target_id }) => target_id));
  // Accounts on systems under full control are counted with their system.
  const others = nodes.filter(
    ({ kind, target_id, distance }) => kind === "account" && distance > 0 && !controlled.has(target_id),
  );
  const accounts = others.length + systems.reduce((sum, { accounts: own }) => sum + (own ?? 0), 0);
  return { nodes, systems: systems.length, accounts, is_complete: isComplete };
}

async function startOf({ query, actor }: Call<typeof readBlastRadiusEndpoint>, db: Db): Promise<Place> {
  const { account, key } = query;
  if ((account === undefined) === (key === undefined)) {
    const msg = "Give either an account or a key";
    throw refuse(400, "request.invalid", `account: ${msg}`, { errors: [{ path: "account", msg }] });
  }
  if (account !== undefined) {
    const found = await readSeenAccount(db, actor, account);
    if (found === null) throw accountNotFound();
    return { kind: "account", target_id: found.target_id, identity: found.identity };
  }
  const [opens, held] = [
    await accountsOfKeys(db, actor, "opens", [key!]),
    await accountsOfKeys(db, actor, "held", [key!]),
  ];
  if (opens.length + held.length === 0) throw keyNotFound();
  return { kind: "key", fingerprint: key! };
}

async function labelled(db: Db, actor: Actor, reached: ReadonlyMap<string, Reached>): Promise<ReachNode[]> {
  const places = [...reached.values()].map(({ place }) => place);
  const targets = [...new Set(places.flatMap((place) => (place.kind === "key" ? [] : [place.target_id])))];
  const systems = new Map((await readSystems(db, actor, targets)).map((each) => [each.id, each]));
  const accounts = places.filter((place) => place.kind === "account");
  const stored = new Map(
    (await accountIds(db, actor, accounts)).map((row) => [idOf({ kind: "account", ...row }), row]),
  );
  const prints = places.flatMap((place) => (place.kind === "key" ? [place.fingerprint] : []));
  const comments = await keyComments(db, actor, prints);
  return [...reached].map(([id, { place, distance, from, reason, needsPassword }]) => {
    const system = place.kind === "key" ? undefined : systems.get(place.target_id);
    const account = stored.get(id);
    return {
      id,
      kind: place.kind,
      label: labelOf(place, comments, account?.account_name),
      hostname: system?.hostname ?? null,
      target_id: place.kind === "key" ? null : (place.target_id as DiscoveryTargetId),
      account_id: (account?.id ?? null) as DiscoveredAccountId | null,
      accounts: place.kind === "control" ? (system?.accounts ?? 0) : null,
      distance,
      from,
      reason,
      needs_password: needsPassword,
    };
  });
}

function labelOf(place: Place, comments: ReadonlyMap<string, string>, name: string | undefined): string {
  if (place.kind === "account") return name ?? place.identity;
  if (place.kind === "key") return comments.get(place.fingerprint) ?? place.fingerprint;
  return place.kind === "control" ? "full control" : "every account";
}
