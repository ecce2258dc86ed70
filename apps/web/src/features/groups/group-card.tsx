// One group: its kind, its number of members, and whether they have emergency access.
import { IconPencil, IconTrash, IconUrgent, IconUsers, IconUsersGroup } from "@tabler/icons-react";
import type { Group } from "@strongroom/contract";
import { CardButton, CardSign, CardSigns, ItemCard } from "#shared/ui/item-card.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { BREAK_GLASS_HINT, KIND_LABELS } from "./group-form-values.ts";

export type GroupDialog = "people" | "edit" | "delete";

export interface GroupCardProps {
  group: Group;
  canManage: boolean;
  onOpen: (dialog: GroupDialog, group: Group) => void;
}

export function GroupCard({ group, canManage, onOpen }: GroupCardProps) {
  return (
    <ItemCard
      icon={<IconUsersGroup size={20} stroke={1.6} aria-hidden />}
      title={group.name}
      subtitle={KIND_LABELS[group.kind]}
      badges={
        group.may_break_glass && (
          <Tag tone="warning" icon={<IconUrgent size={13} aria-hidden />} title={BREAK_GLASS_HINT}>
            Emergency access
          </Tag>
        )
      }
      facts={[
        { name: "Description", value: group.description ?? "None", title: group.description ?? undefined },
        { name: "People", value: group.member_count.toLocaleString() },
        { name: "Created", value: <RelativeTime moment={group.created_at} /> },
      ]}
      actions={
        <>
          <CardButton label="People" icon={IconUsers} onClick={() => onOpen("people", group)} isPrimary />
          {canManage && (
            <CardSigns>
              <CardSign label="Edit" icon={IconPencil} onClick={() => onOpen("edit", group)} />
              <CardSign label="Delete" icon={IconTrash} onClick={() => onOpen("delete", group)} />
            </CardSigns>
          )}
        </>
      }
    />
  );
}
