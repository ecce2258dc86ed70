// Discovery: systems to scan, the scans, and the accounts that they found (DISC-01 to DISC-10).
import { Button, Stack } from "@mantine/core";
import { IconPlus, IconRadar2, IconRefresh, IconServer2, IconUserSearch } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ComponentType } from "react";
import { useSearchParams } from "react-router";
import { isBareStatus, isCallError, messageOf } from "#shared/api/call-error.ts";
import {
  DISCOVERY_TABS,
  type DiscoveryTab,
  type DiscoveryTabId,
  type TargetAction,
} from "#shared/discovery/discovery-tab.ts";
import { choiceOf } from "#shared/format/address.ts";
import { paths } from "#shared/paths.ts";
import { PageHeader } from "#shared/ui/page-header.tsx";
import { PageTabs } from "#shared/ui/page-tabs.tsx";
import { StatCard, StatRow } from "#shared/ui/stat-card.tsx";
import { toast } from "#shared/ui/toast.ts";
import { STARTING_UP, isOpen } from "./discovery-labels.ts";
import { accountList, refresh, scanList, statistics, targetList } from "./discovery.queries.ts";
import { LoadFailures } from "./load-failures.tsx";
import { AccountsTab } from "./privileges/accounts-tab.tsx";
import { ScanList } from "./scans/scan-list.tsx";
import { StatisticsTab } from "./statistics/statistics-tab.tsx";
import { CreateTargetDialog } from "./targets/target-dialog.tsx";
import { TargetsTab } from "./targets/targets-tab.tsx";
import { useNewResults } from "./use-new-results.ts";
import { usePolling } from "./use-polling.ts";

export interface DiscoveryPageProps {
  /** Tabs of other features. */
  others?: readonly DiscoveryTab[];
  /** Another action on each target, such as an enhanced scan (DISC-10). */
  targetAction?: TargetAction;
  /** Whether stored secrets still work (VAL-51). */
  Validation: ComponentType;
}

/** DISC-58: cached data is stale when the page opens. */
const ALWAYS = { refetchOnMount: "always" } as const;

/** SCAN-24: the text of the row, for a server that does not answer; a refusal shows its reason below. */
const SCANS_FAILED = "Failed to load discovery scans";
const scansFailure = (error: unknown): string =>
  isCallError(error) && error.status >= 400 && error.status < 500 && !isBareStatus(error)
    ? SCANS_FAILED
    : `${SCANS_FAILED} - ${STARTING_UP}`;

/** DISC-57: everything that the page shows is requested together. */
function useLoads() {
  const targets = useInfiniteQuery({ ...targetList(), ...ALWAYS });
  const scans = useInfiniteQuery({ ...scanList(), ...ALWAYS });
  const accounts = useInfiniteQuery({ ...accountList({ status: "pending_approval" }), ...ALWAYS });
  const figures = useQuery({ ...statistics, ...ALWAYS });
  const failures = [
    { text: "Failed to load discovery targets", error: targets.error },
    { text: scansFailure(scans.error), error: scans.error },
    { text: "Failed to load discovered accounts", error: accounts.error },
    { text: "Failed to load discovery statistics", error: figures.error },
  ];
  const isScanning = scans.data?.pages.some(({ data }) => data.some(({ status }) => isOpen(status))) === true;
  const isFetching = [targets, scans, accounts, figures].some((each) => each.isFetching);
  return { figures: figures.data, isScanning, failures, isFetching };
}

export function DiscoveryPage({ others = [], targetAction, Validation }: DiscoveryPageProps) {
  const client = useQueryClient();
  const [params, setParams] = useSearchParams();
  const isKnown = (id: DiscoveryTabId) => isOwn(id) || others.some((each) => each.id === id);
  const ids = (Object.keys(DISCOVERY_TABS) as DiscoveryTabId[]).filter(isKnown) as [
    DiscoveryTabId,
    ...DiscoveryTabId[],
  ];
  // The former address of the validation screen.
  const tab = params.get("tab") === "validation" ? "statistics" : choiceOf(params, "tab", ids);
  const [isCreating, setIsCreating] = useState(false);
  const [isRefreshing, setIsRefreshing] = useState(false);
  const { figures, isScanning, failures, isFetching } = useLoads();
  const isRunning = isScanning || others.some((each) => each.isRunning === true);
  usePolling({ isRunning, tab });
  useNewResults(figures === undefined ? undefined : figures.total_scans - figures.running_scans);

  async function reload(): Promise<void> {
    setIsRefreshing(true);
    await refresh(client);
    setIsRefreshing(false);
    const active = client.getQueryCache().findAll({ queryKey: ["api", "v1", "discovery"], type: "active" });
    const error = active.find(({ state }) => state.status === "error")?.state.error;
    if (error == null) toast.success("Discovery data refreshed");
    else toast.error(messageOf(error), { title: "Failed to refresh data" });
  }

  const all = [...failures, ...others.map(({ failure }) => failure ?? { text: "", error: null })];
  const failed = all.filter(({ error }) => error !== null);
  const addButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setIsCreating(true)}>
      Add Discovery Target
    </Button>
  );
  const Other = others.find(({ id }) => id === tab)?.Content;
  const countOf = (id: DiscoveryTabId) =>
    id === "accounts" ? figures?.pending_approval : others.find((each) => each.id === id)?.count;
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
        <LoadFailures
          failures={failed}
          isEverything={failed.length === all.length}
          isFetching={isFetching}
          onRetry={() => void reload()}
        />
        {figures !== undefined && (
          <StatRow>
            <StatCard
              label="Active Targets"
              value={figures.active_targets}
              line={`of ${figures.total_targets.toLocaleString()}`}
              icon={IconServer2}
              to={paths.discoveryAt("targets", { active: "true" })}
            />
            <StatCard
              label="Basic Scans"
              value={figures.running_scans}
              line={`running, of ${figures.total_scans.toLocaleString()}`}
              explanation="Pending and running scans, of the scans requested in the last 30 days."
              icon={IconRadar2}
              to={paths.discoveryAt("scans")}
            />
            {others.map(({ id, card }) => card !== undefined && <StatCard key={id} {...card} />)}
            <StatCard
              label="Pending Approval"
              value={figures.pending_approval}
              line={`${figures.approved_accounts.toLocaleString()} approved`}
              icon={IconUserSearch}
              to={paths.discoveryAt("accounts")}
            />
          </StatRow>
        )}
        <PageTabs<DiscoveryTabId>
          label="Discovery"
          tabs={ids.map((value) => ({ value, label: DISCOVERY_TABS[value], count: countOf(value) }))}
          value={tab}
          onChange={(next) => setParams(next === ids[0] ? {} : { tab: next })}
        >
          {tab === "targets" && (
            <TargetsTab addButton={addButton} action={targetAction} total={figures?.total_targets ?? 0} />
          )}
          {tab === "scans" && <ScanList />}
          {tab === "accounts" && <AccountsTab />}
          {tab === "statistics" && <StatisticsTab Validation={Validation} />}
          {Other !== undefined && <Other />}
        </PageTabs>
      </Stack>
      <CreateTargetDialog opened={isCreating} onClose={() => setIsCreating(false)} />
    </>
  );
}

const isOwn = (id: DiscoveryTabId): boolean => ["targets", "scans", "accounts", "statistics"].includes(id);
