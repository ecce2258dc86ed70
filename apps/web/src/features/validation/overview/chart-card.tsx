// A chart with an alternative table; the chart's code loads when one is first shown.
import { SegmentedControl } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import type { ChartPoint } from "./charts.tsx";
import classes from "./chart-card.module.css";

const charts = {
  trend: lazy(() => import("./charts.tsx").then(({ TrendChart }) => ({ default: TrendChart }))),
  distribution: lazy(() => import("./charts.tsx").then(({ DistributionChart }) => ({ default: DistributionChart }))),
};

export interface ChartCardProps {
  title: string;
  description: string;
  load: keyof typeof charts;
  data: readonly ChartPoint[];
  /** The columns of the table; each row starts with its label. */
  columns: readonly string[];
  rows: readonly (readonly [string, ...string[]])[];
  isEmpty: boolean;
  emptyText: string;
}

const VIEWS = ["Chart", "Table"] as const;

export function ChartCard({ title, description, load, data, columns, rows, isEmpty, emptyText }: ChartCardProps) {
  const [view, setView] = useState<(typeof VIEWS)[number]>("Chart");
  const Chart = charts[load];
  return (
    <SectionCard
      title={title}
      description={description}
      actions={
        <SegmentedControl size="xs" aria-label={`${title} as`} data={[...VIEWS]} value={view} onChange={setView} />
      }
    >
      {view === "Table" ? (
        <DataTable title={title} columns={columns} rows={rows} />
      ) : isEmpty ? (
        <p className={classes.empty}>{emptyText}</p>
      ) : (
        <div className={classes.chart} role="img" aria-label={`${title}. The same figures are in the table.`}>
          <Suspense fallback={<SectionLoading />}>
            <Chart data={data} />
          </Suspense>
        </div>
      )}
    </SectionCard>
  );
}

function DataTable({ title, columns, rows }: Pick<ChartCardProps, "title" | "columns" | "rows">) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
    <div className={classes.scroll} tabIndex={0} role="region" aria-label={`${title}, table`}>
      <table className={classes.table}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([label, ...cells]) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {cells.map((cell, at) => (
                <td key={columns[at + 1]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
