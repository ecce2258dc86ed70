// The columns of the accounts table; the sortable ones are the fields by which the server sorts.
import { ACCOUNT_SORT_FIELDS, type Account } from "@strongroom/contract";
import { sortableBy } from "#shared/ui/data-table-settings.ts";
import type { DataColumn } from "#shared/ui/data-table.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { TagList } from "#shared/ui/tag-list.tsx";
import { VerificationBadge } from "#shared/ui/verification-badge.tsx";
import { AccountStatusBadge, RotationBadge } from "../account-badges.tsx";
import { systemTypeLabel } from "../account-labels.ts";
import { addressOf } from "../read-account.ts";

const COLUMNS: readonly DataColumn<Account>[] = [
  { id: "name", header: "Name", width: 10, grow: 2, cell: ({ name }) => name, title: ({ name }) => name },
  {
    id: "username",
    header: "Username",
    width: 6,
    cell: ({ username }) => username,
    title: ({ username }) => username,
    stacked: "line",
    isRoomy: true,
  },
  {
    id: "hostname_ip",
    header: "Hostname/IP",
    width: 10,
    grow: 3,
    cell: (account) => addressOf(account),
    title: (account) => addressOf(account),
    stacked: "line",
  },
  {
    id: "safe",
    header: "Safe",
    width: 7,
    cell: ({ safe_name }) => safe_name,
    title: ({ safe_name }) => safe_name,
    stacked: "line",
  },
  {
    id: "platform",
    header: "Platform",
    width: 8,
    cell: ({ platform_name }) => platform_name,
    title: ({ platform_name }) => platform_name,
    isOptional: true,
  },
  {
    id: "validation",
    header: "Validation",
    width: 9,
    grow: 0,
    cell: (account) => (
      <VerificationBadge status={account.last_validation_status} isHostKeyChanged={account.host_key_alarm !== null} />
    ),
    title: ({ validation_message }) => validation_message ?? undefined,
    stacked: "badge",
  },
  {
    id: "rotation",
    header: "Rotation",
    width: 6,
    grow: 0,
    cell: (account) => <RotationBadge account={account} />,
    stacked: "badge",
    isRoomy: true,
  },
  { id: "system", header: "System", width: 6, cell: ({ system_type }) => systemTypeLabel(system_type), isRoomy: true },
  {
    id: "tags",
    header: "Tags",
    width: 6,
    cell: ({ tags }) => <TagList tags={tags} />,
    stacked: "badge",
    isRoomy: true,
  },
  {
    id: "last_validated_at",
    header: "Last Validated",
    width: 6.5,
    grow: 0,
    cell: ({ last_validated_at }) => <RelativeTime moment={last_validated_at} />,
    isRoomy: true,
  },
  {
    id: "last_rotated_at",
    header: "Password Changed",
    width: 8.5,
    grow: 0,
    cell: ({ last_rotated_at }) => <RelativeTime moment={last_rotated_at} />,
    isOptional: true,
  },
  {
    id: "status",
    header: "Status",
    width: 6,
    grow: 0,
    cell: ({ status }) => <AccountStatusBadge status={status} />,
    isOptional: true,
  },
  {
    id: "last_accessed",
    header: "Last Accessed",
    width: 7,
    grow: 0,
    cell: ({ last_accessed }) => <RelativeTime moment={last_accessed} />,
    isOptional: true,
  },
  {
    id: "created_at",
    header: "Created",
    width: 7,
    grow: 0,
    cell: ({ created_at }) => <RelativeTime moment={created_at} />,
    isOptional: true,
  },
];

export const ACCOUNT_COLUMNS = sortableBy(ACCOUNT_SORT_FIELDS, COLUMNS);
