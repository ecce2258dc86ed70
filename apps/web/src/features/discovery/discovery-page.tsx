// Discovery: systems to scan, the scans, and the accounts that they found (DISC-01 to DISC-10).
import { Button, Stack } from "@mantine/core";
import { IconPlus, IconRadar2, IconRefresh, IconServer2, IconUserSearch } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ComponentType } from "react";
import { useSearchParams } from "react-router";
import { messageOf } from "#shared/api/call-error.ts";
import { choiceOf } from "#shared/format/address.ts";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { PageTabs } from "#shared/ui/page-tabs.tsx";
import { StatCard, StatRow } from "#shared/ui/stat-card.tsx";
import { toast } from "#shared/ui/toast.ts";
import { DiscoveredList } from "./accounts/discovered-list.tsx";
import { isOpen } from "./discovery-labels.ts";
import { refresh, scanList, statistics, targetList } from "./discovery.queries.ts";
import { ScanList } from "./scans/scan-list.tsx";
import { StatisticsTab } from "./statistics-tab.tsx";
import { TargetList } from "./targets/target-list.tsx";
import { CreateTargetDialog } from "./targets/target-dialog.tsx";

const TABS = ["targets", "scans", "accounts", "statistics", "validation"] as const;
type Tab = (typeof TABS)[number];

const LABELS: Record<Tab, string> = {
  targets: "Discovery Targets",
  scans: "Basic Scans",
  accounts: "Discovered Accounts",
  statistics: "Statistics",
  validation: "Validation",
};

/** SCAN-18, SCAN-23, in milliseconds. Live events arrive sooner while the connection lasts (OPEN-113). */
const WHILE_SCANNING_MS = 5_000;
const ON_SCANS_TAB_MS = 10_000;

export interface DiscoveryPageProps {
  /** Whether stored secrets still work (VAL-51). */
  Validation: ComponentType;
}

export function DiscoveryPage({ Validation }: DiscoveryPageProps) {
  const client = useQueryClient();
  const [params, setParams] = useSearchParams();
  const tab = choiceOf(params, "tab", TABS);
  const [isCreating, setIsCreating] = useState(false);
  const [isRefreshing, setIsRefreshing] = useState(false);
  const figures = useQuery(statistics);
  useInfiniteQuery(targetList);
  useInfiniteQuery({
    ...scanList,
    refetchInterval: ({ state }) => {
      const isScanning = state.data?.pages.some(({ data }) => data.some(({ status }) => isOpen(status))) === true;
      return isScanning ? WHILE_SCANNING_MS : tab === "scans" ? ON_SCANS_TAB_MS : false;
    },
  });

  async function reload(): Promise<void> {
    setIsRefreshing(true);
    await refresh(client);
    setIsRefreshing(false);
    const failed = client.getQueryCache().findAll({ queryKey: ["api", "v1", "discovery"], type: "active" });
    const error = failed.find(({ state }) => state.status === "error")?.state.error;
    if (error == null) toast.success("Discovery data refreshed");
    else toast.error(messageOf(error), { title: "Failed to refresh data" });
  }

  const addButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setIsCreating(true)}>
      Add Discovery Target
    </Button>
  );
  const data = figures.data;
  return (
    <>
      <PageHeader
        title="Discovery Scan"
        subtitle="Discover and inventory privileged accounts across your infrastructure"
        actions={
          <>
            <Button
              variant="default"
              leftSection={<IconRefresh size={16} aria-hidden />}
              loading={isRefreshing}
              onClick={() => void reload()}
            >
              Refresh
            </Button>
            {addButton}
          </>
        }
      />
      <Stack gap="md">
        {data !== undefined && (
          <StatRow>
            <StatCard
              label="Active Targets"
              value={data.active_targets}
              line={`of ${data.total_targets.toLocaleString()}`}
              icon={IconServer2}
            />
            <StatCard
              label="Basic Scans"
              value={data.running_scans}
              line={`running, of ${data.total_scans.toLocaleString()} in 30 days`}
              icon={IconRadar2}
            />
            <StatCard
              label="Pending Approval"
              value={data.pending_approval}
              line={`${data.approved_accounts.toLocaleString()} approved`}
              icon={IconUserSearch}
            />
          </StatRow>
        )}
        <PageTabs<Tab>
          label="Discovery"
          tabs={TABS.map((value) => ({
            value,
            label: LABELS[value],
            count: value === "accounts" ? data?.pending_approval : undefined,
          }))}
          value={tab}
          onChange={(next) => setParams(next === TABS[0] ? {} : { tab: next })}
        >
          {tab === "targets" && <TargetList addButton={addButton} />}
          {tab === "scans" && <ScanList />}
          {tab === "accounts" && <DiscoveredList />}
          {tab === "statistics" && <StatisticsTab />}
          {tab === "validation" && <Validation />}
        </PageTabs>
      </Stack>
      <CreateTargetDialog opened={isCreating} onClose={() => setIsCreating(false)} />
    </>
  );
}
