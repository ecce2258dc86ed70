// Binds the calls of the Validation Dashboard to their use cases.
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
import { exportJson, exportReport } from "./export-report.ts";
import { listAttempts, readHistory } from "./list-attempts.ts";
import { listFailures, listLent, readLent } from "./list-failures.ts";
import { readDashboard, readStatistics, readStatus, readSystemHealth } from "./read-dashboard.ts";
import { filterOptions, search } from "./search-secrets.ts";
import { trigger } from "./trigger-validation.ts";
import type { Site } from "./validation.ts";

export function bindValidation(site: Site): void {
  const { kernel } = site;
  implement(kernel, readValidationDashboard, (call, db) => readDashboard(site, call, db));
  implement(kernel, systemHealthEndpoint, (call, db) => readSystemHealth(site, call, db));
  implement(kernel, validationStatistics, (call, db) => readStatistics(site, call, db));
  implement(kernel, validationStatus, (call, db) => readStatus(site, call, db));
  implement(kernel, listValidationAttempts, (call, db) => listAttempts(site, call, db));
  implement(kernel, validationHistory, (call, db) => readHistory(site, call, db));
  implement(kernel, listValidationFailures, (call, db) => listFailures(site, call, db));
  implement(kernel, listJitSessions, (call, db) => listLent(site, call, db));
  implement(kernel, readJitSession, (call, db) => readLent(site, call, db));
  implement(kernel, searchValidation, (call, db) => search(site, call, db));
  implement(kernel, readValidationFilters, async () => filterOptions());
  implement(kernel, triggerValidation, (call, tx) => trigger(site, call, tx));
  implementDownload(kernel, exportValidationReport, (call, db) => exportReport(site, call, db));
  implementDownload(kernel, exportValidationJson, (call, db) => exportJson(site, call, db));
}
