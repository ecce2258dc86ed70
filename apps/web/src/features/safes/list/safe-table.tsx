// The safes as a dense table: the default above 20 safes.
import { SAFE_SORT_FIELDS, type Safe } from "@strongroom/contract";
import { useCallback } from "react";
import { paths } from "#shared/paths.ts";
import { DataTable, type DataColumn } from "#shared/ui/data-table.tsx";
import { sortableBy, type TableSettings } from "#shared/ui/data-table-settings.ts";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { TagList } from "#shared/ui/tag-list.tsx";
import { ACCESS_HINTS, ACCESS_LABELS, STATUS_BADGES, TYPE_LABELS } from "../safe-labels.ts";
import { safeActions, type SafeDialog } from "./safe-actions.ts";

const COLUMNS: readonly DataColumn<Safe>[] = [
  {
    id: "name",
    header: "Name",
    width: 11,
    grow: 2,
    cell: ({ name }) => name,
    title: ({ name, description }) => description ?? name,
  },
  { id: "status", header: "Status", width: 6, grow: 0, cell: statusBadge, stacked: "badge" },
  { id: "type", header: "Type", width: 7, cell: ({ safe_type }) => TYPE_LABELS[safe_type], isRoomy: true },
  {
    id: "access",
    header: "Access Level",
    width: 7,
    cell: ({ access_level }) => ACCESS_LABELS[access_level],
    title: ({ access_level }) => ACCESS_HINTS[access_level],
    stacked: "line",
  },
  {
    id: "owner",
    header: "Owner",
    width: 8,
    cell: ({ owner_name }) => owner_name,
    title: ({ owner_name, owner_email }) => `${owner_name} · ${owner_email}`,
    stacked: "line",
  },
  {
    id: "accounts",
    header: "Accounts",
    width: 5,
    grow: 0,
    cell: ({ account_count }) => account_count.toLocaleString(),
  },
  {
    id: "users",
    header: "Users",
    width: 4,
    grow: 0,
    cell: ({ permission_count }) => permission_count.toLocaleString(),
  },
  { id: "tags", header: "Tags", width: 7, cell: ({ tags }) => <TagList tags={tags} />, stacked: "badge" },
  {
    id: "description",
    header: "Description",
    width: 12,
    grow: 2,
    cell: ({ description }) => description,
    title: ({ description }) => description ?? undefined,
    isOptional: true,
  },
  {
    id: "updated",
    header: "Changed",
    width: 6.5,
    grow: 0,
    cell: ({ updated_at }) => <RelativeTime moment={updated_at} />,
    isOptional: true,
  },
];

export const SAFE_COLUMNS = sortableBy(SAFE_SORT_FIELDS, COLUMNS);

function statusBadge({ status }: Safe) {
  return <StatusBadge {...STATUS_BADGES[status]} />;
}

export interface SafeTableProps {
  safes: readonly Safe[];
  settings: TableSettings;
  onOpen: (dialog: SafeDialog, safe: Safe) => void;
  hasMore: boolean;
  canLoadMore: boolean;
  onMore: () => void;
}

const nameOf = ({ name }: Safe): string => name;
const linkOf = ({ id }: Safe): string => paths.safe(id);

export function SafeTable({ safes, onOpen, ...more }: SafeTableProps) {
  const actionsOf = useCallback((safe: Safe) => safeActions(safe, onOpen), [onOpen]);
  return (
    <DataTable
      label="Safes"
      rows={safes}
      columns={SAFE_COLUMNS}
      nameOf={nameOf}
      linkOf={linkOf}
      actionsOf={actionsOf}
      {...more}
    />
  );
}
