// The users of the installation: search, filters and actions.
import { Button, Select, Table, VisuallyHidden } from "@mantine/core";
import { IconUserPlus, IconUsers } from "@tabler/icons-react";
import { ROLES, type User } from "@strongroom/contract";
import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, lazy, useState } from "react";
import { useSearchParams } from "react-router";
import { isCallError, messageOf } from "#shared/api/call-error.ts";
import { invalidatePath } from "#shared/api/query.ts";
import { searchOf, withParam } from "#shared/format/address.ts";
import { capitalised } from "#shared/format/text.ts";
import { useUser } from "#shared/session/session-store.ts";
import { AddressSearch } from "#shared/ui/address-search.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import type { PersonDialog } from "#shared/ui/person-dialog.ts";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { toast } from "#shared/ui/toast.ts";
import classes from "#shared/ui/admin-console.module.css";
import type { RequestedReset } from "./admin-reset-dialog.tsx";
import { createResetLink, inviteOnceMore, userList, type UserFilter } from "../users.queries.ts";
import type { IssuedLink } from "./issued-link-note.tsx";
import { useUserAction } from "./user-action-dialog.tsx";
import { UserMenu, type UserMenuProps } from "./user-menu.tsx";

const AdminResetForm = lazy(() => import("./admin-reset-dialog.tsx"));
const IssuedLinkNote = lazy(() => import("./issued-link-note.tsx"));
const InviteUserForm = lazy(() => import("./invite-user-form.tsx"));

const STATUSES = ["pending", "active", "disabled", "invited"] as const;
const STATUS_LABELS = { pending: "Waiting for activation", active: "Active", disabled: "Disabled", invited: "Invited" };

function filterIn(params: URLSearchParams): UserFilter {
  const search = searchOf(params);
  const role = ROLES.find((each) => each === params.get("role"));
  const status = STATUSES.find((each) => each === params.get("status"));
  return { ...(search && { search }), ...(role && { role }), ...(status && { status }) };
}

export interface UsersCardProps {
  /** Shows the API tokens of a user. */
  TokensDialog: PersonDialog;
}

export function UsersCard({ TokensDialog }: UsersCardProps) {
  const [params] = useSearchParams();
  const [isInviting, setIsInviting] = useState(false);
  const [issued, setIssued] = useState<IssuedLink | null>(null);
  const client = useQueryClient();
  const show = (link: IssuedLink | null): void => {
    setIsInviting(false);
    setIssued(link);
    void invalidatePath(client, "/api/v1/users");
  };
  return (
    <SectionCard
      title="Users"
      actions={
        <Button size="sm" leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setIsInviting(true)}>
          Invite user
        </Button>
      }
    >
      <Toolbar />
      <Users filter={filterIn(params)} onIssued={show} TokensDialog={TokensDialog} />
      <Modal opened={isInviting} onClose={() => setIsInviting(false)} title="Invite user">
        <Suspense fallback={null}>
          {isInviting && <InviteUserForm onDone={show} onCancel={() => setIsInviting(false)} />}
        </Suspense>
      </Modal>
      {/* Only the dialog's own button closes it, so that the link is not lost by accident. */}
      <Modal
        opened={issued !== null}
        onClose={() => setIssued(null)}
        title={issued?.isInvitation === true ? "Invitation link" : "Reset link"}
        size="lg"
        isInsistent
      >
        <Suspense fallback={null}>
          {issued !== null && <IssuedLinkNote issued={issued} onDone={() => setIssued(null)} />}
        </Suspense>
      </Modal>
    </SectionCard>
  );
}

function Toolbar() {
  const [params, setParams] = useSearchParams();
  const set = (part: string) => (next: string | null) =>
    setParams((before) => withParam(before, part, next ?? ""), { replace: true });
  return (
    <div className={classes.toolbar} role="search" aria-label="Users">
      <AddressSearch label="Search users" placeholder="Search by name or email" />
      <Select
        className={classes.choice}
        aria-label="Role"
        data={[{ value: "", label: "All roles" }, ...ROLES.map((value) => ({ value, label: capitalised(value) }))]}
        value={params.get("role") ?? ""}
        allowDeselect={false}
        onChange={set("role")}
      />
      <Select
        className={classes.choice}
        aria-label="Status"
        data={[
          { value: "", label: "All statuses" },
          ...STATUSES.map((value) => ({ value, label: STATUS_LABELS[value] })),
        ]}
        value={params.get("status") ?? ""}
        allowDeselect={false}
        onChange={set("status")}
      />
    </div>
  );
}

interface UsersProps extends UsersCardProps {
  filter: UserFilter;
  onIssued: (link: IssuedLink | null) => void;
}

function Users({ filter, onIssued, TokensDialog }: UsersProps) {
  const users = useInfiniteQuery({ ...userList(filter), placeholderData: keepPreviousData });
  const { ask, dialog } = useUserAction();
  const [holder, setHolder] = useState<User | null>(null);
  const [wish, setWish] = useState<RequestedReset | null>(null);
  const issue = (user: User): void => {
    const isInvitation = user.invited_at !== null;
    const issuing = isInvitation ? inviteOnceMore(user.id, "link") : createResetLink(user.id);
    issuing.then(
      ({ link, expires_at: expiresAt }) =>
        onIssued(link === null ? null : { email: user.email, link, expiresAt, isInvitation }),
      (error: unknown) => {
        // The user has become an administrator since the list loaded, so the reset needs a second administrator.
        if (isCallError(error) && error.code === "admin-reset.second-needed") setWish({ user, kind: "password" });
        else toast.error(messageOf(error));
      },
    );
  };
  return (
    <Loaded query={users}>
      {({ pages }) => {
        const found = pages.flatMap((page) => page.data);
        if (found.length === 0)
          return <EmptyState title="No users found" text="Try adjusting your search terms" icon={IconUsers} />;
        return (
          <>
            <UserTable users={found} onAsk={ask} onIssue={issue} onRequestReset={setWish} onTokens={setHolder} />
            <LoadMore of={users} />
            {dialog}
            <Suspense fallback={null}>
              {holder !== null && <TokensDialog person={holder} onClose={() => setHolder(null)} />}
            </Suspense>
            <Modal
              opened={wish !== null}
              onClose={() => setWish(null)}
              title={wish === null ? "" : `Reset the sign-in of ${wish.user.name}`}
            >
              <Suspense fallback={null}>
                {wish !== null && <AdminResetForm wish={wish} onDone={() => setWish(null)} />}
              </Suspense>
            </Modal>
          </>
        );
      }}
    </Loaded>
  );
}

type RowActions = Omit<UserMenuProps, "user">;

function UserTable({ users, ...actions }: RowActions & { users: readonly User[] }) {
  return (
    <Table verticalSpacing="xs" horizontalSpacing={6} highlightOnHover layout="fixed" aria-label="Users">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>User</Table.Th>
          <Table.Th className={classes.role}>Role</Table.Th>
          <Table.Th className={classes.provider}>Signs in with</Table.Th>
          <Table.Th className={classes.wide}>Last signed in</Table.Th>
          <Table.Th className={classes.wide}>Open sessions</Table.Th>
          <Table.Th className={classes.menu}>
            <VisuallyHidden component="span">Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {users.map((user) => (
          <UserRow key={user.id} user={user} {...actions} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function UserRow({ user, ...actions }: RowActions & { user: User }) {
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
          {user.status === "pending" && <Tag tone="warning">Waiting for activation</Tag>}
          {user.invited_at !== null && <Tag tone="info">Invited</Tag>}
          {user.slowed_down_until !== null && <Tag tone="warning">Temporarily locked</Tag>}
          {user.requested_role !== null && <Tag tone="warning">Requests {capitalised(user.requested_role)}</Tag>}
        </div>
        <p className={classes.email} title={user.email}>
          <span className={classes.narrow}>{capitalised(user.role)} · </span>
          {user.email}
        </p>
      </Table.Td>
      <Table.Td className={classes.role}>{capitalised(user.role)}</Table.Td>
      <Table.Td className={classes.provider} title={user.signs_in_through ?? undefined}>
        {user.signs_in_through ?? "Local password"}
      </Table.Td>
      <Table.Td className={classes.wide}>
        <RelativeTime moment={user.last_signed_in_at} />
      </Table.Td>
      <Table.Td className={classes.wide}>{user.open_sessions}</Table.Td>
      {/* Users cannot change their own role or status; the server refuses such a change as well. */}
      <Table.Td className={classes.menu}>{!isOneself && <UserMenu user={user} {...actions} />}</Table.Td>
    </Table.Tr>
  );
}
