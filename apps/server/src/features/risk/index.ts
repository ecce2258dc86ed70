// Risk: assesses what could go wrong from the facts in the database, and keeps a score for each day.
import {
  generateRiskAssessment,
  listRiskItems,
  previewRiskScore,
  readComplianceStatus,
  readRiskAssessment,
  readRiskTrend,
} from "@strongroom/contract";
import type { UserId } from "@strongroom/contract";
import { absentActor } from "#kernel/authz/actor.ts";
import { implement } from "#kernel/http/implement.ts";
import {
  assessRisk,
  generateAssessment,
  listFactorItems,
  previewScore,
  readAssessment,
  readCompliance,
  readTrend,
  recordScore,
  scopeOfRisk,
} from "./risk.ts";
import type { RiskContext } from "./risk.ts";
import { rolePermissions } from "./risk.policy.ts";

/** Sees every safe, like an administrator without a token. It makes no call. */
const INSTALLATION = absentActor({
  id: "00000000-0000-0000-0000-000000000000" as UserId,
  email: "",
  name: "risk",
  role: "admin",
});

export function installRisk(context: RiskContext): void {
  const { kernel } = context;
  kernel.authority.grant(rolePermissions);
  implement(kernel, readRiskAssessment, (call, db) => readAssessment(context, call, db));
  implement(kernel, generateRiskAssessment, (call, tx) => generateAssessment(context, call, tx));
  implement(kernel, listRiskItems, (call, db) => listFactorItems(context, call, db));
  implement(kernel, previewRiskScore, (call, db) => previewScore(context, call, db));
  implement(kernel, readComplianceStatus, (call, db) => readCompliance(context, call, db));
  implement(kernel, readRiskTrend, (call, db) => readTrend(context, call, db));
  kernel.jobs.define("risk.snapshot", { schedule: "50 23 * * *", policy: "exclusive" }, async () => {
    const scope = scopeOfRisk(context, INSTALLATION, { targetIds: [], timeframe: "30d" });
    const assessment = await assessRisk(kernel.database.db, scope);
    if (assessment !== null) await kernel.database.transaction((tx) => recordScore(tx, scope, assessment));
  });
}

export { assessRisk, scopeOfRisk } from "./risk.ts";
export type { RiskContext } from "./risk.ts";
export { listItems } from "./risk.store.ts";
export { factorsOf, scoreOf, unroundedRisk } from "./risk.policy.ts";
export { sentenceOf } from "./controls.ts";
