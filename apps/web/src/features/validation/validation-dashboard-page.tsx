// The Validation Dashboard: figures, attempts, failures, JIT sessions, audit trail and search (VAL-01 to VAL-09).
import { Stack, Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams, Link } from "react-router";
import { FIGURES, type ReplyOf, type RunId, type readValidationDashboard } from "@strongroom/contract";
import { choiceOf, withParam } from "#shared/format/address.ts";
import { VerificationRunCard } from "#shared/runs/verification-run-card.tsx";
import { PageTabs } from "#shared/ui/page-tabs.tsx";
import { AccountsTab } from "./accounts/accounts-tab.tsx";
import { JitTab } from "./jit/jit-tab.tsx";
import { OverviewTab } from "./overview/overview-tab.tsx";
import { QuietBanner } from "./settings/quiet-banner.tsx";
import { SearchTab } from "./search/search-tab.tsx";
import { useReport } from "./report/use-report.ts";
import { useValidationFeed } from "./overview/use-validation-feed.ts";
import { DASHBOARD_TABS, rangeOf, type DashboardTab } from "./validation-address.ts";
import { ValidationHeader } from "./validation-header.tsx";
import { IconLock, IconAlertOctagon, IconClockBolt, IconPercentage, IconUserShield } from "@tabler/icons-react";
import { paths } from "#shared/paths.ts";
import { AuditExplorer } from "#shared/audit/audit-explorer.tsx";
import { useUser } from "#shared/session/session-store.ts";
import { EmptyState } from "#shared/ui/states.tsx";
import classes from "./validation-dashboard.module.css";
import { StatCard, StatRow } from "#shared/ui/stat-card.tsx";
import { percent, toneOfCritical, toneOfRate } from "./figures.ts";
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

function AuditTab() {
  const { role } = useUser();
  if (role === "user") {
    return (
      <EmptyState
        icon={IconLock}
        title="Only managers and administrators can read the whole audit trail."
        text="Open one of your accounts or credentials to see its history."
      />
    );
  }
  return (
    <>
      <div className={classes.all}>
        <Button component={Link} to={paths.auditLogs} variant="default" size="compact-md">
          Open Audit Logs
        </Button>
      </div>
      <AuditExplorer title="Enhanced Audit Trail" scope="verification" />
    </>
  );
}

function SummaryCards({ figures }: { figures: ReplyOf<typeof readValidationDashboard> | undefined }) {
  const statistics = figures?.validation_statistics;
  return (
    <StatRow>
      <StatCard
        label="Total Accounts"
        explanation={FIGURES.secrets}
        value={statistics?.total_accounts}
        icon={IconUserShield}
      />
      <StatCard
        label="Success Rate"
        explanation={FIGURES.successRate}
        value={percent(statistics?.success_rate ?? null)}
        tone={toneOfRate(statistics?.success_rate ?? null)}
        icon={IconPercentage}
      />
      <StatCard
        label="Active JIT Sessions"
        explanation={FIGURES.activeGrants}
        value={figures?.jit_health.active_sessions}
        icon={IconClockBolt}
      />
      <StatCard
        label="Critical Issues"
        explanation={FIGURES.criticalFailures}
        value={statistics?.critical_failures}
        tone={statistics === undefined ? undefined : toneOfCritical(statistics.critical_failures)}
        icon={IconAlertOctagon}
      />
    </StatRow>
  );
}
