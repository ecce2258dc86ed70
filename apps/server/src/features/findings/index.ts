// Findings: secrets that enhanced scans found outside every safe.
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { closeFixed } from "./close-fixed.ts";
import { endReviewedRules } from "./finding-rules.ts";
import type { FindingsContext } from "./findings.ts";
import { bindFindings } from "./findings.routes.ts";
import { fingerprintUnder, indexSecrets, keysForScan } from "./known-secrets.ts";
import type { ScanKeys } from "./known-secrets.ts";
import type { Comparer } from "./known-secrets.store.ts";
import { markGone, recordFindings, rescoreReused, seeAgain } from "./record-findings.ts";
import { placesOf } from "./recorded.store.ts";
import { mostSevereOf, totalsFor, totalsOf } from "./scan-totals.ts";
import { vaultNew } from "./vault-findings.ts";
import type { AutoVaulting } from "./vault-findings.ts";

export interface FindingsFeature {
  /** The keys under which scans hash secrets, and the secrets that the scans of this requester look for. */
  keysForScan(requester: Comparer): Promise<ScanKeys>;
  /** The places of findings on the target that are still there and begin with a text, such as a slash for files. */
  placesOf(db: Db, targetId: string, beginning: string): Promise<string[]>;
  fingerprintUnder(key: string, value: string): string;
  record(tx: Tx, of: Parameters<typeof recordFindings>[2]): ReturnType<typeof recordFindings>;
  seeAgain(tx: Tx, of: Parameters<typeof seeAgain>[2], paths: readonly string[]): Promise<void>;
  markGone(tx: Tx, of: Parameters<typeof markGone>[2], paths: readonly string[]): Promise<void>;
  /** Call it at the end of a scan: the score of a finding contains on how many targets its secret is. */
  rescoreReused: typeof rescoreReused;
  totalsOf: typeof totalsOf;
  totalsFor: typeof totalsFor;
  mostSevereOf: typeof mostSevereOf;
  /** Stores the secrets of a scan's new findings in the target's safe. Returns how many. */
  vaultNew(of: AutoVaulting, signal: AbortSignal): Promise<number>;
}

export function installFindings(kernel: Kernel, parts: Omit<FindingsContext, "kernel">): FindingsFeature {
  const context: FindingsContext = { kernel, ...parts };
  bindFindings(context);
  context.rotation.onDependentUpdated((tx, updated) => closeFixed(context, tx, updated));
  kernel.jobs.define("findings.index-secrets", { schedule: "*/5 * * * *", policy: "exclusive" }, async () => {
    if (!kernel.keys.isSealed) await indexSecrets(kernel);
  });
  kernel.jobs.define("findings.end-rules", { schedule: "7 * * * *", policy: "exclusive" }, () =>
    endReviewedRules(context),
  );
  return {
    keysForScan: (requester) => keysForScan(kernel, requester),
    placesOf,
    fingerprintUnder,
    record: (tx, of) => recordFindings(kernel, tx, of),
    seeAgain: (tx, of, paths) => seeAgain(kernel, tx, of, paths),
    markGone: (tx, of, paths) => markGone(kernel, tx, of, paths),
    rescoreReused,
    totalsOf,
    totalsFor,
    mostSevereOf,
    vaultNew: (of, signal) => vaultNew(context, of, signal),
  };
}

export { settingName, textOfDefinition, textOfSettings, textOfTable } from "./database-texts.ts";
export type { DatabaseText } from "./database-texts.ts";
export { DEEPEST_SEARCH } from "./secret-of-finding.ts";
export { COLUMN_DETECTOR, DATABASE_PLACES, titleOf as findingTitle } from "./findings.policy.ts";
export type { DetectedFinding, ScannedFile } from "./match-rows.policy.ts";
export type { MatchTotals } from "./scan-totals.ts";
export { isShownTo as isFindingShownTo } from "./visible-findings.store.ts";
export { complianceImpact, remediationSteps } from "./remediation.policy.ts";
