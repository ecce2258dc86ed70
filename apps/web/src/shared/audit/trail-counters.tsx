// The counters above an audit list, over all entries that match its filter (AUDIT-07, OPEN-131).
import { IconCircleCheck, IconCircleX, IconClockBolt, IconHistory } from "@tabler/icons-react";
import type { ReplyOf, countAuditEntries } from "@strongroom/contract";
import { StatCard, StatRow } from "#shared/ui/stat-card.tsx";

const NEWEST_ONLY = "Only the newest matching entries were counted.";

export function TrailCounters({ counts }: { counts: ReplyOf<typeof countAuditEntries> | undefined }) {
  const isExact = counts?.is_exact !== false;
  const shown = (count: number | undefined) =>
    count === undefined ? null : `${count.toLocaleString()}${isExact ? "" : "+"}`;
  const explanation = isExact ? null : NEWEST_ONLY;
  return (
    <StatRow>
      <StatCard label="Total Events" value={shown(counts?.total)} icon={IconHistory} explanation={explanation} />
      <StatCard label="Successful" value={shown(counts?.successful)} icon={IconCircleCheck} />
      <StatCard
        label="Failed"
        value={shown(counts?.failed)}
        tone={(counts?.failed ?? 0) > 0 ? "danger" : undefined}
        icon={IconCircleX}
      />
      <StatCard label="JIT Events" value={shown(counts?.jit)} icon={IconClockBolt} />
    </StatRow>
  );
}
