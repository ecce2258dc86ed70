// The dashboard's refresh interval and default view, stored on the server.
import { NativeSelect, SimpleGrid, Switch } from "@mantine/core";
import type { DashboardPreferences } from "@strongroom/contract";
import { messageOf } from "#shared/api/call-error.ts";
import { SectionSkeleton } from "#shared/ui/section-skeleton.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import { toast } from "#shared/ui/toast.ts";
import { useDashboardPreferences, useSaveDashboardPreferences } from "./preferences.queries.ts";

/** Milliseconds. */
const INTERVALS = [10_000, 30_000, 60_000, 300_000] as const;
const RANGES: readonly { value: DashboardPreferences["defaultTimeRange"]; label: string }[] = [
  { value: "24h", label: "Last 24 hours" },
  { value: "7d", label: "Last 7 days" },
  { value: "30d", label: "Last 30 days" },
];

const intervalLabel = (ms: number): string =>
  ms < 60_000 ? `Every ${ms / 1000} seconds` : ms === 60_000 ? "Every minute" : `Every ${ms / 60_000} minutes`;

/** The offered intervals, plus the stored one when it is not among them. */
const intervalsWith = (stored: number) =>
  [...new Set([...INTERVALS, stored])]
    .sort((a, b) => a - b)
    .map((ms) => ({ value: String(ms), label: intervalLabel(ms) }));

export function DashboardCard() {
  const { data, error, refetch, isFetching } = useDashboardPreferences();
  const save = useSaveDashboardPreferences();
  const change = (part: Partial<DashboardPreferences>) => {
    if (data === undefined) return;
    save.mutate(
      { ...data, ...part },
      {
        onSuccess: () => toast.success("Dashboard preferences saved"),
        onError: (failure) => toast.error(messageOf(failure, "Failed to save dashboard preferences")),
      },
    );
  };

  return (
    <SectionCard title="Dashboard" description="Saved as soon as you change it.">
      {data === undefined && error === null && <SectionSkeleton text="Loading your preferences..." />}
      {data === undefined && error !== null && (
        <ErrorState message={messageOf(error)} onRetry={() => void refetch()} isRetrying={isFetching} />
      )}
      {data !== undefined && (
        <SimpleGrid cols={{ base: 1, xs: 2 }} maw="34rem">
          <Switch
            label="Automatic refresh"
            checked={data.autoRefresh}
            disabled={save.isPending}
            onChange={(event) => change({ autoRefresh: event.currentTarget.checked })}
          />
          <span />
          <NativeSelect
            label="Refresh interval"
            data={intervalsWith(data.refreshInterval)}
            value={String(data.refreshInterval)}
            disabled={save.isPending || !data.autoRefresh}
            onChange={(event) => change({ refreshInterval: Number(event.currentTarget.value) })}
          />
          <NativeSelect
            label="Default time range"
            data={[...RANGES]}
            value={data.defaultTimeRange}
            disabled={save.isPending}
            onChange={(event) =>
              change({ defaultTimeRange: event.currentTarget.value as DashboardPreferences["defaultTimeRange"] })
            }
          />
        </SimpleGrid>
      )}
    </SectionCard>
  );
}
