// The Validation Dashboard: figures, attempts, failures, JIT sessions, audit trail and search (VAL-01 to VAL-09).
import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import type { ReplyOf, RunId, readValidationDashboard } from "@strongroom/contract";
import { choiceOf, withParam } from "#shared/format/address.ts";
import { VerificationRunCard } from "#shared/runs/verification-run-card.tsx";
import { PageTabs } from "#shared/ui/page-tabs.tsx";
import { AccountsTab } from "./accounts/accounts-tab.tsx";
import { AuditTab } from "./audit/audit-tab.tsx";
import { JitTab } from "./jit/jit-tab.tsx";
import { OverviewTab } from "./overview/overview-tab.tsx";
import { QuietBanner } from "./settings/quiet-banner.tsx";
import { SearchTab } from "./search/search-tab.tsx";
import { SummaryCards } from "./overview/summary-cards.tsx";
import { useReport } from "./report/use-report.ts";
import { useValidationFeed } from "./overview/use-validation-feed.ts";
import { DASHBOARD_TABS, rangeOf, type DashboardTab } from "./validation-address.ts";
import { ValidationHeader } from "./validation-header.tsx";
import { dashboardOf, dashboardPreferences } from "./validation.queries.ts";

const LABELS: Record<DashboardTab, string> = {
  overview: "Overview",
  accounts: "Account Validation",
  jit: "JIT Sessions",
  audit: "Audit Trail",
  search: "Advanced Search",
};

/** VAL-09: red, and hidden at zero. */
const badge = (count: number | undefined) => ({ count: count === 0 ? undefined : count, isAlarming: true });

export default function ValidationDashboardPage() {
  const [params, setParams] = useSearchParams();
  const { data: preferences } = useQuery(dashboardPreferences);
  const range = rangeOf(params, "range", preferences?.defaultTimeRange ?? "24h");
  // VAL-48: the default interval until the preferences are loaded.
  const refetchInterval = preferences?.autoRefresh === false ? false : (preferences?.refreshInterval ?? 30_000);
  const dashboard = useQuery({ ...dashboardOf(range), refetchInterval });
  const feed = useValidationFeed();
  const report = useReport(range);
  const [runId, setRunId] = useState<RunId | null>(null);
  const tab = choiceOf(params, "tab", DASHBOARD_TABS);
  const open = (next: DashboardTab) =>
    setParams((before) => {
      const address = new URLSearchParams();
      const kept = before.get("range");
      if (kept !== null) address.set("range", kept);
      return withParam(address, "tab", next === "overview" ? "" : next);
    });

  const badges = badgesOf(dashboard.data);
  return (
    <>
      <ValidationHeader
        range={range}
        latest={feed[0]}
        dashboard={dashboard}
        report={report}
        preferences={preferences}
      />
      <Stack gap="md" mb="md">
        {dashboard.error !== null && (
          <QuietBanner
            text="The figures could not be loaded."
            error={dashboard.error}
            onRetry={() => void dashboard.refetch()}
            isRetrying={dashboard.isFetching}
          />
        )}
        {report.error !== null && (
          <QuietBanner text="The report could not be exported." error={report.error} onDismiss={report.forget} />
        )}
        {runId !== null && <VerificationRunCard id={runId} onDismiss={() => setRunId(null)} />}
        <SummaryCards figures={dashboard.data} />
      </Stack>
      <PageTabs
        label="Validation"
        value={tab}
        onChange={open}
        tabs={DASHBOARD_TABS.map((value) => ({ value, label: LABELS[value], ...badges[value] }))}
      >
        {tab === "overview" && (
          <OverviewTab dashboard={dashboard} feed={feed} range={range} preferences={preferences} />
        )}
        {tab === "accounts" && <AccountsTab range={range} report={report} onRun={setRunId} />}
        {tab === "jit" && <JitTab />}
        {tab === "audit" && <AuditTab />}
        {tab === "search" && <SearchTab />}
      </PageTabs>
    </>
  );
}

function badgesOf(figures: ReplyOf<typeof readValidationDashboard> | undefined) {
  const none = badge(undefined);
  return {
    overview: none,
    accounts: badge(figures?.validation_statistics.failed),
    jit: badge(figures?.jit_health.sessions_with_validation_issues),
    audit: none,
    search: none,
  };
}
