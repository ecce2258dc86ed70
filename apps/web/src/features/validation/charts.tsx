// The dashboard's charts. Nothing but `ChartCard` imports this file, and that only when a chart is to be seen.
import { BarChart, DonutChart } from "@mantine/charts";
import "@mantine/core/styles/ColorSwatch.layer.css";
import "@mantine/charts/styles.layer.css";
import { Legend } from "#shared/ui/legend.tsx";
import classes from "./chart-card.module.css";

/** `label` names the point; its other parts are the figures. */
export interface ChartPoint {
  label: string;
  [series: string]: string | number;
}

const HEIGHT = 240;

export function TrendChart({ data }: { data: readonly ChartPoint[] }) {
  return (
    <BarChart
      h={HEIGHT}
      data={[...data]}
      dataKey="label"
      type="stacked"
      withLegend
      legendProps={{ verticalAlign: "top", align: "left", height: 36 }}
      tickLine="none"
      gridAxis="x"
      maxBarWidth={36}
      series={[
        { name: "Succeeded", color: "green.6" },
        { name: "Failed", color: "red.6" },
      ]}
      barChartProps={{ accessibilityLayer: false }}
      yAxisProps={{ allowDecimals: false, width: 40 }}
    />
  );
}

const COLORS: Record<string, string> = {
  verified: "green.6",
  pending: "brass.5",
  failed: "red.6",
  never_validated: "gray.5",
};

const variableOf = (color: string): string => `var(--mantine-color-${color.replace(".", "-")})`;

export function DistributionChart({ data }: { data: readonly ChartPoint[] }) {
  const parts = data.map(({ label, status, count }) => ({
    name: label,
    value: Number(count),
    color: COLORS[String(status)] ?? "gray.5",
  }));
  return (
    <div className={classes.distribution}>
      <DonutChart
        data={parts.filter(({ value }) => value > 0)}
        size={150}
        thickness={22}
        paddingAngle={2}
        withTooltip={false}
        strokeWidth={0}
        pieChartProps={{ accessibilityLayer: false }}
      />
      <div className={classes.legend}>
        <Legend
          parts={parts.map(({ name, value, color }) => ({ label: name, count: value, color: variableOf(color) }))}
        />
      </div>
    </div>
  );
}
