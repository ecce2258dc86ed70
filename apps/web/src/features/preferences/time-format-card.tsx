// The time zone and the style of dates, for this browser.
import { SegmentedControl, Stack, Text } from "@mantine/core";
import { useNow } from "#shared/format/now.ts";
import { storeTimeFormat, useTimeFormat, type TimeFormat } from "#shared/format/time-format.ts";
import { absoluteTime } from "#shared/format/time.ts";
import { SectionCard } from "#shared/ui/section-card.tsx";

const ZONES: { value: TimeFormat["zone"]; label: string }[] = [
  { value: "local", label: "Local time" },
  { value: "utc", label: "UTC" },
];
const STYLES: { value: TimeFormat["style"]; label: string }[] = [
  { value: "local", label: "Language of the browser" },
  { value: "iso", label: "ISO 8601" },
];

export function TimeFormatCard() {
  const format = useTimeFormat();
  const now = useNow();
  return (
    <SectionCard title="Dates and Times" description="Saved in this browser.">
      <Stack gap="sm" align="flex-start">
        <SegmentedControl
          aria-label="Time zone"
          data={ZONES}
          value={format.zone}
          onChange={(zone) => storeTimeFormat({ ...format, zone })}
        />
        <SegmentedControl
          aria-label="Date style"
          data={STYLES}
          value={format.style}
          onChange={(style) => storeTimeFormat({ ...format, style })}
        />
        <Text c="dimmed" fz="sm">
          Example: <time dateTime={new Date(now).toISOString()}>{absoluteTime(now)}</time>
        </Text>
      </Stack>
    </SectionCard>
  );
}
