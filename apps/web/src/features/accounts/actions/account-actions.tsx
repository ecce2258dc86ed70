// The actions on an account's own page.
import { Button, Stack } from "@mantine/core";
import {
  IconArrowsRightLeft,
  IconKey,
  IconPencil,
  IconRefresh,
  IconTool,
  IconTrash,
  type Icon,
} from "@tabler/icons-react";
import type { Account, SafePermission } from "@strongroom/contract";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { useCanReconcile } from "../detail/use-reconcile.ts";

export type DetailDialog = "history" | "rotate" | "reconcile" | "store" | "edit" | "move" | "delete";

interface Action {
  dialog: DetailDialog;
  label: string;
  icon: Icon;
  isAllowed: (may: (permission: SafePermission) => boolean, canReconcile: boolean) => boolean;
}

/** Moving requires `retrieve`, because the caller might be able to retrieve the account in the other safe. */
const ACTIONS: readonly Action[] = [
  { dialog: "rotate", label: "Rotate Password", icon: IconRefresh, isAllowed: (may) => may("manage_secret") },
  { dialog: "reconcile", label: "Reconcile", icon: IconTool, isAllowed: (_, canReconcile) => canReconcile },
  {
    dialog: "store",
    label: "Store a Known Password",
    icon: IconKey,
    isAllowed: (may) => may("update_secret"),
  },
  {
    dialog: "edit",
    label: "Edit Account",
    icon: IconPencil,
    isAllowed: (may) => may("update_properties") || may("rename") || may("update_secret"),
  },
  {
    dialog: "move",
    label: "Move to Another Safe",
    icon: IconArrowsRightLeft,
    isAllowed: (may) => may("delete") && may("retrieve"),
  },
  { dialog: "delete", label: "Delete Account", icon: IconTrash, isAllowed: (may) => may("delete") },
];

/** Renders nothing when the caller may perform no action. */
export function AccountActions({ account, onOpen }: { account: Account; onOpen: (dialog: DetailDialog) => void }) {
  const canReconcile = useCanReconcile(account);
  const may = (permission: SafePermission) => account.my_permissions.includes(permission);
  const allowed = ACTIONS.filter(({ isAllowed }) => isAllowed(may, canReconcile));
  if (allowed.length === 0) return null;
  return (
    <SectionCard title="Actions">
      <Stack gap="xs">
        {allowed.map(({ dialog, label, icon: ActionIcon }) => (
          <Button
            key={dialog}
            variant={dialog === "delete" ? "light" : "default"}
            color={dialog === "delete" ? "red" : undefined}
            justify="flex-start"
            leftSection={<ActionIcon size={16} aria-hidden />}
            onClick={() => onOpen(dialog)}
          >
            {label}
          </Button>
        ))}
      </Stack>
    </SectionCard>
  );
}
