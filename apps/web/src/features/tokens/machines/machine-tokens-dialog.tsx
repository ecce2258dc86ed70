// The API tokens of one machine identity, with a button that creates another.
import { Button, Group } from "@mantine/core";
import type { MachineIdentity } from "@strongroom/contract";
import { HolderTokensDialog } from "../holder-tokens-dialog.tsx";

export interface MachineTokensDialogProps {
  machine: MachineIdentity;
  opened: boolean;
  onClose: () => void;
  onCreate: () => void;
}

export function MachineTokensDialog({ machine, opened, onClose, onCreate }: MachineTokensDialogProps) {
  return (
    <HolderTokensDialog
      holder={machine}
      opened={opened}
      onClose={onClose}
      none="It cannot do anything without a token."
    >
      <Group justify="flex-end" mt="md">
        <Button onClick={onCreate} disabled={machine.status !== "active"}>
          Create token
        </Button>
      </Group>
    </HolderTokensDialog>
  );
}
