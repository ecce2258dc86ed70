// Stores the accounts that a scan found: recognises known accounts, and notes changes and disappearances.
import { MAX_LISTED_DEPENDENTS } from "@strongroom/connectors";
import type { ListedAccount, ListedDependent } from "@strongroom/connectors";
import { newId } from "#kernel/id.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { DiscoveryContext } from "../discovery.ts";
import {
  byImportance,
  changesBetween,
  identityOf,
  isSystemAccount,
  statusAfter,
  systemOf,
} from "../discovery.policy.ts";
import type { KnownAccount } from "../discovery.policy.ts";
import type { ScanRow } from "../scans/scans.store.ts";
import type { TargetRow } from "../targets/targets.store.ts";
import { knownAccounts, managedNames, markMissing, saveFound } from "./discovered.store.ts";
import type { FoundAccount } from "./discovered.store.ts";

export interface Recorded {
  stored: number;
  /** Accounts that no earlier scan had found. */
  added: number;
  /** Accounts that earlier scans found and that are gone. */
  missing: number;
  /** False if more accounts exist than the scan stored. */
  isComplete: boolean;
}

interface Findings {
  scan: ScanRow;
  target: TargetRow;
  found: readonly ListedAccount[];
  /** False if the target has more accounts than the list. */
  isAll: boolean;
}

export async function recordFound(
  { kernel }: DiscoveryContext,
  tx: Tx,
  { scan, target, found, isAll }: Findings,
): Promise<Recorded> {
  const at = kernel.clock.now();
  const { target_type: type } = target;
  const known = new Map((await knownAccounts(tx, target.id)).map((each) => [each.identity, each]));
  const wanted = found.filter((each) => known.has(identityOf(type, each.name)) || isWanted(scan, target, each));
  const kept = wanted.toSorted(byImportance).slice(0, scan.max_accounts);
  const rows = await rowsOf(tx, target, known, kept, at);
  await saveFound(tx, { target, scanId: scan.id, at, rows: [...rows.values()] });
  // An account that the system still has is not missing, even if this scan does not store it.
  const present = found.map(({ name }) => identityOf(type, name));
  const missing = isAll ? await markMissing(tx, target.id, present, at) : 0;
  const added = [...rows.keys()].filter((identity) => !known.has(identity)).length;
  return { stored: rows.size, added, missing, isComplete: isAll && kept.length === wanted.length };
}

/** Stores the accounts that no earlier scan had found, and leaves all others as they are. `names` are the stored ones. */
export async function recordNew(
  { kernel }: DiscoveryContext,
  tx: Tx,
  { scan, target, found }: Omit<Findings, "isAll">,
): Promise<Recorded & { names: string[] }> {
  const at = kernel.clock.now();
  const identity = ({ name }: ListedAccount) => identityOf(target.target_type, name);
  const known = new Set((await knownAccounts(tx, target.id)).map((each) => each.identity));
  const added = found.filter((each) => !known.has(identity(each)) && isWanted(scan, target, each));
  const kept = added.toSorted(byImportance).slice(0, scan.max_accounts);
  const rows = await rowsOf(tx, target, new Map(), kept, at);
  await saveFound(tx, { target, scanId: scan.id, at, rows: [...rows.values()] });
  const names = kept.map(({ name }) => name);
  return { stored: rows.size, added: rows.size, missing: 0, isComplete: false, names };
}

const isWanted = (scan: ScanRow, { target_type }: TargetRow, account: ListedAccount): boolean =>
  scan.include_system_accounts || !isSystemAccount(target_type, account);

async function rowsOf(
  tx: Tx,
  target: TargetRow,
  known: ReadonlyMap<string, KnownAccount>,
  found: readonly ListedAccount[],
  at: Date,
): Promise<Map<string, FoundAccount>> {
  const { target_type: type } = target;
  const managed = await managedNames(tx, target.hostname);
  const rows = new Map<string, FoundAccount>();
  for (const each of found) {
    const identity = identityOf(type, each.name);
    const before = known.get(identity);
    const isManaged = managed.has((each.login ?? each.name).toLowerCase());
    const status = before === undefined ? (isManaged ? "active" : "pending_approval") : statusAfter(before, each);
    rows.set(identity, {
      id: newId(at.getTime()),
      identity,
      account_name: each.name.slice(0, 256),
      login_name: each.login?.slice(0, 256) ?? null,
      system_type: systemOf(type),
      status,
      is_privileged: each.isPrivileged,
      is_locked: each.isLocked,
      password_changed_at: each.passwordChangedAt,
      expires_at: each.expiresAt,
      last_login_at: each.lastLoginAt,
      facts: each.facts,
      changes: before === undefined ? [] : changesBetween(before, each),
      dependents: (each.dependents ?? []).slice(0, MAX_LISTED_DEPENDENTS).map(shortened),
    });
  }
  return rows;
}

const LONGEST_TEXT = 500;

const shortened = ({ kind, name, detail }: ListedDependent) => ({
  kind,
  name: name.slice(0, LONGEST_TEXT),
  detail: detail?.slice(0, LONGEST_TEXT) ?? null,
});
