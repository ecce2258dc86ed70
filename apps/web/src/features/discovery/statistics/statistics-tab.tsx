// The Statistics tab: discovery's figures (DISC-48 to DISC-56), and whether stored secrets still work (VAL-51, OPEN-127).
import { SegmentedControl, Stack } from "@mantine/core";
import { IconChartBar, IconPercentage, IconRadar2, IconUserSearch, IconUserShield } from "@tabler/icons-react";
import type { ReplyOf, discoveryStatistics } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import type { ComponentType } from "react";
import { useSearchParams } from "react-router";
import { choiceOf } from "#shared/format/address.ts";
import { paths } from "#shared/paths.ts";
import { Loaded } from "#shared/ui/loaded.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { NoRows, Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { StatCard, StatRow } from "#shared/ui/stat-card.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { statistics } from "../discovery.queries.ts";
import { AgesCard, TrendCard } from "./trend-card.tsx";

type Statistics = ReplyOf<typeof discoveryStatistics>;

/** A rounded percentage, or a dash without a whole. */
const share = (part: number, whole: number): string => (whole === 0 ? "–" : `${Math.round((100 * part) / whole)}%`);

const VIEWS = ["discovery", "validation"] as const;

export function StatisticsTab({ Validation }: { Validation: ComponentType }) {
  const [params, setParams] = useSearchParams();
  const view = params.get("tab") === "validation" ? "validation" : choiceOf(params, "view", VIEWS);
  return (
    <Stack gap="md" mt="md" align="stretch">
      <SegmentedControl
        aria-label="Statistics"
        style={{ alignSelf: "start" }}
        data={[
          { value: "discovery", label: "Discovery" },
          { value: "validation", label: "Validation" },
        ]}
        value={view}
        onChange={(next) => setParams({ tab: "statistics", ...(next === VIEWS[0] ? {} : { view: next }) })}
      />
      {view === "validation" ? <Validation /> : <DiscoveryStatistics />}
    </Stack>
  );
}

function DiscoveryStatistics() {
  const query = useQuery(statistics);
  return (
    <Loaded query={query}>
      {(figures) =>
        figures.total_targets === 0 ? (
          <EmptyState
            icon={IconChartBar}
            title="No Statistics Available"
            text="Statistics appear after you add a discovery target."
          />
        ) : (
          <Figures figures={figures} />
        )
      }
    </Loaded>
  );
}

function Figures({ figures }: { figures: Statistics }) {
  const { total_discovered_accounts: accounts, total_scans: scans } = figures;
  return (
    <Stack gap="md">
      <StatRow>
        <StatCard label="Targets" value={figures.total_targets} icon={IconRadar2} to={paths.discoveryAt("targets")} />
        <StatCard
          label="Coverage"
          value={share(figures.active_targets, figures.total_targets)}
          explanation="Active targets as a share of all targets."
          icon={IconPercentage}
          to={paths.discoveryAt("targets", { active: "true" })}
        />
        <StatCard
          label="Scans"
          value={scans}
          explanation="Scans requested in the last 30 days."
          icon={IconRadar2}
          to={paths.discoveryAt("scans")}
        />
        <StatCard
          label="Accounts per Scan"
          value={scans === 0 ? null : Math.round(accounts / scans)}
          explanation="Discovered accounts divided by the scans of the last 30 days."
          icon={IconChartBar}
        />
      </StatRow>
      <StatRow>
        <StatCard
          label="Discovered Accounts"
          value={accounts}
          icon={IconUserSearch}
          to={paths.discoveryAt("accounts", { status: "all" })}
        />
        <StatCard
          label="Approved"
          value={share(figures.approved_accounts, accounts)}
          icon={IconPercentage}
          to={paths.discoveryAt("accounts", { status: "active" })}
        />
        <StatCard
          label="Rejected"
          value={share(figures.rejected_accounts, accounts)}
          icon={IconPercentage}
          to={paths.discoveryAt("accounts", { status: "rejected" })}
        />
        <StatCard
          label="Pending"
          value={share(figures.pending_approval, accounts)}
          icon={IconPercentage}
          to={paths.discoveryAt("accounts")}
        />
        <StatCard
          label="Unmanaged Privileged"
          value={figures.unmanaged_privileged_accounts}
          explanation="Privileged accounts that still exist and that no safe contains."
          tone={figures.unmanaged_privileged_accounts > 0 ? "danger" : undefined}
          to={paths.discoveryAt("accounts", { status: "all", privileged: "true" })}
          icon={IconUserShield}
        />
      </StatRow>
      <TrendCard trend={figures.trend} />
      <AgesCard ages={figures.unmanaged_privileged_ages} />
      <SectionCard title="Recent Activity" description="In the last 30 days">
        {figures.recent_activity.length === 0 ? (
          <NoRows>No recent activity</NoRows>
        ) : (
          <RowList label="Recent activity">
            {figures.recent_activity.map(({ message, timestamp, type }) => (
              <Row key={`${type} ${timestamp} ${message}`} name={message}>
                <RowDetail>
                  <RelativeTime moment={timestamp} />
                </RowDetail>
              </Row>
            ))}
          </RowList>
        )}
      </SectionCard>
    </Stack>
  );
}
