// Scans of address ranges with their progress, and the networks that administrators allow.
import { Button, Progress } from "@mantine/core";
import { IconEye, IconNetwork, IconPlayerStop } from "@tabler/icons-react";
import type { RangeScan } from "@strongroom/contract";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { counted } from "#shared/format/text.ts";
import { ConfirmActionDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { SCAN_BADGES, isOpen } from "../discovery-labels.ts";
import { NetworksCard } from "./networks-card.tsx";
import { HostsDialog } from "./hosts-dialog.tsx";
import { StartRangeDialog } from "./start-range-dialog.tsx";
import { rangeCancellation, rangeList } from "./ranges.queries.ts";

type DialogName = "start" | "hosts" | "cancel";

export function RangeList() {
  const list = useInfiniteQuery(rangeList);
  const [chosenId, setChosenId] = useState<string | null>(null);
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const scans = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const chosen = scans.find(({ id }) => id === chosenId);
  const propsOf = (name: DialogName) => ({ opened: dialog === name, onClose: () => setDialog(null) });
  const open = (scan: RangeScan, name: DialogName) => {
    setChosenId(scan.id);
    setDialog(name);
  };
  const startButton = (
    <Button leftSection={<IconNetwork size={16} aria-hidden />} onClick={() => setDialog("start")}>
      Scan IP Range
    </Button>
  );
  return (
    <>
      <SectionCard
        title="IP Range Scans"
        description="Find systems in a network by their open ports. No credential is sent."
        actions={scans.length > 0 && startButton}
      >
        <Loaded query={list} failureText="Failed to load IP range scans">
          {() =>
            scans.length === 0 ? (
              <EmptyState
                icon={IconNetwork}
                title="No IP range scans"
                text="A range scan finds hosts that listen, and you turn them into targets."
                action={startButton}
              />
            ) : (
              <>
                <RowList label="IP range scans">
                  {scans.map((scan) => (
                    <RangeRow key={scan.id} scan={scan} onOpen={open} />
                  ))}
                </RowList>
                <LoadMore of={list} />
              </>
            )
          }
        </Loaded>
      </SectionCard>
      <NetworksCard />
      <StartRangeDialog {...propsOf("start")} />
      {chosen !== undefined && (
        <>
          <HostsDialog key={chosen.id} scan={chosen} {...propsOf("hosts")} />
          <CancelDialog scan={chosen} {...propsOf("cancel")} />
        </>
      )}
    </>
  );
}

interface RangeRowProps {
  scan: RangeScan;
  onOpen: (scan: RangeScan, dialog: DialogName) => void;
}

function RangeRow({ scan, onOpen }: RangeRowProps) {
  const { addresses, addresses_scanned: scanned, addresses_refused: refused } = scan;
  return (
    <Row
      icon={<IconNetwork size={18} aria-hidden />}
      name={
        <>
          <span>{scan.name}</span>
          <StatusBadge {...SCAN_BADGES[scan.status]} />
        </>
      }
      actions={
        <>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`Hosts of ${scan.name}`}
            leftSection={<IconEye size={15} aria-hidden />}
            onClick={() => onOpen(scan, "hosts")}
          >
            Hosts
          </Button>
          {scan.can_manage && isOpen(scan.status) && (
            <Button
              size="compact-sm"
              variant="light"
              color="red"
              aria-label={`Cancel ${scan.name}`}
              leftSection={<IconPlayerStop size={15} aria-hidden />}
              onClick={() => onOpen(scan, "cancel")}
            >
              Cancel
            </Button>
          )}
        </>
      }
    >
      <RowDetail>
        {`${scan.ranges.join(", ")}${scan.exclusions.length === 0 ? "" : ` without ${scan.exclusions.join(", ")}`}`}
      </RowDetail>
      <RowDetail>
        {`${counted(scan.hosts_found, "host")} found · ${scanned.toLocaleString()} of ${counted(addresses, "address", "addresses")} scanned`}
        {refused > 0 && ` · ${counted(refused, "address", "addresses")} refused by the network policy`}
      </RowDetail>
      {isOpen(scan.status) && (
        <Progress value={(100 * scanned) / addresses} size="sm" aria-label={`Progress of ${scan.name}`} />
      )}
      <RowDetail>
        Safe {scan.safe_name} · Requested by {scan.requested_by} <RelativeTime moment={scan.created_at} />
      </RowDetail>
      {scan.error_message !== null && <RowDetail>{scan.error_message}</RowDetail>}
    </Row>
  );
}

interface CancelDialogProps {
  scan: RangeScan;
  opened: boolean;
  onClose: () => void;
}

function CancelDialog({ scan, ...props }: CancelDialogProps) {
  return (
    <ConfirmActionDialog
      {...props}
      title="Cancel IP Range Scan"
      confirmLabel="Cancel Scan"
      cancelLabel="Keep Scanning"
      variant="danger"
      mutation={rangeCancellation(useQueryClient(), scan.id)}
      done="IP range scan cancelled successfully"
      failed="Failed to cancel IP range scan"
    >
      <p>
        Cancel <strong>{scan.name}</strong>? The hosts that it found so far stay.
      </p>
    </ConfirmActionDialog>
  );
}
