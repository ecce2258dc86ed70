// The enhanced scans as a dense table: the default above 20 scans.
import { IconEye, IconPlayerStop } from "@tabler/icons-react";
import { SCAN_SORT_FIELDS, type EnhancedScan } from "@strongroom/contract";
import { duration } from "#shared/format/time.ts";
import { DataTable, type DataColumn, type DataTableProps } from "#shared/ui/data-table.tsx";
import { sortableBy, type TableSettings } from "#shared/ui/data-table-settings.ts";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import type { RowAction } from "#shared/ui/row-menu.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { DEPTH_LABELS, STATUS_BADGES, isOpen } from "./scan-labels.ts";
import classes from "./scans.module.css";

export type ScanDialog = "details" | "cancel";
export type OpenScan = (scan: EnhancedScan, dialog: ScanDialog) => void;

const COLUMNS: readonly DataColumn<EnhancedScan>[] = [
  { id: "target", header: "Target", width: 8, grow: 2, cell: targetOf, title: targetOf },
  { id: "host", header: "Host", width: 10, grow: 3, cell: hostOf, title: hostOf, stacked: "line", isRoomy: true },
  { id: "status", header: "Status", width: 9.5, grow: 0, cell: statusCell, stacked: "badge" },
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
    width: 5.5,
    grow: 0,
    cell: ({ duration_seconds }) => (duration_seconds === null ? "–" : duration(duration_seconds)),
    stacked: "line",
    isLabelled: true,
  },
  {
    id: "findings",
    header: "Findings",
    width: 5.5,
    grow: 0,
    cell: ({ results }) => results.findings_discovered.toLocaleString(),
    stacked: "line",
    isLabelled: true,
  },
  {
    id: "new",
    header: "New",
    width: 4,
    grow: 0,
    cell: ({ results }) => results.new_findings.toLocaleString(),
    isRoomy: true,
  },
  { id: "risk", header: "Risk Score", width: 5.5, grow: 0, cell: ({ results }) => results.risk_score, isRoomy: true },
  { id: "depth", header: "Depth", width: 8, grow: 0, cell: depthOf, title: depthOf, isOptional: true },
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

export const ENHANCED_SCAN_COLUMNS = sortableBy(SCAN_SORT_FIELDS, COLUMNS);

function targetOf({ target }: EnhancedScan): string {
  return target.name;
}

function hostOf({ target }: EnhancedScan): string {
  return target.hostname;
}

function requesterOf({ requested_by }: EnhancedScan): string {
  return requested_by;
}

function messageOf({ error_message }: EnhancedScan): string {
  return error_message ?? "";
}

function depthOf({ scan_config: { scanDepth } }: EnhancedScan): string {
  return DEPTH_LABELS[scanDepth];
}

function statusCell(scan: EnhancedScan) {
  return (
    <>
      <StatusBadge {...STATUS_BADGES[scan.status]} />
      {scan.status === "running" && <span className={classes.share}>{`${scan.progress}%`}</span>}
    </>
  );
}

type Passed = "rows" | "hasMore" | "canLoadMore" | "onMore" | "isStale";

export interface EnhancedScanTableProps extends Pick<DataTableProps<EnhancedScan>, Passed> {
  settings: TableSettings;
  onOpen: OpenScan;
}

const nameOf = (scan: EnhancedScan): string => `the enhanced scan of ${targetOf(scan)}`;

export function EnhancedScanTable({ onOpen, ...table }: EnhancedScanTableProps) {
  const actionsOf = (scan: EnhancedScan): RowAction[] => [
    { label: "Details", icon: IconEye, onClick: () => onOpen(scan, "details") },
    ...(scan.can_manage && isOpen(scan)
      ? [{ label: "Cancel", icon: IconPlayerStop, onClick: () => onOpen(scan, "cancel"), isDanger: true }]
      : []),
  ];
  return (
    <DataTable
      {...table}
      label="Enhanced scans"
      columns={ENHANCED_SCAN_COLUMNS}
      nameOf={nameOf}
      onOpen={(scan) => onOpen(scan, "details")}
      actionsOf={actionsOf}
    />
  );
}
