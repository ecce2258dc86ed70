// Collects everything that a report shows, as its user sees it.
import type { RiskAssessment, RiskFactorId, RiskItem, RiskTimeframe } from "@strongroom/contract";
import type { ProvenEntries } from "#features/audit/index.ts";
import { assessRisk, listItems, scopeOfRisk } from "#features/risk/index.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import { Refusal } from "#kernel/http/refuse.ts";
import { completePlan, planFixes } from "./remediation-plan.ts";
import type { RemediationPlan } from "./remediation-plan.ts";
import { readFixDetails } from "./remediation-plan.store.ts";
import { namesOfTargets } from "./reports.store.ts";
import type { ReportRow } from "./reports.store.ts";
import type { ReportContext } from "./reports.ts";

export interface ReportData {
  title: string;
  generated_at: string;
  generated_by: string;
  /** The names of the selected targets that the user can see; null without a selection. */
  targets: string[] | null;
  timeframe: RiskTimeframe;
  includes_remediation: boolean;
  /** Null without any account, target or finding. */
  assessment: RiskAssessment | null;
  /** The first items behind each factor, findings by risk and others by name. */
  items: Partial<Record<RiskFactorId, RiskItem[]>>;
  /** Null when its user does not want it, and without an assessment. */
  remediation: RemediationPlan | null;
  /** Audit entries behind the report; null for users who cannot read the audit trail. */
  evidence: ProvenEntries | null;
}

/** More items are on the page itself. */
export const MOST_ITEMS = 500;
const MOST_PROOFS = 25;

/** The scans and assessments that a report is based on, and its request. */
const EVENTS = ["discovery.scan-completed", "scan.completed", "risk.assessed", "report.requested"];

export async function collectReport(
  { kernel, risk, audit }: ReportContext,
  db: Db,
  actor: Actor,
  report: ReportRow,
  onProgress: (percent: number) => Promise<void>,
): Promise<ReportData> {
  const scope = scopeOfRisk(risk, actor, { targetIds: report.target_ids, timeframe: report.timeframe });
  const assessment = await assessRisk(db, scope);
  await onProgress(20);
  const affected = (assessment?.risk_factors ?? []).filter((factor) => factor.affected > 0);
  const items: ReportData["items"] = {};
  for (const [index, { id }] of affected.entries()) {
    const rows = await listItems(db, scope, id, { after: null, limit: MOST_ITEMS });
    items[id] = rows.map(({ id: itemId, kind, name, place, detail, since }) => ({
      id: itemId,
      kind,
      name,
      place,
      detail,
      since: since?.toISOString() ?? null,
    }));
    await onProgress(20 + Math.round((40 * (index + 1)) / affected.length));
  }
  const remediation =
    report.include_remediation && assessment !== null ? await planRemediation(db, assessment, items) : null;
  const evidence = kernel.authority.allows("audit.read", actor.role)
    ? await proofsOrNull(() => audit.proveEntries(db, { events: EVENTS, since: scope.since, limit: MOST_PROOFS }))
    : null;
  return {
    title: "Risk Assessment",
    generated_at: scope.now.toISOString(),
    generated_by: actor.name,
    targets: scope.targetIds === null ? null : await namesOfTargets(db, actor, scope.targetIds),
    timeframe: report.timeframe,
    includes_remediation: report.include_remediation,
    assessment,
    items,
    remediation,
    evidence,
  };
}

async function planRemediation(
  db: Db,
  assessment: RiskAssessment,
  items: ReportData["items"],
): Promise<RemediationPlan> {
  const plan = planFixes(assessment, items);
  const ids = plan.steps.map(({ item }) => item.id);
  return completePlan(plan, await readFixDetails(db, ids));
}

/** A trail without a valid checkpoint is no reason to withhold the report. The report says that it has no proof. */
async function proofsOrNull(prove: () => Promise<ProvenEntries>): Promise<ProvenEntries | null> {
  try {
    return await prove();
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}
