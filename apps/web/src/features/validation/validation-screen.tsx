// A summary of validation: its status, statistics, latest attempts and current failures (VAL-51, API-95).
import { Select, Stack } from "@mantine/core";
import { IconActivity, IconPercentage, IconShieldCheck, IconShieldX } from "@tabler/icons-react";
import {
  ALERT_SEVERITIES,
  FIGURES,
  type ReplyOf,
  type RunId,
  type validationStatistics,
  type validationStatus,
} from "@strongroom/contract";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { withParam } from "#shared/format/address.ts";
import { VerificationRunCard } from "#shared/runs/verification-run-card.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { StatCard, StatRow } from "#shared/ui/stat-card.tsx";
import classes from "./accounts/accounts-tab.module.css";
import { AttemptRows } from "./accounts/attempt-rows.tsx";
import { BulkValidateButton } from "./bulk/bulk-validate-button.tsx";
import { hasCritical } from "./accounts/critical-failures.ts";
import { FailureRows } from "./accounts/failure-rows.tsx";
import { countText, percent, severityChoices, toneOfRate } from "./figures.ts";
import { QuietBanner } from "./settings/quiet-banner.tsx";
import { useBulkValidation } from "./bulk/use-bulk-validation.ts";
import { tableFilterOf } from "./validation-address.ts";
import { attemptList, failureList, statisticsNow, statusNow } from "./validation.queries.ts";

/** The same interval as the Validation Dashboard (VAL-48). */
const REFRESHED_MS = 30_000;
const POLLED = { isBackground: true };

export function ValidationScreen() {
  const [runId, setRunId] = useState<RunId | null>(null);
  return (
    <Stack gap="md">
      {runId !== null && <VerificationRunCard id={runId} onDismiss={() => setRunId(null)} />}
      <Standing />
      <div className={classes.two}>
        <History />
        <Failures onRun={setRunId} />
      </div>
    </Stack>
  );
}

function Standing() {
  const status = useQuery({ ...statusNow, refetchInterval: REFRESHED_MS });
  const statistics = useQuery({ ...statisticsNow, refetchInterval: REFRESHED_MS });
  const failed = [status, statistics].find(({ error }) => error !== null);
  const { data: figures } = statistics;
  const rate = figures === undefined || figures.last_24h_attempts === 0 ? null : figures.success_rate;
  return (
    <>
      {failed !== undefined && (
        <QuietBanner
          text="The figures could not be loaded."
          error={failed.error}
          onRetry={() => void Promise.all([status.refetch(), statistics.refetch()])}
          isRetrying={status.isFetching || statistics.isFetching}
        />
      )}
      <StatRow>
        <StatCard
          label="Validation"
          value={status.data === undefined ? null : status.data.status === "running" ? "Running" : "Idle"}
          line={status.data && lineOf(status.data)}
          icon={IconActivity}
        />
        <StatCard
          label="Verified"
          explanation={FIGURES.verified}
          value={figures?.verified}
          line={figures && `of ${figures.total_accounts.toLocaleString()}`}
          icon={IconShieldCheck}
        />
        <StatCard
          label="Failed"
          explanation={FIGURES.failed}
          value={figures?.failed}
          line={figures && failureLine(figures)}
          icon={IconShieldX}
        />
        <StatCard
          label="Success Rate, 24 Hours"
          explanation={FIGURES.successRate}
          value={percent(rate)}
          tone={toneOfRate(rate)}
          icon={IconPercentage}
        />
      </StatRow>
    </>
  );
}

const failureLine = ({ rejected, failed }: ReplyOf<typeof validationStatistics>): string =>
  `${rejected.toLocaleString()} rejected, ${(failed - rejected).toLocaleString()} not checked`;

function lineOf({ status, under_way, last_attempt_at: last }: ReplyOf<typeof validationStatus>) {
  if (status === "running") return `${under_way.toLocaleString()} under way`;
  if (last === null) return "No attempts yet";
  return (
    <>
      Last attempt: <RelativeTime moment={last} />
    </>
  );
}

/** API-95: the latest 50. */
function History() {
  const history = useInfiniteQuery({ ...attemptList({ range: "30d" }, POLLED), refetchInterval: REFRESHED_MS });
  return (
    <SectionCard title="History" description="The latest 50 attempts in the last 30 days">
      <Loaded query={history}>{({ pages: [latest] }) => <AttemptRows attempts={latest?.attempts ?? []} />}</Loaded>
    </SectionCard>
  );
}

function Failures({ onRun }: { onRun: (id: RunId) => void }) {
  const [params, setParams] = useSearchParams();
  const { severity } = tableFilterOf(params);
  const failures = useInfiniteQuery({ ...failureList({ severity }, POLLED), refetchInterval: REFRESHED_MS });
  const bulk = useBulkValidation(onRun);
  const first = failures.data?.pages[0];
  return (
    <SectionCard
      title="Failures"
      description={first === undefined ? "Current failures" : `${countText(first.total)} failing now`}
      actions={
        <BulkValidateButton
          isDisabled={first === undefined || !hasCritical(first.by_severity) || bulk.isRunning}
          onConfirm={bulk.start}
        />
      }
    >
      <Select
        aria-label="Severity"
        mb="sm"
        data={severityChoices(ALERT_SEVERITIES)}
        value={severity ?? ""}
        onChange={(value) => setParams((before) => withParam(before, "severity", value ?? ""), { replace: true })}
        allowDeselect={false}
      />
      <Loaded query={failures}>
        {({ pages }) => <FailureRows failures={pages.flatMap((page) => page.failures)} />}
      </Loaded>
      <LoadMore of={failures} />
    </SectionCard>
  );
}
