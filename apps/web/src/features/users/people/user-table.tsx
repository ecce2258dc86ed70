// The users as a dense table. The sortable columns are those by which the server sorts.
import { IconUser } from "@tabler/icons-react";
import { USER_SORT_FIELDS, type User } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { saveEvidence } from "#shared/audit/use-evidence.ts";
import { capitalised } from "#shared/format/text.ts";
import { paths } from "#shared/paths.ts";
import { useUser } from "#shared/session/session-store.ts";
import { DataTable, type DataColumn } from "#shared/ui/data-table.tsx";
import { sortableBy, type TableSettings } from "#shared/ui/data-table-settings.ts";
import { nextPageOf, type PagedList } from "#shared/ui/next-page.ts";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import type { RowAction } from "#shared/ui/row-menu.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { actionsOn, type UserHandlers } from "./user-row-actions.ts";

const COLUMNS: readonly DataColumn<User>[] = [
  { id: "name", header: "User", width: 10, grow: 2, cell: ({ name }) => name, title: ({ name }) => name },
  {
    id: "email",
    header: "Email",
    width: 12,
    grow: 2,
    cell: ({ email }) => email,
    title: ({ email }) => email,
    stacked: "line",
  },
  { id: "role", header: "Role", width: 5.5, grow: 0, cell: ({ role }) => capitalised(role), stacked: "line" },
  { id: "state", header: "State", width: 9, cell: (user) => <UserState user={user} />, stacked: "badge" },
  {
    id: "provider",
    header: "Signs In With",
    width: 8,
    cell: providerOf,
    title: providerOf,
    isRoomy: true,
  },
  {
    id: "last_signed_in_at",
    header: "Last Signed In",
    width: 7.5,
    grow: 0,
    cell: ({ last_signed_in_at: at }) => <RelativeTime moment={at} />,
    isRoomy: true,
  },
  {
    id: "sessions",
    header: "Open Sessions",
    width: 6.5,
    grow: 0,
    cell: ({ open_sessions: count }) => count.toLocaleString(),
    isRoomy: true,
  },
  {
    id: "created_at",
    header: "Created",
    width: 6.5,
    grow: 0,
    cell: ({ created_at: at }) => <RelativeTime moment={at} />,
    isOptional: true,
  },
];

function providerOf({ signs_in_through: provider }: User): string {
  return provider ?? "Local password";
}

export const USER_COLUMNS = sortableBy(USER_SORT_FIELDS, COLUMNS);

/** Everything but an ordinary active user. */
function UserState({ user }: { user: User }) {
  const isOneself = useUser().id === user.id;
  return (
    <>
      {isOneself && <Tag>You</Tag>}
      {user.status === "disabled" && <StatusBadge status="inactive" label="Disabled" />}
      {user.status === "pending" && <Tag tone="warning">Waiting for activation</Tag>}
      {user.invited_at !== null && <Tag tone="info">Invited</Tag>}
      {user.slowed_down_until !== null && <Tag tone="warning">Temporarily locked</Tag>}
      {user.requested_role !== null && <Tag tone="warning">Requests {capitalised(user.requested_role)}</Tag>}
    </>
  );
}

export interface UserTableProps extends UserHandlers {
  list: PagedList;
  users: readonly User[];
  settings: TableSettings;
}

const nameOf = ({ name }: User): string => name;

export function UserTable({ list, users, settings, onAsk, onIssue, onRequestReset, onTokens }: UserTableProps) {
  const client = useQueryClient();
  const ownId = useUser().id;
  const handlers = useMemo(
    () => ({ onAsk, onIssue, onRequestReset, onTokens }),
    [onAsk, onIssue, onRequestReset, onTokens],
  );
  const actionsOf = useCallback(
    (user: User): RowAction[] =>
      // Users cannot change their own role or status; the server refuses such a change as well.
      user.id === ownId
        ? [{ label: "My Profile", icon: IconUser, to: paths.profile }]
        : actionsOn(user, handlers, () => void saveEvidence(client, { about: "user", id: user.id })),
    [client, ownId, handlers],
  );
  return (
    <DataTable
      label="Users"
      rows={users}
      columns={USER_COLUMNS}
      settings={settings}
      nameOf={nameOf}
      actionsOf={actionsOf}
      {...nextPageOf(list)}
    />
  );
}
