// The start page: four figures, critical alerts, and the state of verification (DASH-01 to DASH-14).
import { Stack } from "@mantine/core";
import { IconActivity, IconKey, IconShieldCheck, IconUserShield } from "@tabler/icons-react";
import { FIGURES, type Role } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { paths } from "#shared/paths.ts";
import { messageOf } from "#shared/api/call-error.ts";
import { useNow } from "#shared/format/now.ts";
import { useUser } from "#shared/session/session-store.ts";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { SectionSkeleton } from "#shared/ui/section-skeleton.tsx";
import { StatCard, StatRow } from "#shared/ui/stat-card.tsx";
import { SampleDataNotice } from "#shared/ui/states.tsx";
import { OwnAccessCard, QueueCard } from "./access-cards.tsx";
import { AlertsCard } from "./alerts-card.tsx";
import classes from "./dashboard-page.module.css";
import type { Stats, Alert } from "./dashboard-reading.ts";
import {
  dashboardAlerts,
  dashboardPreferences,
  dashboardStats,
  figures,
  recentVerifications,
} from "./dashboard.queries.ts";
import { NotableEvents } from "./notable-events.tsx";
import { RecentAccounts } from "./recent-accounts.tsx";
import { RecentVerifications } from "./recent-verifications.tsx";
import { SetupCard } from "./setup-card.tsx";
import { TrendsCard } from "./trends-card.tsx";
import { VerificationCard } from "./verification-card.tsx";

/** The list of users that a role may open. */
const USERS_FOR: Record<Role, string | undefined> = {
  admin: paths.admin,
  manager: paths.accessControl,
  user: undefined,
};

const SAMPLE_STATS: Stats = {
  totalCredentials: 12,
  activeSessions: 3,
  privilegedUsers: 8,
  complianceScore: 98,
  complianceFormula: null,
};

/** Live events refresh the affected data immediately; polling covers the rest. */
function useRefreshInterval(): number | false {
  const { data } = useQuery(dashboardPreferences);
  if (data === undefined || !data.autoRefresh) return false;
  return data.refreshInterval;
}

export default function DashboardPage() {
  const { name, role } = useUser();
  const now = useNow();
  const refetchInterval = useRefreshInterval();
  const stats = useQuery({ ...dashboardStats, refetchInterval });
  const alerts = useQuery({ ...dashboardAlerts, refetchInterval });
  const verification = useQuery({ ...figures, refetchInterval });
  const recent = useQuery({ ...recentVerifications, refetchInterval });

  const header = (
    <PageHeader
      title="Dashboard"
      subtitle={`Welcome back, ${name}. Here is the status of your privileged credentials.`}
    />
  );
  if (stats.isPending || alerts.isPending) {
    return (
      <>
        {header}
        <SectionSkeleton text="Securing your dashboard..." />
      </>
    );
  }

  // Samples replace only a failed call, never an empty reply (decisions, rule 3).
  const retry = () => void Promise.all([stats.refetch(), alerts.refetch(), verification.refetch(), recent.refetch()]);
  const notice = (error: Error | null) => (
    <SampleNotice error={error} onRetry={retry} isRetrying={stats.isFetching || alerts.isFetching} />
  );

  return (
    <>
      {header}
      <Stack gap="md">
        {role === "admin" && <SetupCard />}
        {stats.data === undefined && notice(stats.error)}
        <StatCards stats={stats.data ?? SAMPLE_STATS} />
        {alerts.data === undefined && stats.data !== undefined && notice(alerts.error)}
        {role === "user" && (
          <>
            <QueueCard isShownEmpty={false} />
            <div className={classes.halves}>
              <OwnAccessCard />
              <RecentAccounts />
            </div>
          </>
        )}
        <div className={classes.columns}>
          <div className={classes.stack}>
            <AlertsCard alerts={alerts.data ?? sampleAlerts(now)} />
            {role !== "user" && (
              <>
                <QueueCard isShownEmpty />
                <NotableEvents />
              </>
            )}
          </div>
          <div className={classes.stack}>
            {verification.data !== undefined && <VerificationCard figures={verification.data} />}
            <TrendsCard refetchInterval={refetchInterval} />
            {role !== "user" && (
              <>
                <OwnAccessCard isBrief />
                <RecentAccounts />
              </>
            )}
          </div>
        </div>
        <RecentVerifications attempts={recent.data?.data} error={recent.error} onRetry={() => void recent.refetch()} />
      </Stack>
    </>
  );
}

interface SampleNoticeProps {
  error: Error | null;
  onRetry: () => void;
  isRetrying: boolean;
}

/** DASH-07: the notice above the samples of DASH-11 and DASH-12, with the reason for the failure. */
function SampleNotice({ error, onRetry, isRetrying }: SampleNoticeProps) {
  return (
    <div className={classes.sample}>
      <p className={classes.failure} role="alert">
        {messageOf(error, "Error loading dashboard")}
      </p>
      <SampleDataNotice onRetry={onRetry} isRetrying={isRetrying} />
    </div>
  );
}

function StatCards({ stats }: { stats: Stats }) {
  const { role } = useUser();
  const score = stats.complianceScore;
  return (
    <StatRow>
      <StatCard
        label="Total Credentials"
        explanation={FIGURES.secrets}
        value={stats.totalCredentials}
        icon={IconKey}
        to={paths.secretsWith({})}
      />
      <StatCard
        label="Active Sessions"
        explanation={FIGURES.liveSessions}
        value={stats.activeSessions}
        icon={IconActivity}
        to={paths.liveSessions}
      />
      <StatCard
        label="Privileged Users"
        explanation={FIGURES.privilegedUsers}
        value={stats.privilegedUsers}
        icon={IconUserShield}
        to={USERS_FOR[role]}
      />
      <StatCard
        label="Compliance Score"
        value={score === null ? null : `${score.toLocaleString()}%`}
        icon={IconShieldCheck}
        to={paths.secretsWith({ not_compliant: true })}
        explanation={stats.complianceFormula}
      />
    </StatRow>
  );
}

/** `now` in milliseconds since 1970. */
function sampleAlerts(now: number): Alert[] {
  const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000).toISOString();
  return [
    {
      id: "sample-1",
      text: "Sample alert: a credential could not be verified",
      severity: "critical",
      timestamp: minutesAgo(5),
      link: null,
      advice: null,
    },
    {
      id: "sample-2",
      text: "Sample alert: a certificate expires soon",
      severity: "high",
      timestamp: minutesAgo(60),
      link: null,
      advice: null,
    },
  ];
}
