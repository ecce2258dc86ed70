// What one can do with an account on its own page.
import { Button, Stack } from "@mantine/core";
import { IconArrowsRightLeft, IconPencil, IconRefresh, IconTrash, type Icon } from "@tabler/icons-react";
import type { Account, SafePermission } from "@strongroom/contract";
import { SectionCard } from "#shared/ui/section-card.tsx";

export type DetailDialog = "history" | "rotate" | "edit" | "move" | "delete";

interface Action {
  dialog: DetailDialog;
  label: string;
  icon: Icon;
  needs: readonly SafePermission[];
}

/** Who moves an account could retrieve it where it goes, so they must be able to already. */
const ACTIONS: readonly Action[] = [
  { dialog: "rotate", label: "Rotate Password", icon: IconRefresh, needs: ["manage_secret"] },
  { dialog: "edit", label: "Edit Account", icon: IconPencil, needs: ["update_properties"] },
  { dialog: "move", label: "Move to another safe", icon: IconArrowsRightLeft, needs: ["delete", "retrieve"] },
  { dialog: "delete", label: "Delete Account", icon: IconTrash, needs: ["delete"] },
];

/** Nothing for who may do none of it. */
export function AccountActions({ account, onOpen }: { account: Account; onOpen: (dialog: DetailDialog) => void }) {
  const allowed = ACTIONS.filter(({ needs }) => needs.every((each) => account.my_permissions.includes(each)));
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
