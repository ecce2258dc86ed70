// Server state of the Validation Dashboard.
import {
  exportValidationJson,
  exportValidationReport,
  listJitSessions,
  listValidationAttempts,
  listValidationFailures,
  readDashboardPreferences,
  readNotificationPreferences,
  readSystemHealth,
  readValidationDashboard,
  readValidationFilters,
  searchValidation,
  triggerValidation,
  updateDashboardPreferences,
  validateAccount,
  validationStatistics,
  validationStatus,
  verifyCredential,
  AccountId,
  CredentialId,
  type AttemptSort,
  type AttemptStatusFilter,
  type DashboardPreferences,
  type FailingStatus,
  type Severity,
  type SystemFamily,
  type ValidationFilter,
  type ValidationRange,
  REPORT_FIELDS,
} from "@strongroom/contract";
import { infiniteQueryOptions, mutationOptions, type QueryClient } from "@tanstack/react-query";
import { call, download } from "#shared/api/call.ts";
import { callForQuery, invalidatePath, keyOf, queryOf, type QuerySettings } from "#shared/api/query.ts";
import { saveFile } from "#shared/ui/save-file.ts";
import { criticalFailures } from "./accounts/critical-failures.ts";

const DAY_MS = 86_400_000;

const DAYS: Record<ValidationRange, number> = { "24h": 1, "7d": 7, "30d": 30 };

const PATH = "/api/v1/validation";
const PAGE_SIZE = 50;
/** VAL-58. */
const POLLED_ATTEMPTS = 10;

export const dashboardOf = (range: ValidationRange) => queryOf(readValidationDashboard, { query: { range } });
export const systemHealth = (range: ValidationRange) => queryOf(readSystemHealth, { query: { range } });
export const statusNow = queryOf(validationStatus, {}, { isBackground: true });
export const statisticsNow = queryOf(validationStatistics, {}, { isBackground: true });
export const filterChoices = queryOf(readValidationFilters);
export const dashboardPreferences = queryOf(readDashboardPreferences);
export const notificationPreferences = queryOf(readNotificationPreferences);

interface Page {
  next_cursor: string | null;
}
const paged = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page: Page) => page.next_cursor ?? undefined,
};

interface Narrowing {
  search?: string | undefined;
  system?: SystemFamily | undefined;
}

export interface AttemptFilter extends Narrowing {
  status?: AttemptStatusFilter | undefined;
  sort?: AttemptSort | undefined;
  range: ValidationRange;
}

export const attemptList = (filter: AttemptFilter, about?: QuerySettings) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(listValidationAttempts).slice(0, -1), "pages", filter],
    queryFn: ({ pageParam: cursor, signal }) =>
      callForQuery(listValidationAttempts, { query: { ...filter, limit: PAGE_SIZE, cursor } }, signal, about),
    ...paged,
  });

/** VAL-58. A background call, since the user did not request it. */
export const recentAttempts = () =>
  call(listValidationAttempts, { query: { limit: POLLED_ATTEMPTS } }, { isBackground: true });

export interface FailureFilter extends Narrowing {
  severity?: Severity | undefined;
  status?: FailingStatus | undefined;
}

export const failureList = (filter: FailureFilter, about?: QuerySettings) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(listValidationFailures).slice(0, -1), "pages", filter],
    queryFn: ({ pageParam: cursor, signal }) =>
      callForQuery(listValidationFailures, { query: { ...filter, limit: PAGE_SIZE, cursor } }, signal, about),
    ...paged,
  });

export const jitSessions = infiniteQueryOptions({
  queryKey: [...keyOf(listJitSessions).slice(0, -1), "pages"],
  queryFn: ({ pageParam: cursor, signal }) =>
    callForQuery(listJitSessions, { query: { limit: PAGE_SIZE, cursor } }, signal),
  ...paged,
});

export const searchResults = (filter: ValidationFilter) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(searchValidation).slice(0, -1), "pages", filter],
    queryFn: ({ pageParam: cursor, signal }) =>
      callForQuery(searchValidation, { body: { filter, limit: PAGE_SIZE, cursor } }, signal),
    ...paged,
  });

/** Reloads everything on the dashboard. */
export const refreshValidation = (client: QueryClient): Promise<void> => invalidatePath(client, PATH);

/** VAL-73, OPEN-125: validates every high or critical failure again. */
export const bulkValidation = (client: QueryClient) =>
  mutationOptions({
    mutationFn: async () => {
      const accountIds = await criticalFailures((severity, cursor) =>
        call(listValidationFailures, { query: { severity, limit: 200, cursor } }),
      );
      return call(triggerValidation, { body: { accountIds, force: true } });
    },
    onSettled: () => refreshValidation(client),
  });

/** The secret to validate. */
export interface Validated {
  account_id: string;
  is_account: boolean;
  account_name: string;
}

/** OPEN-128. Resolves to whether the secret works. */
export async function validate({ account_id: id, is_account: isAccount }: Validated): Promise<boolean> {
  if (isAccount) return (await call(validateAccount, { params: { id: AccountId.parse(id) } })).success;
  return (await call(verifyCredential, { params: { id: CredentialId.parse(id) } })).success;
}

export type ReportFormat = "xlsx" | "json";

/** VAL-70, VAL-71. */
export const reportDownload = (range: ValidationRange) =>
  mutationOptions({
    mutationFn: async (format: ReportFormat) => {
      const now = new Date();
      const body = reportRequest(range, now);
      const content =
        format === "xlsx"
          ? await download(exportValidationReport, { body: { format, ...body } })
          : await download(exportValidationJson, { body });
      saveFile(reportFileName(range, now, format), content);
    },
  });

export const savingPreferences = (client: QueryClient) =>
  mutationOptions({
    mutationFn: (body: DashboardPreferences) => call(updateDashboardPreferences, { body }),
    onSuccess: (stored: DashboardPreferences) => client.setQueryData(dashboardPreferences.queryKey, stored),
  });

/** The range ends now. */
export const reportRequest = (range: ValidationRange, now: Date) => ({
  date_range: {
    start: new Date(now.getTime() - DAYS[range] * DAY_MS).toISOString(),
    end: now.toISOString(),
  },
  include_fields: [...REPORT_FIELDS],
});

/** `validation-dashboard-7d-2026-01-31.xlsx`; the date is UTC, as in the report. */
export const reportFileName = (range: ValidationRange, now: Date, format: "xlsx" | "json"): string =>
  `validation-dashboard-${range}-${now.toISOString().slice(0, 10)}.${format}`;
