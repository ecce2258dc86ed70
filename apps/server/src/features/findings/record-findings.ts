// Records what a scan found in files, and closes findings that are gone.
import { RISK_BANDS } from "@strongroom/contract";
import type { FindingType, ScanConfig } from "@strongroom/contract";
import { createHash } from "node:crypto";
import type { Tx } from "#kernel/db/database.ts";
import { newId } from "#kernel/id.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { TargetRow } from "#features/discovery/index.ts";
import { classAt, dueAfter, dueAt, riskFactors, riskScore, ruleFor, withReuse } from "./findings.policy.ts";
import { activeRules } from "./finding-rules.store.ts";
import { insertChanges, readChanges } from "./findings.store.ts";
import { accountsWithSecrets, managedFiles } from "./known-secrets.store.ts";
import { KNOWN_SECRET, planRows } from "./match-rows.policy.ts";
import type { PlannedRow, ScannedFile } from "./match-rows.policy.ts";
import * as store from "./recorded.store.ts";
import type { NewFinding, Saving } from "./recorded.store.ts";

interface ScanOfFindings {
  target: Pick<TargetRow, "id">;
  scan: { id: string; config: ScanConfig; requester_id: string; requester_safes: readonly string[] | null };
  types: readonly FindingType[];
}

const LONGEST_TEXT = 500;

interface Recorded {
  /** Of the findings that do not depend on stored secrets. */
  seen: number;
  added: number;
  fixed: number;
  hasNew: boolean;
}

/** Records the findings of files in the caller's transaction. */
export async function recordFindings(
  { clock }: Kernel,
  tx: Tx,
  { target, scan, types, files }: ScanOfFindings & { files: readonly ScannedFile[] },
): Promise<Recorded> {
  const at = clock.now();
  const saving: Saving = { targetId: target.id, scanId: scan.id, at };
  const placed = files.flatMap((file) =>
    file.found
      .filter(({ type }) => types.includes(type))
      .map((found) => ({ file, found, identity: identityOf(file.path, found.fingerprint) })),
  );
  const identities = [...new Set(placed.map(({ identity }) => identity))];
  const paths = files.map(({ path }) => path);
  const known = await store.knownFindings(tx, target.id, { identities, paths });
  const earlier = new Map(known.map((row) => [row.identity, row]));
  const fingerprints = [...new Set(placed.map(({ found }) => found.fingerprint))];
  const secretIds = [
    ...placed.flatMap(({ found }) => [...found.knownSecrets, ...(found.hiddenFrom ?? [])]),
    ...known.flatMap(({ match_account_id: id }) => id ?? []),
  ];
  const comparer = { id: scan.requester_id, safes: scan.requester_safes };
  const compared = await accountsWithSecrets(tx, comparer, fingerprints, secretIds);
  const { rows: planned, kept } = planRows(placed, {
    earlier,
    comparedById: compared.byId,
    comparedByFingerprint: compared.byFingerprint,
    managed: await managedFiles(tx, compared.ids),
  });
  const reuse = await store.reuseOf(tx, scan.requester_id, target.id, planned.map(secretOf));
  const rules = planned.length === 0 ? [] : await activeRules(tx, target.id, at);
  const lowestRisk = RISK_BANDS[scan.config.riskThreshold];

  const continued: { from: string; to: string }[] = [];
  const rows = planned.map((plan): NewFinding => {
    const { file, found, account, isMatch, rowIdentity, hiddenFrom } = plan;
    const before = earlier.get(rowIdentity);
    // A match of an earlier finding keeps its status, assignee and history.
    const beside = isMatch && before === undefined ? earlier.get(plan.identity) : undefined;
    const begun = beside?.fixed_scan_id === null ? beside : undefined;
    const username = found.userName ?? account?.username ?? null;
    const kind = account === null ? classAt(found.class, file.path) : KNOWN_SECRET;
    const factors = riskFactors(
      {
        class: kind,
        path: file.path,
        confidence: found.confidence,
        fileMode: file.mode,
        liveness: before?.liveness ?? "unverified",
        username,
        isOfAccount: account !== null,
        targets: 1 + reuse(secretOf(plan)),
        modifiedAt: new Date(file.modifiedAt),
      },
      at,
    );
    const score = riskScore(factors);
    const rule = ruleFor(rules, { path: file.path, fingerprint: found.fingerprint, class: kind });
    const id = newId(at.getTime());
    if (begun !== undefined) continued.push({ from: begun.id, to: id });
    const dated = before?.fixed_scan_id === null ? before : begun;
    return {
      id,
      identity: rowIdentity,
      path: file.path,
      fingerprint: found.fingerprint,
      finding_type: found.type,
      class: kind,
      detector: found.detector,
      reason: found.reason,
      confidence: found.confidence,
      status: rule !== null ? "false_positive" : begun?.rule_id === null ? begun.status : "new",
      risk_score: score,
      risk_factors: factors,
      is_below_threshold: score < lowestRisk,
      line: found.line,
      key_name: found.keyName?.slice(0, LONGEST_TEXT) ?? null,
      // INVARIANT: the user name of the account is not stored, because users who cannot see the account see the finding.
      username: found.userName?.slice(0, LONGEST_TEXT) ?? null,
      host: found.host?.slice(0, LONGEST_TEXT) ?? null,
      port: found.port,
      preview: found.preview.slice(0, LONGEST_TEXT),
      context: found.context.slice(0, 10),
      file_owner: file.owner,
      file_group: file.group,
      file_mode: file.mode,
      file_modified_at: storableTime(file.modifiedAt),
      account_id: account?.id ?? null,
      match_account_id: isMatch ? account!.id : null,
      hidden_from: hiddenFrom === null ? null : [...hiddenFrom],
      rule_id: rule?.id ?? null,
      assignee_id: begun?.assignee_id ?? null,
      due_at: (dated === undefined ? dueAt(score, at) : dueAfter(dated, score))?.toISOString() ?? null,
      first_scan_id: begun?.first_scan_id ?? scan.id,
      created_at: (begun?.created_at ?? at).toISOString(),
    };
  });
  await store.saveFindings(tx, saving, rows);
  await store.keepMatches(tx, saving, kept);
  await copyChanges(tx, continued);
  const saved = new Set(rows.map(({ identity }) => identity));
  const reopened = known.filter(
    ({ fixed_scan_id, status, identity }) => fixed_scan_id !== null && status === "remediated" && saved.has(identity),
  );
  await note(
    tx,
    at,
    reopened.map(({ id }) => ({ id, kind: "reopened", from: "remediated", to: "new" })),
  );
  const read = files.filter(({ isPart }) => isPart !== true).map(({ path }) => path);
  const fixed = await fix(tx, saving, read, { types, compared: compared.ids });
  const plain = rows.filter(({ match_account_id }) => match_account_id === null);
  const isNew = ({ identity }: NewFinding) => !earlier.has(identity);
  return { seen: plain.length, added: plain.filter(isNew).length, fixed, hasNew: rows.some(isNew) };
}

const secretOf = ({ found, account, isMatch }: PlannedRow) => ({
  fingerprint: found.fingerprint,
  accountId: isMatch ? account!.id : null,
});

const MOST_COPIED = 200;

/** INVARIANT: copies users' decisions only, from findings that do not depend on a stored secret. */
async function copyChanges(tx: Tx, continued: readonly { from: string; to: string }[]): Promise<void> {
  for (const { from, to } of continued) {
    const changes = (await readChanges(tx, from, MOST_COPIED)).filter(
      ({ kind }) => kind !== "vaulted" && kind !== "verified",
    );
    await insertChanges(
      tx,
      changes.map((change) => ({ ...change, id: newId(change.at.getTime()), finding_id: to })),
    );
  }
}

/** Users of a host and authors of commits choose any time, also one that PostgreSQL cannot read. */
const storableTime = (text: string): string => (/^\d{4}-/.test(text) && !text.startsWith("0000") ? text : EPOCH);
const EPOCH = new Date(0).toISOString();

/** A finding keeps its identity when its secret moves within the file or gets another class. */
const identityOf = (path: string, fingerprint: string): string =>
  createHash("sha256").update(`${path}\0${fingerprint}`).digest("base64url");

/** Findings in files that did not change since an earlier scan. */
export async function seeAgain(
  { clock }: Kernel,
  tx: Tx,
  { target, scan, types }: ScanOfFindings,
  paths: readonly string[],
): Promise<void> {
  const saving = { targetId: target.id, scanId: scan.id, at: clock.now() };
  if (paths.length === 0) return;
  await store.seeAgain(tx, saving, paths, { types, lowestRisk: RISK_BANDS[scan.config.riskThreshold] });
}

/** Closes all findings in files that no longer exist. */
export async function markGone(
  { clock }: Kernel,
  tx: Tx,
  { target, scan }: Pick<ScanOfFindings, "target" | "scan">,
  paths: readonly string[],
): Promise<void> {
  await fix(tx, { targetId: target.id, scanId: scan.id, at: clock.now() }, paths, null);
}

/** Returns how many of the fixed findings do not depend on stored secrets. Null closes all findings of the files. */
async function fix(
  tx: Tx,
  saving: Saving,
  paths: readonly string[],
  found: Parameters<typeof store.markFixed>[3],
): Promise<number> {
  const fixed = await store.markFixed(tx, saving, paths, found);
  await note(
    tx,
    saving.at,
    fixed.map(({ id, before }) => ({ id, kind: "fixed", from: before, to: "remediated" })),
  );
  return fixed.filter(({ is_match }) => !is_match).length;
}

interface Noted {
  id: string;
  kind: "reopened" | "fixed";
  from: string;
  to: string;
}

async function note(tx: Tx, at: Date, rows: readonly Noted[]): Promise<void> {
  await insertChanges(
    tx,
    rows.map(({ id, kind, from, to }) => ({
      id: newId(at.getTime()),
      finding_id: id,
      at,
      by_name: "Strongroom",
      kind,
      from_value: from,
      to_value: to,
      reason: null,
    })),
  );
}

/** Counts again on how many targets the secrets of this scan are, because a finding is older than later ones elsewhere. */
export async function rescoreReused(
  tx: Tx,
  scan: { id: string; target_id: string; requester_id: string },
): Promise<void> {
  const rows = await store.lockReused(tx, scan.requester_id, scan);
  const rescored = rows.flatMap((row) => {
    const risk_factors = withReuse(row.class, row.risk_factors, row.targets);
    const risk_score = riskScore(risk_factors);
    if (risk_score === row.risk_score) return [];
    const is_below_threshold = risk_score < RISK_BANDS[row.threshold];
    return [{ id: row.id, risk_score, risk_factors, due_at: dueAfter(row, risk_score), is_below_threshold }];
  });
  await store.saveScores(tx, rescored);
}
