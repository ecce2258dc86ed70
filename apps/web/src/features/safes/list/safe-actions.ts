// The entries in the menu of a safe, in the table and on cards.
import { IconPencil, IconTrash, IconUserShield, IconUsers } from "@tabler/icons-react";
import type { Safe } from "@strongroom/contract";
import { paths } from "#shared/paths.ts";
import type { RowAction } from "#shared/ui/row-menu.tsx";
import { may } from "../safe-labels.ts";

/** Dialogs that a card or row opens. The page renders them, because scrolling may unmount the card. */
export type SafeDialog = "edit" | "delete";

/** Only the actions that the caller may perform (OPEN-19). */
export function safeActions(safe: Safe, onOpen: (dialog: SafeDialog, safe: Safe) => void): RowAction[] {
  const links: RowAction[] = [
    { label: "Accounts", icon: IconUserShield, to: paths.safe(safe.id) },
    { label: "Members", icon: IconUsers, to: paths.safe(safe.id, "members") },
  ];
  if (!may(safe, "manage_safe")) return links;
  return [
    ...links,
    { label: "Edit", icon: IconPencil, onClick: () => onOpen("edit", safe) },
    { label: "Delete", icon: IconTrash, onClick: () => onOpen("delete", safe), isDanger: true },
  ];
}
