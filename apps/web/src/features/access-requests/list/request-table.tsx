// The access requests as a dense table: the default above 20 requests.
import { IconArrowRight, IconListDetails, IconTerminal2 } from "@tabler/icons-react";
import { REQUEST_SORT_FIELDS, type AccessRequest } from "@strongroom/contract";
import { useCallback } from "react";
import { useNow } from "#shared/format/now.ts";
import { absoluteTime, nearTime } from "#shared/format/time.ts";
import { paths } from "#shared/paths.ts";
import { DataTable, type DataColumn } from "#shared/ui/data-table.tsx";
import { sortableBy, type TableSettings } from "#shared/ui/data-table-settings.ts";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import type { RowAction } from "#shared/ui/row-menu.tsx";
import { SeverityBadge } from "#shared/ui/status-badge.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { remainingText } from "../durations.ts";
import { readRequestAnswer } from "../read-request.ts";
import { RequestStatusBadge, actsOf, type RequestDialog } from "./request-card.tsx";

/** The parts that do not change with time. */
const read = (request: AccessRequest) => readRequestAnswer(request, 0);

const COLUMNS: readonly DataColumn<AccessRequest>[] = [
  {
    id: "resource",
    header: "Resource",
    width: 10,
    grow: 2,
    cell: (request) => read(request).resource,
    title: (request) => read(request).resource,
  },
  {
    id: "requester",
    header: "Requester",
    width: 8,
    cell: (request) => read(request).requester,
    title: ({ user_email }) => user_email,
    stacked: "line",
  },
  {
    id: "reason",
    header: "Reason",
    width: 9,
    grow: 2,
    cell: (request) => read(request).reason,
    title: (request) => read(request).reason,
    isRoomy: true,
    stacked: "line",
  },
  {
    id: "status",
    header: "Status",
    width: 7,
    grow: 0,
    cell: (request) => <CurrentStatus request={request} />,
    stacked: "badge",
  },
  { id: "risk", header: "Risk", width: 6.5, grow: 0, cell: (request) => <Risk request={request} />, stacked: "badge" },
  {
    id: "requested",
    header: "Requested",
    width: 6.5,
    grow: 0,
    cell: (request) => <RelativeTime moment={read(request).requestTime} />,
  },
  {
    id: "duration",
    header: "Duration",
    width: 5.5,
    grow: 0,
    cell: (request) => read(request).requestedDuration,
    isRoomy: true,
  },
  {
    id: "period",
    header: "Remaining",
    width: 8,
    grow: 0,
    cell: (request) => <Period request={request} />,
    isRoomy: true,
    stacked: "line",
  },
  {
    id: "approver",
    header: "Decided By",
    width: 8,
    cell: (request) => read(request).approver,
    title: (request) => read(request).approver ?? undefined,
    isOptional: true,
  },
  {
    id: "ticket",
    header: "Ticket",
    width: 6,
    cell: ({ ticket }) => ticket,
    title: ({ ticket }) => ticket ?? undefined,
    isOptional: true,
  },
];

export const REQUEST_COLUMNS = sortableBy(REQUEST_SORT_FIELDS, COLUMNS);

function CurrentStatus({ request }: { request: AccessRequest }) {
  return <RequestStatusBadge status={readRequestAnswer(request, useNow()).status} />;
}

function Risk({ request }: { request: AccessRequest }) {
  if (request.is_break_glass) return <Tag tone="danger">Break-glass</Tag>;
  return <SeverityBadge severity={read(request).riskLevel} />;
}

/** The remaining time of a grant, or the start of one that is not active yet. */
function Period({ request }: { request: AccessRequest }) {
  const now = useNow();
  const { status, expires_at: end, starts_at: start } = request;
  if ((status === "active" || status === "expiring_soon") && end !== null)
    return <span title={absoluteTime(end)}>{remainingText(Date.parse(end) - now)}</span>;
  if (status !== "approved" && status !== "pending") return null;
  if (start === null) return "Starts on approval";
  return <span title={absoluteTime(start)}>{`Starts ${nearTime(start, now)}`}</span>;
}

export interface RequestTableProps {
  requests: readonly AccessRequest[];
  settings: TableSettings;
  onOpen: (dialog: RequestDialog, request: AccessRequest) => void;
  hasMore: boolean;
  canLoadMore: boolean;
  onMore: () => void;
}

const nameOf = (request: AccessRequest): string => {
  const { resource, requester } = read(request);
  return `${resource} for ${requester}`;
};
const isAlarming = ({ is_break_glass: isBreakGlass }: AccessRequest): boolean => isBreakGlass;

export function RequestTable({ requests, onOpen, ...more }: RequestTableProps) {
  const actionsOf = useCallback((request: AccessRequest): RowAction[] => actionsOn(request, onOpen), [onOpen]);
  const openDetails = useCallback((request: AccessRequest) => onOpen("details", request), [onOpen]);
  return (
    <DataTable
      label="Access requests"
      rows={requests}
      columns={REQUEST_COLUMNS}
      nameOf={nameOf}
      onOpen={openDetails}
      actionsOf={actionsOf}
      isAlarming={isAlarming}
      {...more}
    />
  );
}

function actionsOn(request: AccessRequest, onOpen: RequestTableProps["onOpen"]): RowAction[] {
  const { account_id: accountId, can } = request;
  return [
    ...actsOf(request).map(({ act, label, icon, color }) => ({
      label,
      icon,
      isDanger: color === "red",
      onClick: () => onOpen(act, request),
    })),
    { label: "Details", icon: IconListDetails, onClick: () => onOpen("details", request) },
    ...(accountId !== null && can.includes("connect")
      ? [{ label: "Connect", icon: IconTerminal2, to: paths.connect(accountId) }]
      : []),
    ...(accountId !== null && can.includes("retrieve")
      ? [{ label: "Open Account", icon: IconArrowRight, to: paths.account(accountId) }]
      : []),
  ];
}
