// The actions on a discovery target: the main ones as buttons, the others in the menu of its row.
import { IconCloudSearch, IconEye, IconPencil, IconPower, IconRadar2, IconTrash, type Icon } from "@tabler/icons-react";
import { hasAccounts, isCloud, type DiscoveryTarget } from "@strongroom/contract";
import type { TargetAction } from "#shared/discovery/discovery-tab.ts";
import type { RowAction } from "#shared/ui/row-menu.tsx";
import { isOpen } from "../discovery-labels.ts";

/** `action` is the action of another feature. The list renders the dialogs, because scrolling may unmount the row. */
export type TargetDialog = "scan" | "action" | "details" | "cloud" | "edit" | "delete";

export interface TargetHandlers {
  action: TargetAction | undefined;
  onOpen: (dialog: TargetDialog, target: DiscoveryTarget) => void;
  /** Enables or disables the target. */
  onSwitch: (target: DiscoveryTarget) => void;
}

export interface MainAction {
  label: string;
  /** The accessible name. */
  name: string;
  icon: Icon;
  isDisabled: boolean;
  onClick: () => void;
}

const isScannable = ({ is_active: isActive, last_scan: last }: DiscoveryTarget): boolean =>
  isActive && (last === null || !isOpen(last.status));

/** DISC-10: scan and enhanced scan. */
export function mainActions(target: DiscoveryTarget, { action, onOpen }: TargetHandlers): MainAction[] {
  const scan = {
    label: "Scan",
    name: `Scan ${target.name}`,
    icon: IconRadar2,
    isDisabled: !isScannable(target),
    onClick: () => onOpen("scan", target),
  };
  return [
    ...(target.can_manage && hasAccounts(target.target_type) ? [scan] : []),
    ...(target.can_manage && action?.isOffered(target) === true
      ? [
          {
            label: action.label,
            name: action.nameOf(target),
            icon: action.icon,
            isDisabled: false,
            onClick: () => onOpen("action", target),
          },
        ]
      : []),
  ];
}

export function menuActions(target: DiscoveryTarget, { onOpen, onSwitch }: TargetHandlers): RowAction[] {
  const details: RowAction = { label: "Details", icon: IconEye, onClick: () => onOpen("details", target) };
  if (!target.can_manage) return [details];
  const cloud: RowAction = {
    label: "Find Cloud Resources",
    icon: IconCloudSearch,
    isDisabled: !isScannable(target),
    onClick: () => onOpen("cloud", target),
  };
  return [
    details,
    ...(isCloud(target.target_type) ? [cloud] : []),
    { label: "Edit", icon: IconPencil, onClick: () => onOpen("edit", target) },
    { label: target.is_active ? "Disable" : "Enable", icon: IconPower, onClick: () => onSwitch(target) },
    { label: "Delete", icon: IconTrash, onClick: () => onOpen("delete", target), isDanger: true },
  ];
}
