// The four figures of the credential manager (CPM-04, CPM-10).
import { IconAlertTriangle, IconCircleCheck, IconHeartRateMonitor, IconHourglass } from "@tabler/icons-react";
import { FIGURES, type CpmStatus } from "@strongroom/contract";
import { capitalised } from "#shared/format/text.ts";
import { StatCard, StatRow } from "#shared/ui/stat-card.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { badgeOfStatus } from "./cpm-labels.ts";

export function CpmTiles({ status }: { status: CpmStatus }) {
  return (
    <StatRow>
      <StatCard
        label="System Status"
        value={capitalised(status.status)}
        line={<StatusBadge status={badgeOfStatus(status.status)} />}
        explanation={FIGURES.verificationHealth}
        icon={IconHeartRateMonitor}
      />
      <StatCard
        label="Verified"
        value={status.verifiedCredentials}
        line={`of ${status.totalCredentials.toLocaleString()}`}
        explanation={FIGURES.verified}
        icon={IconCircleCheck}
      />
      <StatCard
        label="Failed"
        value={status.failedCredentials}
        line={failedLine(status)}
        explanation={FIGURES.failed}
        icon={IconAlertTriangle}
      />
      <StatCard
        label="Pending"
        value={status.pendingCredentials}
        line={
          status.untestedCredentials === 0
            ? "in queue"
            : `in queue, ${status.untestedCredentials.toLocaleString()} untested`
        }
        explanation={`${FIGURES.pending} Untested: ${FIGURES.untested}`}
        icon={IconHourglass}
      />
    </StatRow>
  );
}

function failedLine({ failedCredentials: failed, rejectedCredentials: rejected }: CpmStatus): string {
  if (failed === 0) return "need attention";
  return `need attention: ${rejected.toLocaleString()} rejected, ${(failed - rejected).toLocaleString()} not checked`;
}
