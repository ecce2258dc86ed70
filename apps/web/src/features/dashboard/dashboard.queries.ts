// Queries of the dashboard and their intervals.
import {
  listAccessRequests,
  listAuditEntries,
  listRecentAccounts,
  readDashboardPreferences,
  readRotationTrend,
  readSetup,
  readValidationDashboard,
  validationHistory,
  validationStatistics,
} from "@strongroom/contract";
import { queryOptions } from "@tanstack/react-query";
import { call } from "#shared/api/call.ts";
import { keyOf, queryOf } from "#shared/api/query.ts";
import { alertsCall, statsCall } from "./dashboard-reading.ts";
import { accountStatistics, verificationFigures } from "./verification-figures.ts";

/** DASH-14. */
const RECENT_VALIDATIONS = 50;

export const dashboardStats = queryOf(statsCall);
export const dashboardAlerts = queryOf(alertsCall);
export const recentVerifications = queryOf(validationHistory, { query: { limit: RECENT_VALIDATIONS } });
export const verificationTrend = queryOf(readValidationDashboard, { query: { range: "7d" } });
export const rotationTrend = queryOf(readRotationTrend);
/** For administrators. */
export const setupSteps = queryOf(readSetup);
export const recentAccounts = queryOf(listRecentAccounts);
/** For users who may read the audit trail. */
export const notableEvents = queryOf(listAuditEntries, { query: { notable: "true", limit: 6 } });
/** Includes the user's own requests, which they cannot decide. */
export const pendingRequests = queryOf(listAccessRequests, { query: { status: "pending" } });
export const ownAccess = queryOf(listAccessRequests, { query: { status: "active", mine: "true", limit: 20 } });
export const ownPending = queryOf(listAccessRequests, { query: { status: "pending", mine: "true", limit: 20 } });
export const dashboardPreferences = queryOf(readDashboardPreferences);

export const figures = queryOptions({
  queryKey: [...keyOf(validationStatistics), "with-fallback"],
  queryFn: ({ signal }) =>
    verificationFigures({
      validation: () => call(validationStatistics, {}, { signal }),
      accounts: () => call(accountStatistics, {}, { signal }),
      signal,
    }),
});
