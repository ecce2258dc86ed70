// The Statistics tab (DISC-48 to DISC-56).
import { Stack } from "@mantine/core";
import { IconChartBar, IconPercentage, IconRadar2, IconUserSearch, IconUserShield } from "@tabler/icons-react";
import type { ReplyOf, discoveryStatistics } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { Loaded } from "#shared/ui/loaded.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { NoRows, Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { StatCard, StatRow } from "#shared/ui/stat-card.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { statistics } from "./discovery.queries.ts";

type Statistics = ReplyOf<typeof discoveryStatistics>;

/** A rounded percentage, or a dash without a whole. */
const share = (part: number, whole: number): string => (whole === 0 ? "–" : `${Math.round((100 * part) / whole)}%`);

export function StatisticsTab() {
  const query = useQuery(statistics);
  return (
    <Loaded query={query} failureText="Failed to load discovery statistics">
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
        <StatCard label="Targets" value={figures.total_targets} icon={IconRadar2} />
        <StatCard
          label="Coverage"
          value={share(figures.active_targets, figures.total_targets)}
          explanation="Active targets as a share of all targets."
          icon={IconPercentage}
        />
        <StatCard label="Scans" value={scans} explanation="Scans requested in the last 30 days." icon={IconRadar2} />
        <StatCard
          label="Accounts per Scan"
          value={scans === 0 ? null : Math.round(accounts / scans)}
          explanation="Discovered accounts divided by the scans of the last 30 days."
          icon={IconChartBar}
        />
      </StatRow>
      <StatRow>
        <StatCard label="Discovered Accounts" value={accounts} icon={IconUserSearch} />
        <StatCard label="Approved" value={share(figures.approved_accounts, accounts)} icon={IconPercentage} />
        <StatCard label="Rejected" value={share(figures.rejected_accounts, accounts)} icon={IconPercentage} />
        <StatCard label="Pending" value={share(figures.pending_approval, accounts)} icon={IconPercentage} />
        <StatCard
          label="Unmanaged Privileged"
          value={figures.unmanaged_privileged_accounts}
          explanation="Privileged accounts that still exist and that no safe contains."
          tone={figures.unmanaged_privileged_accounts > 0 ? "danger" : undefined}
          icon={IconUserShield}
        />
      </StatRow>
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
