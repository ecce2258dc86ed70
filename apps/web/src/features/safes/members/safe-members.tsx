// The members of a safe with role and expiry, and buttons to add, edit and remove them for users with permission.
import { ActionIcon, Button, Table, VisuallyHidden } from "@mantine/core";
import { IconPencil, IconPlus, IconTrash, IconUser, IconUsers, IconUsersGroup } from "@tabler/icons-react";
import {
  SAFE_PERMISSION_LABELS,
  SAFE_ROLE_LABELS,
  isMachineAddress,
  type Safe,
  type SafeMember,
} from "@strongroom/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { isCallError } from "#shared/api/call-error.ts";
import { counted } from "#shared/format/text.ts";
import { absoluteTime, shortDate } from "#shared/format/time.ts";
import { Loaded } from "#shared/ui/loaded.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { MachineBadge } from "#shared/ui/machine-badge.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { AddMemberDialog, EditMemberDialog, RemoveMemberDialog } from "./member-dialogs.tsx";
import { may } from "../safe-labels.ts";
import { safeMembers } from "../safes.queries.ts";
import classes from "../safes.module.css";

const ICON_SIZE = 16;
type MemberDialog = "edit" | "remove";

export function SafeMembers({ safe }: { safe: Safe }) {
  const members = useInfiniteQuery(safeMembers(safe.id));
  const canManage = may(safe, "manage_members");
  const [isAdding, setIsAdding] = useState(false);
  const [dialog, setDialog] = useState<MemberDialog | null>(null);
  const [chosen, setChosen] = useState<SafeMember | null>(null);
  const open = (which: MemberDialog, member: SafeMember) => {
    setChosen(member);
    setDialog(which);
  };
  const propsOf = (which: MemberDialog) => ({
    safe,
    opened: dialog === which,
    onClose: () => setDialog((open) => (open === which ? null : open)),
  });

  return (
    <SectionCard
      title="Members"
      description="Users with several memberships, direct or through groups, have the permissions of all of them."
      actions={
        canManage && (
          <Button
            size="compact-md"
            leftSection={<IconPlus size={ICON_SIZE} aria-hidden />}
            onClick={() => setIsAdding(true)}
          >
            Add Member
          </Button>
        )
      }
    >
      {isCallError(members.error) && members.error.status === 403 ? (
        <EmptyState icon={IconUsers} title="Only members can see this list" />
      ) : (
        <Loaded query={members}>
          {({ pages }) => (
            <>
              <MemberTable
                members={pages.flatMap((page) => page.members)}
                ownerId={safe.owner_id}
                onOpen={canManage ? open : null}
              />
              <LoadMore of={members} />
            </>
          )}
        </Loaded>
      )}
      <AddMemberDialog safe={safe} opened={isAdding} onClose={() => setIsAdding(false)} />
      {chosen !== null && (
        <div key={chosen.id}>
          <EditMemberDialog member={chosen} {...propsOf("edit")} />
          <RemoveMemberDialog member={chosen} {...propsOf("remove")} />
        </div>
      )}
    </SectionCard>
  );
}

type Open = (which: MemberDialog, member: SafeMember) => void;

interface MemberTableProps {
  members: readonly SafeMember[];
  ownerId: string;
  /** Null makes the table read-only. */
  onOpen: Open | null;
}

function MemberTable({ members, ownerId, onOpen }: MemberTableProps) {
  return (
    <Table verticalSpacing="xs" horizontalSpacing={6} highlightOnHover layout="fixed" aria-label="Members">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Member</Table.Th>
          <Table.Th className={classes.role}>Role</Table.Th>
          <Table.Th className={classes.wide}>Expires</Table.Th>
          <Table.Th className={classes.wide}>Added</Table.Th>
          {onOpen !== null && (
            <Table.Th className={classes.menu}>
              <VisuallyHidden component="span">Actions</VisuallyHidden>
            </Table.Th>
          )}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {members.map((member) => (
          <MemberRow key={member.id} member={member} isOwner={member.user_id === ownerId} onOpen={onOpen} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

interface MemberRowProps {
  member: SafeMember;
  /** The owner's membership cannot change until the safe has another owner. */
  isOwner: boolean;
  onOpen: Open | null;
}

function MemberRow({ member, isOwner, onOpen }: MemberRowProps) {
  const { name, group_id: groupId, expires_at: expiresAt } = member;
  return (
    <Table.Tr>
      <Table.Td>
        <div className={classes.who}>
          {groupId === null ? (
            <IconUser className={classes.whoIcon} size={ICON_SIZE} aria-hidden />
          ) : (
            <IconUsersGroup className={classes.whoIcon} size={ICON_SIZE} aria-label="Group" />
          )}
          <div className={classes.whoText}>
            <span className={classes.itemName} title={name}>
              {name}
            </span>
            <p className={classes.hint}>
              {groupId !== null ? (
                counted(member.people ?? 0, "person", "people")
              ) : isMachineAddress(member.email) ? (
                <MachineBadge email={member.email} />
              ) : (
                member.email
              )}
            </p>
            <p className={classes.narrowOnly}>
              {SAFE_ROLE_LABELS[member.role]}
              {expiresAt !== null && (
                <>
                  {" "}
                  · <Expiry member={member} />
                </>
              )}
            </p>
          </div>
        </div>
      </Table.Td>
      <Table.Td className={classes.role}>
        <Tag title={member.permissions.map((each) => SAFE_PERMISSION_LABELS[each]).join(", ")}>
          {SAFE_ROLE_LABELS[member.role]}
        </Tag>
        {member.role === "custom" && <p className={classes.hint}>{counted(member.permissions.length, "permission")}</p>}
      </Table.Td>
      <Table.Td className={classes.wide}>
        <Expiry member={member} />
      </Table.Td>
      <Table.Td className={classes.wide}>
        <RelativeTime moment={member.added_at} />
        {member.added_by !== null && <p className={classes.hint}>by {member.added_by}</p>}
      </Table.Td>
      {onOpen !== null && (
        <Table.Td className={classes.menu}>
          {!isOwner && (
            <div className={classes.signs}>
              <ActionIcon aria-label={`Edit ${name}`} onClick={() => onOpen("edit", member)}>
                <IconPencil size={ICON_SIZE} aria-hidden />
              </ActionIcon>
              <ActionIcon aria-label={`Remove ${name}`} onClick={() => onOpen("remove", member)}>
                <IconTrash size={ICON_SIZE} aria-hidden />
              </ActionIcon>
            </div>
          )}
        </Table.Td>
      )}
    </Table.Tr>
  );
}

function Expiry({ member: { expires_at: expiresAt, is_expired: isExpired } }: { member: SafeMember }) {
  if (expiresAt === null) return <span className={classes.hint}>Never</span>;
  return isExpired ? (
    <StatusBadge status="expired" label={`Expired ${shortDate(expiresAt)}`} />
  ) : (
    <time dateTime={expiresAt} title={absoluteTime(expiresAt)}>
      {shortDate(expiresAt)}
    </time>
  );
}
