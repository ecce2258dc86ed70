// The people who can sign in: search, roles, sessions, and what an administrator can do with each.
import { ActionIcon, Button, Menu, Table, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import {
  IconDots,
  IconLogout,
  IconSearch,
  IconTrash,
  IconUserCheck,
  IconUserCog,
  IconUserOff,
  IconUsers,
} from "@tabler/icons-react";
import { ROLES, type User } from "@strongroom/contract";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { capitalised } from "#shared/format/text.ts";
import { useUser } from "#shared/session/session-store.ts";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState, ErrorState } from "#shared/ui/states.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import classes from "./admin-page.module.css";
import { userList } from "./admin.queries.ts";
import { useUserAction } from "./user-action-dialog.tsx";
import type { UserAction } from "./user-actions.ts";

const TYPING_PAUSE_MS = 250;

export function UsersCard() {
  const [text, setText] = useState("");
  const [search] = useDebouncedValue(text.trim(), TYPING_PAUSE_MS);
  return (
    <SectionCard
      title="Users"
      actions={
        <TextInput
          className={classes.search}
          size="sm"
          aria-label="Search users"
          placeholder="Search by name or email"
          maxLength={100}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      }
    >
      <Users search={search} />
    </SectionCard>
  );
}

function Users({ search }: { search: string }) {
  const users = useInfiniteQuery({ ...userList(search), placeholderData: keepPreviousData });
  const { ask, dialog } = useUserAction();
  if (users.isPending) return <SectionLoading />;
  if (users.data === undefined) {
    return (
      <ErrorState message={messageOf(users.error)} onRetry={() => void users.refetch()} isRetrying={users.isFetching} />
    );
  }
  const found = users.data.pages.flatMap((page) => page.data);
  if (found.length === 0)
    return <EmptyState title="No users found" text="Try adjusting your search terms" icon={IconUsers} />;
  return (
    <>
      <Table verticalSpacing="xs" horizontalSpacing={6} highlightOnHover layout="fixed" aria-label="Users">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>User</Table.Th>
            <Table.Th className={classes.role}>Role</Table.Th>
            <Table.Th className={classes.wide}>Last signed in</Table.Th>
            <Table.Th className={classes.wide}>Open sessions</Table.Th>
            <Table.Th className={classes.menu}>
              <span className={classes.hidden}>Actions</span>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {found.map((user) => (
            <UserRow key={user.id} user={user} onAsk={ask} />
          ))}
        </Table.Tbody>
      </Table>
      {users.hasNextPage && (
        <Button
          variant="default"
          size="compact-md"
          mt="sm"
          onClick={() => void users.fetchNextPage()}
          loading={users.isFetchingNextPage}
        >
          Load more
        </Button>
      )}
      {dialog}
    </>
  );
}

interface UserRowProps {
  user: User;
  onAsk: (action: UserAction) => void;
}

function UserRow({ user, onAsk }: UserRowProps) {
  const isOneself = useUser().id === user.id;
  return (
    <Table.Tr>
      <Table.Td>
        <div className={classes.person}>
          <span className={classes.name} title={user.name}>
            {user.name}
          </span>
          {isOneself && <Tag>You</Tag>}
          {user.status === "disabled" && <StatusBadge status="inactive" label="Disabled" />}
          {user.requested_role !== null && <Tag tone="warning">Asks for {capitalised(user.requested_role)}</Tag>}
        </div>
        <p className={classes.email} title={user.email}>
          {user.email}
        </p>
      </Table.Td>
      <Table.Td className={classes.role}>{capitalised(user.role)}</Table.Td>
      <Table.Td className={classes.wide}>
        <RelativeTime moment={user.last_signed_in_at} />
      </Table.Td>
      <Table.Td className={classes.wide}>{user.open_sessions}</Table.Td>
      {/* Nobody changes their own role or status: the server refuses it too. */}
      <Table.Td className={classes.menu}>{!isOneself && <UserMenu user={user} onAsk={onAsk} />}</Table.Td>
    </Table.Tr>
  );
}

function UserMenu({ user, onAsk }: UserRowProps) {
  return (
    // Inside the page's landmarks, and without the placeholder that takes the first focus: it is no item of a menu.
    <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon aria-label={`Actions for ${user.name}`}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {ROLES.filter((role) => role !== user.role).map((role) => (
          <Menu.Item
            key={role}
            leftSection={<IconUserCog size={16} aria-hidden />}
            onClick={() => onAsk({ kind: "role", user, role })}
          >
            Make {capitalised(role)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconLogout size={16} aria-hidden />}
          disabled={user.open_sessions === 0}
          onClick={() => onAsk({ kind: "end-sessions", user })}
        >
          End sessions
        </Menu.Item>
        {user.status === "active" ? (
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconUserOff size={16} aria-hidden />}
            onClick={() => onAsk({ kind: "status", user, status: "disabled" })}
          >
            Disable
          </Menu.Item>
        ) : (
          <Menu.Item
            leftSection={<IconUserCheck size={16} aria-hidden />}
            onClick={() => onAsk({ kind: "status", user, status: "active" })}
          >
            Enable
          </Menu.Item>
        )}
        <Menu.Item
          c="var(--mantine-color-error)"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={() => onAsk({ kind: "delete", user })}
        >
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
