// The users of the installation: search, filters and actions.
import { Button, Select } from "@mantine/core";
import { IconUserPlus, IconUsers } from "@tabler/icons-react";
import { ROLES, UserSort, type User } from "@strongroom/contract";
import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, lazy, useState } from "react";
import { useSearchParams } from "react-router";
import { isCallError, messageOf } from "#shared/api/call-error.ts";
import { invalidatePath } from "#shared/api/query.ts";
import { searchOf, withParam } from "#shared/format/address.ts";
import { capitalised } from "#shared/format/text.ts";
import { SavedViewsMenu } from "#shared/saved-views/saved-views-menu.tsx";
import { AddressSearch } from "#shared/ui/address-search.tsx";
import { ColumnChoice, TableSkeleton } from "#shared/ui/data-table-tools.tsx";
import { useTableSettings, type TableSettings } from "#shared/ui/data-table-settings.ts";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import type { PersonDialog } from "#shared/ui/person-dialog.ts";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState, ErrorState } from "#shared/ui/states.tsx";
import { toast } from "#shared/ui/toast.ts";
import classes from "#shared/ui/admin-console.module.css";
import type { RequestedReset } from "./admin-reset-dialog.tsx";
import { createResetLink, inviteOnceMore, userList, type UserFilter } from "../users.queries.ts";
import type { IssuedLink } from "./issued-link-note.tsx";
import { useUserAction } from "./user-action-dialog.tsx";
import { USER_COLUMNS, UserTable } from "./user-table.tsx";

const AdminResetForm = lazy(() => import("./admin-reset-dialog.tsx"));
const IssuedLinkNote = lazy(() => import("./issued-link-note.tsx"));
const InviteUserForm = lazy(() => import("./invite-user-form.tsx"));

const STATUSES = ["pending", "active", "disabled", "invited"] as const;
const STATUS_LABELS = { pending: "Waiting for activation", active: "Active", disabled: "Disabled", invited: "Invited" };

function filterIn(params: URLSearchParams): UserFilter {
  const search = searchOf(params);
  const role = ROLES.find((each) => each === params.get("role"));
  const status = STATUSES.find((each) => each === params.get("status"));
  const sort = UserSort.safeParse(params.get("sort")).data;
  return { ...(search && { search }), ...(role && { role }), ...(status && { status }), ...(sort && { sort }) };
}

export interface UsersCardProps {
  /** Shows the API tokens of a user. */
  TokensDialog: PersonDialog;
}

export function UsersCard({ TokensDialog }: UsersCardProps) {
  const [params] = useSearchParams();
  const settings = useTableSettings("users", USER_COLUMNS);
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
          Invite User
        </Button>
      }
    >
      <Toolbar settings={settings} />
      <Users filter={filterIn(params)} settings={settings} onIssued={show} TokensDialog={TokensDialog} />
      <Modal opened={isInviting} onClose={() => setIsInviting(false)} title="Invite User">
        <Suspense fallback={null}>
          {isInviting && <InviteUserForm onDone={show} onCancel={() => setIsInviting(false)} />}
        </Suspense>
      </Modal>
      {/* Only the dialog's own button closes it, so that the link is not lost by accident. */}
      <Modal
        opened={issued !== null}
        onClose={() => setIssued(null)}
        title={issued?.isInvitation === true ? "Invitation Link" : "Reset Link"}
        size="lg"
        isInsistent
        isShort
      >
        <Suspense fallback={null}>
          {issued !== null && <IssuedLinkNote issued={issued} onDone={() => setIssued(null)} />}
        </Suspense>
      </Modal>
    </SectionCard>
  );
}

function Toolbar({ settings }: { settings: TableSettings }) {
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
      <SavedViewsMenu list="users" columns={settings.isChosen ? settings.columns : null} />
      <ColumnChoice columns={USER_COLUMNS} settings={settings} />
    </div>
  );
}

interface UsersProps extends UsersCardProps {
  filter: UserFilter;
  settings: TableSettings;
  onIssued: (link: IssuedLink | null) => void;
}

function Users({ filter, settings, onIssued, TokensDialog }: UsersProps) {
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
  if (users.isPending) return <TableSkeleton text="Loading users..." />;
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
      <UserTable
        list={users}
        users={found}
        settings={settings}
        onAsk={ask}
        onIssue={issue}
        onRequestReset={setWish}
        onTokens={setHolder}
      />
      {users.isFetchingNextPage && <SectionLoading text="Loading users..." />}
      {users.isFetchNextPageError && (
        <ErrorState message={messageOf(users.error)} onRetry={() => void users.fetchNextPage()} />
      )}
      {dialog}
      <Suspense fallback={null}>
        {holder !== null && <TokensDialog person={holder} onClose={() => setHolder(null)} />}
      </Suspense>
      <Modal
        opened={wish !== null}
        onClose={() => setWish(null)}
        title={wish === null ? "" : `Reset the Sign-In of ${wish.user.name}`}
      >
        <Suspense fallback={null}>
          {wish !== null && <AdminResetForm wish={wish} onDone={() => setWish(null)} />}
        </Suspense>
      </Modal>
    </>
  );
}
