// The discovered accounts as a dense table: the default above 20 accounts.
import { IconCheck, IconEye, IconExternalLink, IconX } from "@tabler/icons-react";
import type { DiscoveredAccount } from "@strongroom/contract";
import { useCallback } from "react";
import { paths } from "#shared/paths.ts";
import { DataTable, type DataColumn, type DataTableProps } from "#shared/ui/data-table.tsx";
import type { TableSettings } from "#shared/ui/data-table-settings.ts";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import type { RowAction } from "#shared/ui/row-menu.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { ACCOUNT_BADGES, ONBOARDING_BADGES, PRIVILEGE_LABELS, SYSTEM_LABELS } from "../discovery-labels.ts";
import { AccountTags, isDecidable, type OpenAccounts } from "./discovered-row.tsx";

export const DISCOVERED_COLUMNS: readonly DataColumn<DiscoveredAccount>[] = [
  {
    id: "account",
    header: "Account",
    width: 9,
    grow: 2,
    cell: ({ account_name }) => <bdi>{account_name}</bdi>,
    title: ({ account_name }) => account_name,
  },
  {
    id: "host",
    header: "Host",
    width: 10,
    grow: 2,
    cell: ({ hostname_ip }) => hostname_ip,
    title: ({ hostname_ip }) => hostname_ip,
    stacked: "line",
  },
  { id: "status", header: "Status", width: 10, grow: 0, cell: statusBadge, stacked: "badge" },
  {
    id: "privilege",
    header: "Privilege",
    width: 9,
    cell: privilegeText,
    title: privilegeText,
    stacked: "line",
  },
  { id: "notes", header: "Notes", width: 11, cell: (account) => <AccountTags account={account} />, stacked: "badge" },
  { id: "system", header: "System", width: 5.5, cell: ({ system_type }) => SYSTEM_LABELS[system_type], isRoomy: true },
  {
    id: "login",
    header: "Last Login",
    width: 7,
    grow: 0,
    cell: ({ discovery_metadata: { last_login_at } }) => <RelativeTime moment={last_login_at} none="unknown" />,
    isRoomy: true,
  },
  {
    id: "password",
    header: "Password Changed",
    width: 8.5,
    grow: 0,
    cell: ({ discovery_metadata: { password_changed_at } }) => (
      <RelativeTime moment={password_changed_at} none="unknown" />
    ),
    isOptional: true,
  },
  {
    id: "found",
    header: "First Found",
    width: 7,
    grow: 0,
    cell: ({ discovered_at }) => <RelativeTime moment={discovered_at} />,
    isRoomy: true,
  },
  {
    id: "seen",
    header: "Last Found",
    width: 7,
    grow: 0,
    cell: ({ last_seen_at }) => <RelativeTime moment={last_seen_at} />,
    isOptional: true,
  },
];

function statusBadge({ status, onboarding }: DiscoveredAccount) {
  return <StatusBadge {...(onboarding === null ? ACCOUNT_BADGES[status] : ONBOARDING_BADGES[onboarding.state])} />;
}

function privilegeText({ discovery_metadata: { privilege, is_privileged } }: DiscoveredAccount): string {
  return privilege === null ? (is_privileged ? "Privileged" : "–") : PRIVILEGE_LABELS[privilege];
}

type Passed = "rows" | "selection" | "hasMore" | "canLoadMore" | "onMore" | "isStale";

export interface DiscoveredTableProps extends Pick<DataTableProps<DiscoveredAccount>, Passed> {
  settings: TableSettings;
  onOpen: OpenAccounts;
}

const nameOf = ({ account_name, hostname_ip }: DiscoveredAccount): string => `${account_name} on ${hostname_ip}`;

export function DiscoveredTable({ onOpen, ...table }: DiscoveredTableProps) {
  const open = useCallback((account: DiscoveredAccount) => onOpen("details", [account]), [onOpen]);
  const actionsOf = useCallback(
    (account: DiscoveredAccount): RowAction[] => [
      { label: "Details", icon: IconEye, onClick: () => onOpen("details", [account]) },
      ...(account.account_id === null
        ? []
        : [{ label: "Open the Account in Its Safe", icon: IconExternalLink, to: paths.account(account.account_id) }]),
      ...(isDecidable(account)
        ? [
            { label: "Approve", icon: IconCheck, onClick: () => onOpen("approve", [account]) },
            { label: "Reject", icon: IconX, onClick: () => onOpen("reject", [account]), isDanger: true },
          ]
        : []),
    ],
    [onOpen],
  );
  return (
    <DataTable
      {...table}
      label="Discovered accounts"
      columns={DISCOVERED_COLUMNS}
      nameOf={nameOf}
      onOpen={open}
      actionsOf={actionsOf}
      isSelectable={isDecidable}
    />
  );
}
