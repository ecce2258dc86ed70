// The dashboard's charts, in a chunk that only `ChartCard` loads, when a chart is first visible.
import { BarChart, DonutChart } from "@mantine/charts";
import "@mantine/core/styles/ColorSwatch.layer.css";
import "@mantine/charts/styles.layer.css";
import { verificationStatusOf, type ValidationStatus } from "@strongroom/contract";
import { Legend } from "#shared/ui/legend.tsx";
import { VERIFICATION_COLORS, colorVariable } from "#shared/ui/verification-badge.tsx";
import classes from "./chart-card.module.css";

/** `label` names the point; the other properties are figures. */
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
        { name: "Rejected", color: "red.6" },
        { name: "Not checked", color: "orange.6" },
      ]}
      barChartProps={{ accessibilityLayer: false }}
      yAxisProps={{ allowDecimals: false, width: 40 }}
    />
  );
}

export function DistributionChart({ data }: { data: readonly ChartPoint[] }) {
  const parts = data.map(({ label, status, count }) => ({
    name: label,
    value: Number(count),
    color: VERIFICATION_COLORS[verificationStatusOf(status as ValidationStatus)],
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
          parts={parts.map(({ name, value, color }) => ({ label: name, count: value, color: colorVariable(color) }))}
        />
      </div>
    </div>
  );
}
