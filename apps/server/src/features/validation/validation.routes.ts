// Binds the Validation Dashboard endpoints to their handlers.
import {
  exportValidationJson,
  exportValidationReport,
  listJitSessions,
  listValidationAttempts,
  listValidationFailures,
  readJitSession,
  readSystemHealth as systemHealthEndpoint,
  readValidationDashboard,
  readValidationFilters,
  searchValidation,
  triggerValidation,
  validationHistory,
  validationStatistics,
  validationStatus,
} from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import { implementDownload } from "#kernel/http/stream.ts";
import { exportJson, exportReport } from "./figures/export-report.ts";
import { listAttempts, readHistory } from "./history/list-attempts.ts";
import { listFailures, listActiveAccess, readActiveAccess } from "./history/list-failures.ts";
import { readDashboard, readStatistics, readStatus, readSystemHealth } from "./figures/read-dashboard.ts";
import { filterOptions, search } from "./search/search-secrets.ts";
import { trigger } from "./trigger/trigger-validation.ts";
import type { ValidationContext } from "./validation.ts";

export function bindValidation(context: ValidationContext): void {
  const { kernel } = context;
  implement(kernel, readValidationDashboard, (call, db) => readDashboard(context, call, db));
  implement(kernel, systemHealthEndpoint, (call, db) => readSystemHealth(context, call, db));
  implement(kernel, validationStatistics, (call, db) => readStatistics(context, call, db));
  implement(kernel, validationStatus, (call, db) => readStatus(context, call, db));
  implement(kernel, listValidationAttempts, (call, db) => listAttempts(context, call, db));
  implement(kernel, validationHistory, (call, db) => readHistory(context, call, db));
  implement(kernel, listValidationFailures, (call, db) => listFailures(context, call, db));
  implement(kernel, listJitSessions, (call, db) => listActiveAccess(context, call, db));
  implement(kernel, readJitSession, (call, db) => readActiveAccess(context, call, db));
  implement(kernel, searchValidation, (call, db) => search(context, call, db));
  implement(kernel, readValidationFilters, async () => filterOptions());
  implement(kernel, triggerValidation, (call, tx) => trigger(context, call, tx));
  implementDownload(kernel, exportValidationReport, (call, db) => exportReport(context, call, db));
  implementDownload(kernel, exportValidationJson, (call, db) => exportJson(context, call, db));
}
