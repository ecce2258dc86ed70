// One safe in the grid: its details, owner, counts and actions (SAFE-05, SAFE-06).
import { IconBuildingBank, IconPencil, IconUserShield, IconUsers } from "@tabler/icons-react";
import type { Safe } from "@strongroom/contract";
import { memo } from "react";
import { paths } from "#shared/paths.ts";
import { CardButton, CardSign, CardSigns, ItemCard } from "#shared/ui/item-card.tsx";
import { RowMenu } from "#shared/ui/row-menu.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { ACCESS_HINTS, ACCESS_LABELS, STATUS_BADGES, TYPE_LABELS, may } from "../safe-labels.ts";
import { safeActions, type SafeDialog } from "./safe-actions.ts";
import classes from "../safes.module.css";

export interface SafeCardProps {
  safe: Safe;
  onOpen: (dialog: SafeDialog, safe: Safe) => void;
}

/** Memoised: renders only when its safe changes, not when the grid scrolls. */
export const SafeCard = memo(function SafeCard({ safe, onOpen }: SafeCardProps) {
  const canManage = may(safe, "manage_safe");
  return (
    <ItemCard
      icon={<IconBuildingBank size={20} stroke={1.6} aria-hidden />}
      title={safe.name}
      to={paths.safe(safe.id)}
      subtitle={TYPE_LABELS[safe.safe_type]}
      badges={<StatusBadge {...STATUS_BADGES[safe.status]} />}
      facts={[
        { name: "Owner", value: safe.owner_name, title: `${safe.owner_name} · ${safe.owner_email}` },
        { name: "Access Level", value: ACCESS_LABELS[safe.access_level], title: ACCESS_HINTS[safe.access_level] },
        { name: "Accounts", value: safe.account_count.toLocaleString() },
        { name: "Users", value: safe.permission_count.toLocaleString() },
      ]}
      note={
        <p className={classes.description} data-empty={safe.description === null} title={safe.description ?? undefined}>
          {safe.description ?? "No description"}
        </p>
      }
      actions={
        <>
          {canManage && <CardButton label="Edit" icon={IconPencil} onClick={() => onOpen("edit", safe)} />}
          <CardSigns>
            <CardSign label="Members" icon={IconUsers} to={paths.safe(safe.id, "members")} />
            <CardSign label="Accounts" icon={IconUserShield} to={paths.safe(safe.id)} />
            {canManage && <RowMenu name={safe.name} actionsOf={() => safeActions(safe, onOpen)} />}
          </CardSigns>
        </>
      }
    />
  );
});
