// The basic scans as a dense table: the default above 20 scans.
import { IconEye, IconPlayerStop } from "@tabler/icons-react";
import { DISCOVERY_SCAN_SORT_FIELDS, type DiscoveryScan } from "@strongroom/contract";
import { responseTime } from "#shared/format/time.ts";
import { DataTable, type DataColumn, type DataTableProps } from "#shared/ui/data-table.tsx";
import { sortableBy, type TableSettings } from "#shared/ui/data-table-settings.ts";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import type { RowAction } from "#shared/ui/row-menu.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { SCAN_BADGES, isOpen } from "../discovery-labels.ts";
import { progressText, type OpenScan } from "./scan-texts.ts";

const COLUMNS: readonly DataColumn<DiscoveryScan>[] = [
  { id: "target", header: "Target", width: 8, grow: 2, cell: targetOf, title: targetOf },
  { id: "host", header: "Host", width: 10, grow: 3, cell: hostOf, title: hostOf, stacked: "line", isRoomy: true },
  {
    id: "status",
    header: "Status",
    width: 7.5,
    grow: 0,
    cell: ({ status }) => <StatusBadge {...SCAN_BADGES[status]} />,
    stacked: "badge",
  },
  {
    id: "started",
    header: "Started",
    width: 7,
    grow: 0,
    cell: ({ started_at }) => (started_at === null ? "–" : <RelativeTime moment={started_at} />),
    stacked: "line",
  },
  {
    id: "duration",
    header: "Duration",
    width: 6,
    grow: 0,
    cell: ({ metadata }) => (metadata?.scan_duration == null ? "–" : responseTime(metadata.scan_duration)),
    stacked: "line",
    isLabelled: true,
  },
  {
    id: "accounts",
    header: "Accounts",
    width: 6,
    grow: 0,
    // The status has its own column.
    cell: ({ metadata }) => metadata?.accounts_discovered?.toLocaleString() ?? "–",
    stacked: "line",
    isLabelled: true,
  },
  { id: "message", header: "Message", width: 9, grow: 2, cell: messageOf, title: messageOf, isRoomy: true },
  { id: "by", header: "Requested By", width: 7.5, cell: requesterOf, title: requesterOf, isRoomy: true },
  {
    id: "requested",
    header: "Requested",
    width: 7,
    grow: 0,
    cell: ({ created_at }) => <RelativeTime moment={created_at} />,
    isOptional: true,
  },
];

export const SCAN_COLUMNS = sortableBy(DISCOVERY_SCAN_SORT_FIELDS, COLUMNS);

function targetOf({ discovery_targets: { name } }: DiscoveryScan): string {
  return name;
}

function hostOf({ discovery_targets: { hostname } }: DiscoveryScan): string {
  return hostname;
}

function requesterOf({ requested_by }: DiscoveryScan): string {
  return requested_by;
}

function messageOf({ progress, metadata }: DiscoveryScan): string {
  return progress === null ? (metadata?.error_message ?? "") : progressText(progress);
}

type Passed = "rows" | "hasMore" | "canLoadMore" | "onMore" | "isStale";

export interface ScanTableProps extends Pick<DataTableProps<DiscoveryScan>, Passed> {
  settings: TableSettings;
  onOpen: OpenScan;
}

const nameOf = (scan: DiscoveryScan): string => `the scan of ${targetOf(scan)}`;

export function ScanTable({ onOpen, ...table }: ScanTableProps) {
  const actionsOf = (scan: DiscoveryScan): RowAction[] => [
    { label: "Details", icon: IconEye, onClick: () => onOpen(scan, "details") },
    ...(scan.can_manage && isOpen(scan.status)
      ? [{ label: "Cancel", icon: IconPlayerStop, onClick: () => onOpen(scan, "cancel"), isDanger: true }]
      : []),
  ];
  return (
    <DataTable
      {...table}
      label="Scans"
      columns={SCAN_COLUMNS}
      nameOf={nameOf}
      onOpen={(scan) => onOpen(scan, "details")}
      actionsOf={actionsOf}
    />
  );
}
