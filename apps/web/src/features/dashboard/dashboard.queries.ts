// Queries of the dashboard and their intervals.
import { readDashboardPreferences, validationHistory, validationStatistics } from "@strongroom/contract";
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
