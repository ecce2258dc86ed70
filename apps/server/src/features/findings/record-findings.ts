// Records what a scan found in files, and closes findings that are gone.
import { RISK_BANDS, severityOfRisk } from "@strongroom/contract";
import type { ComplianceFramework, FindingType, ScanConfig } from "@strongroom/contract";
import { createHash } from "node:crypto";
import type { Db, Tx } from "#kernel/db/database.ts";
import { newId } from "#kernel/id.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { TargetRow } from "#features/discovery/index.ts";
import { classAt, dueAfter, dueAt, riskFactors, riskScore, ruleFor, titleOf, withReuse } from "./findings.policy.ts";
import { activeRules, insertChanges } from "./findings.store.ts";
import { accountsWithSecrets, managedFiles } from "./known-secrets.store.ts";
import * as store from "./recorded.store.ts";
import type { NewFinding, Saving } from "./recorded.store.ts";
import { complianceImpact } from "./remediation.policy.ts";

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

interface ScanOfFindings {
  target: Pick<TargetRow, "id">;
  scan: { id: string; config: ScanConfig; requester_id: string; requester_safes: readonly string[] | null };
  types: readonly FindingType[];
}

const LONGEST_TEXT = 500;

/** Records the findings of files in the caller's transaction. */
export async function recordFindings(
  { clock }: Kernel,
  tx: Tx,
  { target, scan, types, files }: ScanOfFindings & { files: readonly ScannedFile[] },
): Promise<{ seen: number; added: number; fixed: number }> {
  const at = clock.now();
  const saving: Saving = { targetId: target.id, scanId: scan.id, at };
  const places = new Map<string, { file: ScannedFile; found: DetectedFinding }>();
  for (const file of files) {
    for (const found of file.found) {
      const identity = identityOf(file.path, found.fingerprint);
      if (types.includes(found.type) && !places.has(identity)) places.set(identity, { file, found });
    }
  }
  const known = places.size === 0 ? [] : await store.knownFindings(tx, target.id, [...places.keys()]);
  const before = new Map(known.map((row) => [row.identity, row]));
  const fingerprints = [...new Set([...places.values()].map(({ found }) => found.fingerprint))];
  const reuse = await store.reuseOf(tx, scan.requester_id, target.id, fingerprints);
  const secretIds = [...places.values()].flatMap(({ found }) => found.knownSecrets);
  const comparer = { id: scan.requester_id, safes: scan.requester_safes };
  const accounts = await accountsWithSecrets(tx, comparer, fingerprints, secretIds);
  const rules = places.size === 0 ? [] : await activeRules(tx, target.id, at);
  const lowestRisk = RISK_BANDS[scan.config.riskThreshold];

  const accountOf = (found: DetectedFinding) =>
    accounts.byId.get(found.knownSecrets[0] ?? "") ?? accounts.byFingerprint.get(found.fingerprint) ?? null;
  const managed = await managedFiles(tx, accounts.ids);
  for (const [identity, { file, found }] of places) {
    // Strongroom keeps this file up to date itself: a later secret in it is not a new finding.
    const account = accountOf(found);
    if (account !== null && !before.has(identity) && managed.has(`${account.id} ${file.path}`)) places.delete(identity);
  }

  const rows = [...places].map(([identity, { file, found }]): NewFinding => {
    const account = accountOf(found);
    const earlier = before.get(identity);
    const username = found.userName ?? account?.username ?? null;
    const kind = account === null ? classAt(found.class, file.path) : "known_secret";
    const factors = riskFactors(
      {
        class: kind,
        path: file.path,
        confidence: found.confidence,
        fileMode: file.mode,
        liveness: earlier?.liveness ?? "unverified",
        username,
        isOfAccount: account !== null,
        targets: 1 + (reuse.get(found.fingerprint) ?? 0),
        modifiedAt: new Date(file.modifiedAt),
      },
      at,
    );
    const score = riskScore(factors);
    const rule = ruleFor(rules, { path: file.path, fingerprint: found.fingerprint, class: kind });
    return {
      id: newId(at.getTime()),
      identity,
      path: file.path,
      fingerprint: found.fingerprint,
      finding_type: found.type,
      class: kind,
      detector: found.detector,
      reason: found.reason,
      confidence: found.confidence,
      status: rule === null ? "new" : "false_positive",
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
      rule_id: rule?.id ?? null,
      due_at:
        (earlier === undefined || earlier.fixed_scan_id !== null
          ? dueAt(score, at)
          : dueAfter(earlier, score)
        )?.toISOString() ?? null,
    };
  });
  await store.saveFindings(tx, saving, rows);
  const reopened = known.filter(({ fixed_scan_id, status }) => fixed_scan_id !== null && status === "remediated");
  await note(
    tx,
    at,
    reopened.map(({ id }) => ({ id, kind: "reopened", from: "remediated", to: "new" })),
  );
  const fixed = await fix(
    tx,
    saving,
    files.filter(({ isPart }) => isPart !== true).map(({ path }) => path),
    types,
  );
  return { seen: rows.length, added: rows.length - known.length, fixed };
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

async function fix(
  tx: Tx,
  saving: Saving,
  paths: readonly string[],
  types: readonly FindingType[] | null,
): Promise<number> {
  const fixed = await store.markFixed(tx, saving, paths, types);
  await note(
    tx,
    saving.at,
    fixed.map(({ id, before }) => ({ id, kind: "fixed", from: before, to: "remediated" })),
  );
  return fixed.length;
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

/** The final figures of a scan. */
export async function totalsOf(
  db: Db,
  scan: { id: string; target_id: string; frameworks: readonly ComplianceFramework[] },
) {
  const { seen, secrets, added, fixed, risk, classes } = await store.totalsOf(db, scan.id, scan.target_id);
  const breaks = (kind: string) => complianceImpact(kind).some(({ framework }) => scan.frameworks.includes(framework));
  const violations = Object.entries(classes).reduce((sum, [kind, count]) => sum + (breaks(kind) ? count : 0), 0);
  return {
    findings_discovered: seen,
    secrets_found: secrets,
    new_findings: added,
    fixed_findings: fixed,
    compliance_violations: violations,
    risk_score: risk ?? 0,
  };
}

/** SCAN-29: the most severe findings of a scan. */
export async function mostSevereOf(db: Db, scanId: string) {
  return (await store.mostSevereOf(db, scanId, 100)).map(({ id, risk_score, ...row }) => ({
    id,
    title: titleOf(row),
    severity: severityOfRisk(risk_score),
    risk_score,
  }));
}
