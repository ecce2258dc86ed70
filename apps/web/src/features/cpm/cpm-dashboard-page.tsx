// The credential manager's dashboard: its health, activity, and credentials that need attention (CPM-01 to CPM-19).
import { Button, Stack } from "@mantine/core";
import { IconPlayerPlay, IconRefresh } from "@tabler/icons-react";
import type { CpmStatus, RunId } from "@strongroom/contract";
import { useQuery, useQueryClient, mutationOptions, type QueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { useNow } from "#shared/format/now.ts";
import { duration } from "#shared/format/time.ts";
import { VerificationRunCard } from "#shared/runs/verification-run-card.tsx";
import { Facts } from "#shared/ui/facts.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { toast } from "#shared/ui/toast.ts";
import { AttentionCard } from "./attention-card.tsx";
import { CpmTiles } from "./cpm-tiles.tsx";
import { listAttention, readCpmStatus, runCpmVerification } from "@strongroom/contract";
import { call } from "#shared/api/call.ts";
import { invalidatePath, queryOf } from "#shared/api/query.ts";
import classes from "./cpm-dashboard-page.module.css";

/** CPM-13. */
const POLL_MS = 30_000;

/** CPM-14. */
const REFETCH_AFTER_RUN_MS = 2_000;

const cpmStatus = { ...queryOf(readCpmStatus), refetchInterval: POLL_MS };

const attention = { ...queryOf(listAttention), refetchInterval: POLL_MS };

const starting = mutationOptions({ mutationFn: () => call(runCpmVerification) });

const MINUTE_MS = 60_000;

const loadFailure = (error: unknown): string => `Failed to load CPM dashboard data: ${messageOf(error)}`;

/** CPM-16. A repeated failure of the polling reuses the same toast. */
function useLoadFailureToast(error: unknown): void {
  useEffect(() => {
    if (error !== null) toast.error(loadFailure(error), { id: "cpm-load-failure" });
  }, [error]);
}

/** Starts a run and reloads shortly afterwards (CPM-14). */
function useRun() {
  const client = useQueryClient();
  const [runId, setRunId] = useState<RunId | null>(null);
  const { mutate, isPending } = useMutation(starting);
  useEffect(() => {
    if (runId === null) return undefined;
    const timer = setTimeout(() => void refreshCpm(client), REFETCH_AFTER_RUN_MS);
    return () => clearTimeout(timer);
  }, [client, runId]);
  const run = () =>
    mutate(undefined, {
      onSuccess: (started) => {
        toast.success("Global verification process initiated");
        setRunId(started.run_id);
      },
      onError: (error) => toast.error(`Failed to trigger verification: ${messageOf(error)}`),
    });
  return { runId, run, isStarting: isPending };
}

export default function CpmDashboardPage() {
  const status = useQuery(cpmStatus);
  const needing = useQuery(attention);
  const { runId, run, isStarting } = useRun();
  const [isRefreshing, setIsRefreshing] = useState(false);
  const error = status.error ?? needing.error;
  useLoadFailureToast(error);

  async function refresh(): Promise<void> {
    setIsRefreshing(true);
    const results = await Promise.all([status.refetch(), needing.refetch()]);
    setIsRefreshing(false);
    if (results.every((result) => result.isSuccess)) toast.success("Dashboard refreshed");
  }

  return (
    <>
      <PageHeader
        title="CPM Dashboard"
        subtitle="Credential Protection Management System Status"
        actions={
          <>
            <Button
              variant="default"
              leftSection={<IconRefresh size={16} aria-hidden />}
              onClick={() => void refresh()}
              loading={isRefreshing}
            >
              Refresh
            </Button>
            <Button leftSection={<IconPlayerPlay size={16} aria-hidden />} onClick={run} loading={isStarting}>
              Run Verification
            </Button>
          </>
        }
      />
      <Stack gap="md">
        {runId !== null && <VerificationRunCard id={runId} />}
        <Loaded query={status} failureText={failureOf(status.error)}>
          {(read) => <CpmTiles status={read} />}
        </Loaded>
        <div className={classes.columns}>
          {needing.data === undefined && status.data === undefined ? null : (
            <Loaded query={needing} failureText={failureOf(needing.error)}>
              {({ credentials, total }) => <AttentionCard items={credentials} total={total} />}
            </Loaded>
          )}
          {status.data !== undefined && <SystemInformation status={status.data} />}
        </div>
      </Stack>
    </>
  );
}

const failureOf = (error: unknown): string | undefined => (error === null ? undefined : loadFailure(error));

/** CPM-05. */
function SystemInformation({ status }: { status: CpmStatus }) {
  const now = useNow();
  return (
    <SectionCard title="System Information">
      <Facts
        facts={[
          { name: "Active Jobs", value: status.activeJobs.toLocaleString() },
          { name: "System Uptime", value: duration(status.systemUptime) },
          { name: "Last Run", value: <RelativeTime moment={status.lastVerificationRun} /> },
          { name: "Next Scheduled", value: nextRunLabel(status.nextScheduledRun, now) ?? "Not scheduled" },
        ]}
      />
    </SectionCard>
  );
}

/**
 * "Starting soon" under 1 minute, "In 12m", "In 3h 5m"; null when no run is scheduled. Times in milliseconds since
 * 1970.
 */
export function nextRunLabel(nextRun: string | null, now: number): string | null {
  if (nextRun === null) return null;
  const minutes = Math.floor((new Date(nextRun).getTime() - now) / MINUTE_MS);
  if (minutes < 1) return "Starting soon";
  if (minutes < 60) return `In ${minutes}m`;
  return `In ${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

/** Reloads the status and the attention list. */
const refreshCpm = (client: QueryClient): Promise<void> => invalidatePath(client, "/api/v1/cpm");
