// The four figures of the credential manager (CPM-04, CPM-10).
import { IconAlertTriangle, IconCircleCheck, IconHeartRateMonitor, IconHourglass } from "@tabler/icons-react";
import type { CpmStatus } from "@strongroom/contract";
import { capitalised } from "#shared/format/text.ts";
import { StatCard, StatRow } from "#shared/ui/stat-card.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { badgeOfStatus } from "./cpm-words.ts";

export function CpmTiles({ status }: { status: CpmStatus }) {
  return (
    <StatRow>
      <StatCard
        label="System Status"
        value={capitalised(status.status)}
        line={<StatusBadge status={badgeOfStatus(status.status)} />}
        icon={IconHeartRateMonitor}
      />
      <StatCard
        label="Verified"
        value={status.verifiedCredentials.toLocaleString()}
        line={`of ${status.totalCredentials.toLocaleString()}`}
        icon={IconCircleCheck}
      />
      <StatCard
        label="Failed"
        value={status.failedCredentials.toLocaleString()}
        line="need attention"
        icon={IconAlertTriangle}
      />
      <StatCard
        label="Pending"
        value={status.pendingCredentials.toLocaleString()}
        line="in queue"
        icon={IconHourglass}
      />
    </StatRow>
  );
}
