// Decides which rows a scan stores for what it found: a finding without stored secrets for all users, and a match for each
// account with the secret, which is shown to users who may retrieve it.
import type { FindingType } from "@strongroom/contract";

/** One finding of the detectors. INVARIANT: no field contains the secret. */
export interface DetectedFinding {
  type: FindingType;
  class: string;
  detector: string;
  reason: string;
  confidence: number;
  line: number;
  keyName: string | null;
  userName: string | null;
  host: string | null;
  port: number | null;
  preview: string;
  /** The keyed hash of the secret. */
  fingerprint: string;
  knownSecrets: readonly string[];
  /** The accounts whose secrets replace this finding. */
  hiddenFrom?: readonly string[];
  context: readonly { line: number; text: string }[];
}

export interface ScannedFile {
  path: string;
  size: number;
  stamp: string;
  modifiedAt: string;
  mode: string;
  owner: string;
  group: string;
  found: readonly DetectedFinding[];
  /** Only a part was read: findings that were not seen stay open. */
  isPart?: boolean;
}

/** The class of a secret that belongs to a stored account. */
export const KNOWN_SECRET = "known_secret";

/** More accounts with one secret are not told apart. */
const MOST_ACCOUNTS = 20;
/** An index contains these ids. */
const MOST_HIDDEN_FROM = 100;

export interface MatchedAccount {
  id: string;
  username: string | null;
}

export interface PlacedFinding {
  file: ScannedFile;
  found: DetectedFinding;
  /** Of the finding without stored secrets. */
  identity: string;
}

/** A row that an earlier scan stored. */
export interface EarlierRow {
  id: string;
  identity: string;
  path: string;
  match_account_id: string | null;
  account_id: string | null;
  hidden_from: readonly string[] | null;
  fixed_scan_id: string | null;
}

export interface PlannedRow extends PlacedFinding {
  /** Of the row. */
  rowIdentity: string;
  /** The account with the secret, on a match and on a finding that vaulting linked to this account. */
  account: MatchedAccount | null;
  isMatch: boolean;
  hiddenFrom: readonly string[] | null;
}

export interface Matching<E extends EarlierRow> {
  /** All rows of these findings, and all matches in these files, by identity. */
  earlier: ReadonlyMap<string, E>;
  /** The accounts that this scan compares, by id. */
  comparedById: ReadonlyMap<string, MatchedAccount>;
  comparedByFingerprint: ReadonlyMap<string, readonly MatchedAccount[]>;
  /** The files that Strongroom keeps up to date, as `account path`. */
  managed: ReadonlySet<string>;
}

/** Base64url has no plus sign. */
export const matchIdentity = (identity: string, accountId: string): string => `${identity}+${accountId}`;
export const identityOfMatch = (identity: string): string => identity.slice(0, identity.indexOf("+"));

class SetsByKey extends Map<string, Set<string>> {
  of(key: string): Set<string> {
    const known = this.get(key) ?? new Set();
    this.set(key, known);
    return known;
  }
}

/**
 * INVARIANT: whether a user sees a row, and what is in it, depends only on accounts that the user may retrieve. So there is a
 * match for every account with the secret, and of several matches a user sees the first.
 *
 * `kept` are matches with accounts that this scan does not compare, in places in which it found the secret again.
 */
export function planRows<E extends EarlierRow>(placed: readonly PlacedFinding[], matching: Matching<E>) {
  const { earlier, comparedById, comparedByFingerprint, managed } = matching;
  const rows = new Map<string, Omit<PlannedRow, "hiddenFrom">>();
  const [matched, hidden] = [new SetsByKey(), new SetsByKey()];
  const linked = new Set<string>();
  const isKnown = ({ found }: PlacedFinding) => found.class === KNOWN_SECRET;
  const knownIn = new SetsByKey();
  for (const { file, found } of placed.filter(isKnown))
    for (const id of found.knownSecrets) knownIn.of(file.path).add(id);
  const add = (each: PlacedFinding, rowIdentity: string, account: MatchedAccount | null, isMatch: boolean) => {
    if (!rows.has(rowIdentity)) rows.set(rowIdentity, { ...each, rowIdentity, account, isMatch });
  };

  for (const each of [...placed.filter(isKnown), ...placed.filter((other) => !isKnown(other))]) {
    const { identity, file, found } = each;
    const accounts = isKnown(each)
      ? found.knownSecrets.flatMap((id) => comparedById.get(id) ?? [])
      : (comparedByFingerprint.get(found.fingerprint) ?? []);
    const own = earlier.get(identity)?.account_id ?? null;
    const account = accounts.find(({ id }) => id === own);
    if (account !== undefined) {
      // Vaulting stored this secret from here, as all users see. There is nothing to hide.
      linked.add(identity);
      add(each, identity, account, false);
      continue;
    }
    for (const match of accounts.toSorted(byId).slice(0, MOST_ACCOUNTS)) {
      const rowIdentity = matchIdentity(identity, match.id);
      // Strongroom keeps this file up to date itself: a later secret in it is not a new finding.
      const isOwn = !earlier.has(rowIdentity) && managed.has(`${match.id} ${file.path}`);
      if (!isOwn) add(each, rowIdentity, match, true);
      (isOwn ? hidden : matched).of(identity).add(match.id);
    }
    if (isKnown(each)) continue;
    // A match of a type that the scan leaves out replaces nothing.
    for (const id of found.hiddenFrom ?? [])
      if (comparedById.has(id) && knownIn.of(file.path).has(id)) hidden.of(identity).add(id);
    add(each, identity, null, false);
  }

  const parts = new Set(placed.filter(({ file }) => file.isPart === true).map(({ file }) => file.path));
  const kept = [...earlier.values()].filter(
    ({ identity, path, match_account_id: id, fixed_scan_id }) =>
      id !== null &&
      fixed_scan_id === null &&
      !rows.has(identity) &&
      (!comparedById.has(id) || parts.has(path)) &&
      rows.has(identityOfMatch(identity)),
  );
  const keptIn = new SetsByKey();
  for (const { identity, path, match_account_id } of kept) {
    matched.of(identityOfMatch(identity)).add(match_account_id!);
    keptIn.of(path).add(match_account_id!);
  }
  const before = (identity: string, id: string) => listed([...matched.of(identity)].filter((other) => other < id));
  const of = ({ identity, file }: PlacedFinding) => {
    if (linked.has(identity)) return null;
    const still = (earlier.get(identity)?.hidden_from ?? []).filter((id) => keptIn.of(file.path).has(id));
    return listed([...matched.of(identity), ...hidden.of(identity), ...still]);
  };
  return {
    rows: [...rows.values()].map((row): PlannedRow => ({
      ...row,
      hiddenFrom: row.isMatch ? before(row.identity, row.account!.id) : of(row),
    })),
    kept: kept.map(({ id, identity, match_account_id }) => ({
      id,
      hidden_from: before(identityOfMatch(identity), match_account_id!),
    })),
  };
}

const byId = (one: MatchedAccount, other: MatchedAccount): number => (one.id < other.id ? -1 : 1);

const listed = (ids: readonly string[]): string[] | null =>
  ids.length === 0 ? null : [...new Set(ids)].toSorted().slice(0, MOST_HIDDEN_FROM);
