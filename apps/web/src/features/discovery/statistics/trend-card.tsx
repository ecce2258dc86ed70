// Managed and unmanaged accounts by day, as a chart or a table, and how long privileged ones have been unmanaged.
import { SegmentedControl, Table } from "@mantine/core";
import { MOST_AGED, type ReplyOf, type discoveryStatistics } from "@strongroom/contract";
import { Suspense, lazy, useState } from "react";
import { Link } from "react-router";
import { paths } from "#shared/paths.ts";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { Row, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";

type Statistics = ReplyOf<typeof discoveryStatistics>;

const TrendChart = lazy(() => import("./trend-chart.tsx"));
const VIEWS = ["Chart", "Table"];

export function TrendCard({ trend }: Pick<Statistics, "trend">) {
  const [view, setView] = useState("Chart");
  return (
    <SectionCard
      title="Managed and Unmanaged Accounts"
      description="Existing accounts at the end of each day of the last 30 days (UTC)"
      actions={<SegmentedControl size="xs" aria-label="Trend as" data={VIEWS} value={view} onChange={setView} />}
    >
      {view === "Chart" ? (
        <div role="img" aria-label="Managed and unmanaged accounts by day. The same figures are in the table.">
          <Suspense fallback={<SectionLoading />}>
            <TrendChart
              data={trend.map(({ day, managed, unmanaged, unmanaged_privileged: privileged }) => ({
                day: day.slice(5),
                Managed: managed,
                Unmanaged: unmanaged,
                "Unmanaged privileged": privileged,
              }))}
            />
          </Suspense>
        </div>
      ) : (
        <Table aria-label="Managed and unmanaged accounts">
          <Table.Thead>
            <Table.Tr>
              {["Day", "Managed", "Unmanaged", "Unmanaged privileged"].map((name) => (
                <Table.Th key={name}>{name}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {trend.toReversed().map((each) => (
              <Table.Tr key={each.day}>
                <Table.Td>{each.day}</Table.Td>
                <Table.Td>{each.managed.toLocaleString()}</Table.Td>
                <Table.Td>{each.unmanaged.toLocaleString()}</Table.Td>
                <Table.Td>{each.unmanaged_privileged.toLocaleString()}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </SectionCard>
  );
}

const AGE_LABELS: Record<Statistics["unmanaged_privileged_ages"][number]["age"], string> = {
  under_7_days: "Found in the last 7 days",
  "7_to_30_days": "Found 7 to 30 days ago",
  "30_to_90_days": "Found 30 to 90 days ago",
  over_90_days: "Found more than 90 days ago",
};

export function AgesCard({ ages }: { ages: Statistics["unmanaged_privileged_ages"] }) {
  return (
    <SectionCard
      title="Unmanaged Privileged Accounts by Age"
      description="Privileged accounts that still exist and that no safe contains"
      actions={
        <Link to={paths.discoveryAt("accounts", { status: "all", privileged: "true" })}>View privileged accounts</Link>
      }
    >
      <RowList label="Unmanaged privileged accounts by age">
        {ages.map(({ age, count }) => (
          <Row
            key={age}
            name={AGE_LABELS[age]}
            actions={
              <strong>{count >= MOST_AGED ? `${MOST_AGED.toLocaleString()} or more` : count.toLocaleString()}</strong>
            }
          />
        ))}
      </RowList>
    </SectionCard>
  );
}
