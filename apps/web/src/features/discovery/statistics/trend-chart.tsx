// The trend of managed and unmanaged accounts, in a separate chunk.
import { AreaChart } from "@mantine/charts";
import "@mantine/core/styles/ColorSwatch.layer.css";
import "@mantine/charts/styles.layer.css";

export interface TrendPoint {
  day: string;
  Managed: number;
  Unmanaged: number;
  "Unmanaged privileged": number;
}

export default function TrendChart({ data }: { data: TrendPoint[] }) {
  return (
    <AreaChart
      h={240}
      data={data}
      dataKey="day"
      withLegend
      legendProps={{ verticalAlign: "top", align: "left", height: 36 }}
      tickLine="none"
      gridAxis="x"
      curveType="linear"
      withDots={false}
      series={[
        { name: "Unmanaged", color: "orange.6" },
        { name: "Managed", color: "green.6" },
        { name: "Unmanaged privileged", color: "red.6" },
      ]}
      areaChartProps={{ accessibilityLayer: false }}
      yAxisProps={{ allowDecimals: false, width: 48 }}
    />
  );
}
