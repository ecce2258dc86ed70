// The final figures of a scan, for users who may retrieve the matched accounts and for others.
import { severityOfRisk } from "@strongroom/contract";
import type { ComplianceFramework } from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import { titleOf } from "./findings.policy.ts";
import { complianceImpact } from "./remediation.policy.ts";
import * as store from "./scan-totals.store.ts";
import type { MatchOfScan } from "./scan-totals.store.ts";
import { retrievableAmong } from "./visible-findings.store.ts";

/** Findings of a scan that are shown to the same users. */
export interface MatchTotals {
  /** The account of the matches. Null for findings that matches replace: they are in the scan's totals. */
  account: string | null;
  /** Users who may retrieve one of these accounts do not see them. */
  hidden_from: string[];
  seen: number;
  /** Secrets of matches without a finding that other users see, or the reverse. */
  secrets: number;
  added: number;
  fixed: number;
  violations: number;
  risk: number;
}

export interface ScanTotals {
  findings_discovered: number;
  secrets_found: number;
  new_findings: number;
  fixed_findings: number;
  compliance_violations: number;
  risk_score: number;
}

/** INVARIANT: the totals do not depend on stored secrets. `matches` is what `totalsFor` adds for users with the right. */
export async function totalsOf(
  db: Db,
  scan: { id: string; target_id: string; frameworks: readonly ComplianceFramework[] },
): Promise<{ totals: ScanTotals; matches: MatchTotals[] }> {
  const [plain, found] = [
    await store.plainTotalsOf(db, scan.id, scan.target_id),
    await store.matchesOf(db, scan.id, scan.target_id),
  ];
  const breaks = (kind: string) => complianceImpact(kind).some(({ framework }) => scan.frameworks.includes(framework));
  const violations = Object.entries(plain.classes).reduce((sum, [kind, count]) => sum + (breaks(kind) ? count : 0), 0);
  const totals = {
    findings_discovered: plain.seen,
    secrets_found: plain.secrets,
    new_findings: plain.added,
    fixed_findings: plain.fixed,
    compliance_violations: violations,
    risk_score: plain.risk ?? 0,
  };
  return { totals, matches: groupsOf(found, breaks) };
}

function groupsOf(found: readonly MatchOfScan[], breaks: (kind: string) => boolean): MatchTotals[] {
  const seen = found.filter(({ is_seen }) => is_seen);
  const secretsOf = (rows: readonly MatchOfScan[]) => new Set(rows.flatMap(({ fingerprint }) => fingerprint ?? []));
  const replaced = secretsOf(seen.filter(({ account }) => account === null));
  const matched = secretsOf(seen.filter(({ account }) => account !== null));
  const groups = Map.groupBy(found, ({ account, hidden }) => `${account ?? ""} ${(hidden ?? []).join()}`);
  return [...groups.values()].map((rows): MatchTotals => {
    const { account, hidden } = rows[0]!;
    const shown = rows.filter(({ is_seen }) => is_seen);
    const open = shown.filter(({ is_open }) => is_open);
    return {
      account,
      hidden_from: hidden ?? [],
      seen: shown.length,
      secrets: [...secretsOf(shown)].filter((secret) => !(account === null ? matched : replaced).has(secret)).length,
      added: shown.filter(({ is_added }) => is_added).length,
      fixed: rows.length - shown.length,
      violations: open.filter((row) => breaks(row.class)).length,
      risk: Math.max(0, ...open.map(({ risk }) => risk)),
    };
  });
}

interface ScanWithTotals extends ScanTotals {
  matches: readonly MatchTotals[];
}

/** Returns the scans with the totals of what this user sees. */
export async function totalsFor<S extends ScanWithTotals>(db: Db, actor: Actor, scans: readonly S[]): Promise<S[]> {
  const ids = scans.flatMap(({ matches }) => matches.flatMap((each) => [each.account ?? [], each.hidden_from].flat()));
  const mine = await retrievableAmong(db, actor, [...new Set(ids)]);
  return scans.map((scan) => scan.matches.reduce((sum, each) => withMatches(sum, each, mine), scan));
}

function withMatches<S extends ScanTotals>(sum: S, of: MatchTotals, mine: ReadonlySet<string>): S {
  const isHidden = of.hidden_from.some((id) => mine.has(id));
  // Findings that matches replace are in the totals, and matches are not.
  const sign = of.account === null ? (isHidden ? -1 : 0) : !isHidden && mine.has(of.account) ? 1 : 0;
  return {
    ...sum,
    findings_discovered: sum.findings_discovered + sign * of.seen,
    secrets_found: sum.secrets_found + sign * of.secrets,
    new_findings: sum.new_findings + sign * of.added,
    fixed_findings: sum.fixed_findings + sign * of.fixed,
    compliance_violations: sum.compliance_violations + sign * of.violations,
    risk_score: sign === 1 ? Math.max(sum.risk_score, of.risk) : sum.risk_score,
  };
}

/** SCAN-29: the most severe findings of a scan that this user can see. */
export async function mostSevereOf(db: Db, actor: Actor, scanId: string) {
  return (await store.mostSevereOf(db, actor, scanId, 100)).map(({ id, risk_score, ...row }) => ({
    id,
    title: titleOf(row),
    severity: severityOfRisk(risk_score),
    risk_score,
  }));
}
