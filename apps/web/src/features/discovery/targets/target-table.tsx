// The discovery targets as a dense table: the default above 20 targets.
import { ActionIcon } from "@mantine/core";
import { TARGET_SORT_FIELDS, type DiscoveryTarget } from "@strongroom/contract";
import { DataTable, type DataColumn, type DataTableProps } from "#shared/ui/data-table.tsx";
import { sortableBy, type TableSettings } from "#shared/ui/data-table-settings.ts";
import { ComingTime, RelativeTime } from "#shared/ui/relative-time.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { SCAN_BADGES, methodLabel } from "../discovery-labels.ts";
import classes from "../discovery.module.css";
import { mainActions, menuActions, type TargetHandlers } from "./target-actions.ts";
import { hasHostKeyAlarm } from "./target-host-key.tsx";
import { isSelectable } from "./use-target-selection.ts";

const COLUMNS: readonly DataColumn<DiscoveryTarget>[] = [
  {
    id: "name",
    header: "Name",
    width: 8,
    grow: 2,
    cell: ({ name }) => name,
    title: ({ name, description }) => description ?? name,
  },
  {
    id: "host",
    header: "Host",
    width: 8,
    grow: 2,
    cell: ({ hostname }) => hostname,
    title: ({ hostname, settings }) => `${hostname}:${settings.port}`,
    stacked: "line",
  },
  { id: "type", header: "Type", width: 6.5, cell: typeOf, title: typeOf, stacked: "line", isRoomy: true },
  { id: "status", header: "Status", width: 6.25, grow: 0, cell: statusBadge, stacked: "badge" },
  {
    id: "basic",
    header: "Basic Scan",
    width: 10.5,
    cell: ({ last_scan }) => scanCell(last_scan),
    stacked: "badge",
  },
  {
    id: "enhanced",
    header: "Enhanced Scan",
    width: 10.5,
    cell: ({ last_enhanced_scan }) => scanCell(last_enhanced_scan),
    isRoomy: true,
  },
  { id: "safe", header: "Safe", width: 8, cell: safeOf, title: safeOf, isRoomy: true },
  {
    id: "next",
    header: "Next Scan",
    width: 7,
    grow: 0,
    cell: ({ next_scan_at: at }) => (at === null ? "–" : <ComingTime moment={at} />),
    isOptional: true,
  },
  {
    id: "accounts",
    header: "Accounts",
    width: 5,
    grow: 0,
    cell: ({ last_scan }) => last_scan?.accounts_discovered?.toLocaleString() ?? "–",
    isOptional: true,
  },
  {
    id: "method",
    header: "Method",
    width: 7,
    cell: ({ target_type }) => methodLabel(target_type),
    isOptional: true,
  },
];

export const TARGET_COLUMNS = sortableBy(TARGET_SORT_FIELDS, COLUMNS);

/** DISC-15. */
function typeOf({ target_type }: DiscoveryTarget): string {
  return target_type.toUpperCase();
}

function safeOf({ safe_name }: DiscoveryTarget): string {
  return safe_name;
}

function statusBadge(target: DiscoveryTarget) {
  if (hasHostKeyAlarm(target)) return <StatusBadge status="failed" label="Key changed" />;
  return <StatusBadge status={target.is_active ? "active" : "inactive"} />;
}

function scanCell(scan: DiscoveryTarget["last_enhanced_scan"]) {
  if (scan === null) return <span className={classes.none}>Never scanned</span>;
  return (
    <>
      <StatusBadge {...SCAN_BADGES[scan.status]} />
      {scan.completed_at !== null && (
        <span className={classes.when}>
          <RelativeTime moment={scan.completed_at} />
        </span>
      )}
    </>
  );
}

function ScanButtons({ target, handlers }: { target: DiscoveryTarget; handlers: TargetHandlers }) {
  return (
    <span className={classes.scanButtons}>
      {mainActions(target, handlers).map(({ label, name, icon: ButtonIcon, isDisabled, onClick }) => (
        <ActionIcon
          key={label}
          size={26}
          variant="default"
          aria-label={name}
          title={label}
          disabled={isDisabled}
          onClick={onClick}
        >
          <ButtonIcon size={15} aria-hidden />
        </ActionIcon>
      ))}
    </span>
  );
}

const SCAN_COLUMN = "scan";

const scanColumn = (handlers: TargetHandlers): DataColumn<DiscoveryTarget> => ({
  id: SCAN_COLUMN,
  header: "Scan",
  width: 3.5,
  grow: 0,
  cell: (target) => <ScanButtons target={target} handlers={handlers} />,
  stacked: "badge",
});

type Passed = "rows" | "selection" | "hasMore" | "canLoadMore" | "onMore" | "isStale";

export interface TargetTableProps extends Pick<DataTableProps<DiscoveryTarget>, Passed> {
  settings: TableSettings;
  handlers: TargetHandlers;
}

const nameOf = ({ name }: DiscoveryTarget): string => name;

export function TargetTable({ handlers, settings, ...table }: TargetTableProps) {
  return (
    <DataTable
      {...table}
      label="Discovery targets"
      columns={[...TARGET_COLUMNS, scanColumn(handlers)]}
      // The buttons are always there.
      settings={{ ...settings, columns: [...settings.columns, SCAN_COLUMN] }}
      nameOf={nameOf}
      onOpen={(target) => handlers.onOpen("details", target)}
      actionsOf={(target) => menuActions(target, handlers)}
      isSelectable={isSelectable}
      isAlarming={hasHostKeyAlarm}
    />
  );
}
