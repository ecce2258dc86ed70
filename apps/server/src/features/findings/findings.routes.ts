// Routes of findings.
import * as contract from "@strongroom/contract";
import { implement, implementInSteps } from "#kernel/http/implement.ts";
import { implementDownload } from "#kernel/http/stream.ts";
import { assign, changeStatus, changeStatuses, comment } from "./change-findings.ts";
import { exportFindings } from "./export-findings.ts";
import { createRule, deleteRule, listRules } from "./finding-rules.ts";
import type { FindingsContext } from "./findings.ts";
import { listFindings, readFinding, readStatistics } from "./list-findings.ts";
import { undoVaulting, vaultFindings } from "./vault-findings.ts";
import { verifyFinding } from "./verify-finding.ts";

export function bindFindings(context: FindingsContext): void {
  const { kernel } = context;
  implement(kernel, contract.listFindings, (call, db) => listFindings(context, call, db));
  implement(kernel, contract.readFinding, (call, db) => readFinding(context, call, db));
  implement(kernel, contract.changeFindingStatus, (call, tx) => changeStatus(context, call, tx));
  implement(kernel, contract.changeFindingStatuses, (call, tx) => changeStatuses(context, call, tx));
  implement(kernel, contract.assignFinding, (call, tx) => assign(context, call, tx));
  implement(kernel, contract.commentOnFinding, (call, tx) => comment(context, call, tx));
  implement(kernel, contract.listFindingRules, listRules);
  implement(kernel, contract.createFindingRule, (call, tx) => createRule(context, call, tx));
  implement(kernel, contract.deleteFindingRule, (call, tx) => deleteRule(context, call, tx));
  implement(kernel, contract.findingStatistics, (call, db) => readStatistics(context, call, db));
  implementInSteps(kernel, contract.verifyFinding, (call) => verifyFinding(context, call));
  implementInSteps(kernel, contract.vaultFindings, (call) => vaultFindings(context, call));
  implement(kernel, contract.undoVaulting, (call, tx) => undoVaulting(context, call, tx));
  implementDownload(kernel, contract.exportFindings, (call, db) => exportFindings(context, call, db));
}
