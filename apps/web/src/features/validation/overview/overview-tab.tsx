// The overview: health, trend, distribution, JIT sessions, systems, latest events and failures (VAL-10, VAL-12).
import { Anchor } from "@mantine/core";
import { IconAlertOctagon, IconCalendarStats, IconClockHour4, IconPercentage } from "@tabler/icons-react";
import {
  FIGURES,
  type DashboardPreferences,
  type ReplyOf,
  type ValidationRange,
  type readValidationDashboard,
} from "@strongroom/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { paths } from "#shared/paths.ts";
import { counted } from "#shared/format/text.ts";
import { Loaded } from "#shared/ui/loaded.tsx";
import { SectionSkeleton } from "#shared/ui/section-skeleton.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { StatCard, StatRow } from "#shared/ui/stat-card.tsx";
import type { Tone } from "#shared/ui/tone.ts";
import { utcDay } from "#shared/format/time.ts";
import { verificationLabel } from "#shared/ui/verification-badge.tsx";
import { ChartCard } from "./chart-card.tsx";
import { FailureRows } from "../accounts/failure-rows.tsx";
import { FeedCard } from "./feed-card.tsx";
import { FIRST } from "./first-few.tsx";
import { measuredTime, percent, toneOfCritical, toneOfRate } from "../figures.ts";
import type { FeedEvent } from "./live-feed.ts";
import classes from "./overview-tab.module.css";
import { isShown } from "../settings/settings-values.ts";
import { SystemHealthMatrix } from "./system-health-matrix.tsx";
import { failureList } from "../validation.queries.ts";

const NOTHING = "No attempts";

type Figures = ReplyOf<typeof readValidationDashboard>;

export interface OverviewTabProps {
  dashboard: { data: Figures | undefined; isPending: boolean };
  feed: readonly FeedEvent[];
  range: ValidationRange;
  preferences: DashboardPreferences | undefined;
}

export function OverviewTab({ dashboard, feed, range, preferences }: OverviewTabProps) {
  const shows = isShown(preferences?.visibleWidgets ?? []);
  const { data: figures } = dashboard;
  // The banner above shows the reason.
  if (figures === undefined)
    return dashboard.isPending ? <SectionSkeleton text="Loading validation figures..." /> : null;
  return (
    <div className={classes.grid}>
      {shows("health") && (
        <div className={classes.wide}>
          <HealthCards figures={figures} />
        </div>
      )}
      {shows("trend") && <Trend figures={figures} />}
      {shows("distribution") && <Distribution figures={figures} />}
      {shows("systems") && <SystemHealthMatrix range={range} />}
      {shows("jit") && <JitHealth figures={figures} />}
      {shows("failures") && <LatestFailures />}
      {shows("events") && <FeedCard feed={feed} />}
    </div>
  );
}

function HealthCards({ figures: { validation_statistics: read } }: { figures: Figures }) {
  const tried = counted(read.last_24h_attempts, "attempt");
  return (
    <StatRow>
      <StatCard
        label="Last 24 Hours"
        value={read.last_24h_successes}
        line={`of ${tried} succeeded`}
        icon={IconPercentage}
      />
      <StatCard
        label="Critical Failures"
        explanation={FIGURES.criticalFailures}
        value={read.critical_failures}
        tone={toneOfCritical(read.critical_failures)}
        icon={IconAlertOctagon}
      />
      <StatCard
        label="Average Validation Time"
        value={measuredTime(read.average_validation_time)}
        icon={IconClockHour4}
      />
      <StatCard
        label="Daily Validations"
        value={read.daily_validations.toLocaleString(undefined, { maximumFractionDigits: 1 })}
        line="per day"
        icon={IconCalendarStats}
      />
    </StatRow>
  );
}

function Trend({ figures }: { figures: Figures }) {
  const days = figures.validation_statistics.weekly_trend.map((point) => ({
    ...point,
    day: utcDay(point.date),
  }));
  return (
    <ChartCard
      title="Validation Trend"
      description="Attempts per day (UTC). Not checked: unreachable or misconfigured."
      load="trend"
      data={days.map(({ day, successes, failures, rejections }) => ({
        label: day,
        Succeeded: successes,
        Rejected: rejections,
        "Not checked": failures - rejections,
      }))}
      columns={["Day", "Succeeded", "Rejected", "Not checked", "Success rate"]}
      rows={days.map(({ day, successes, failures, rejections, success_rate: rate }) => [
        day,
        successes.toLocaleString(),
        rejections.toLocaleString(),
        (failures - rejections).toLocaleString(),
        percent(rate) ?? "–",
      ])}
      isEmpty={days.every(({ attempts }) => attempts === 0)}
      emptyText="No validations in this period."
    />
  );
}

function Distribution({ figures: { status_distribution: parts, validation_statistics: all } }: { figures: Figures }) {
  return (
    <ChartCard
      title="Status Distribution"
      description={counted(all.total_accounts, "account")}
      load="distribution"
      data={parts.map(({ status, count }) => ({ label: verificationLabel(status), status, count }))}
      columns={["Status", "Accounts"]}
      rows={parts.map(({ status, count }) => [verificationLabel(status), count.toLocaleString()])}
      isEmpty={all.total_accounts === 0}
      emptyText="No accounts yet."
    />
  );
}

/** VAL-42. */
function JitHealth({ figures: { jit_health: read } }: { figures: Figures }) {
  const rate = read.jit_validation_success_rate;
  const alarm = (count: number) => (count > 0 ? ("danger" as const) : undefined);
  const { sessions_with_validation_issues: issues, expiring_sessions_with_failures: ending } = read;
  const facts: readonly { name: string; value: string; tone: Tone | undefined }[] = [
    { name: "Active sessions", value: read.active_sessions.toLocaleString(), tone: undefined },
    { name: "Sessions with issues", value: issues.toLocaleString(), tone: alarm(issues) },
    { name: "Ending soon and failing", value: ending.toLocaleString(), tone: alarm(ending) },
    { name: "Success rate", value: percent(rate) ?? NOTHING, tone: toneOfRate(rate) },
    {
      name: "Average validation time",
      value: measuredTime(read.average_jit_validation_time) ?? NOTHING,
      tone: undefined,
    },
  ];
  return (
    <SectionCard
      title="JIT Account Health"
      actions={
        <Anchor component={Link} to={paths.validationAt("jit")} fz="sm">
          All sessions
        </Anchor>
      }
    >
      <dl className={classes.facts}>
        {facts.map(({ name, value, tone }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className={classes.figure} style={tone === undefined ? undefined : { color: `var(--tone-${tone}-fg)` }}>
              {value}
            </dd>
          </div>
        ))}
      </dl>
    </SectionCard>
  );
}

function LatestFailures() {
  const list = useInfiniteQuery(failureList({}));
  return (
    <SectionCard
      title="Latest Failures"
      actions={
        <Anchor component={Link} to={paths.validationAt("accounts", "failures")} fz="sm">
          All failures
        </Anchor>
      }
    >
      <Loaded query={list}>
        {({ pages }) => <FailureRows failures={pages.flatMap((page) => page.failures).slice(0, FIRST)} isBrief />}
      </Loaded>
    </SectionCard>
  );
}
