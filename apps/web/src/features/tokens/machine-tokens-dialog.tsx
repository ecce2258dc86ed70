// The API tokens of one machine identity, and the way to a new one.
import { Button, Group } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import type { MachineIdentity } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { Loaded } from "#shared/ui/loaded.tsx";
import { Modal } from "#shared/ui/modal.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { TokenRows } from "./token-rows.tsx";
import { tokensOf } from "./tokens.queries.ts";

export interface MachineTokensDialogProps {
  machine: MachineIdentity;
  opened: boolean;
  onClose: () => void;
  onCreate: () => void;
}

export function MachineTokensDialog({ machine, opened, onClose, onCreate }: MachineTokensDialogProps) {
  const tokens = useQuery({ ...tokensOf(machine.id), enabled: opened });
  return (
    <Modal opened={opened} onClose={onClose} title={`Tokens of ${machine.name}`} size="lg">
      <Loaded query={tokens} loadingText="Loading the tokens...">
        {({ data }) => (
          <>
            {data.length === 0 ? (
              <EmptyState icon={IconKey} title="No API tokens" text="Without one it can do nothing." />
            ) : (
              <TokenRows tokens={data} label={`Tokens of ${machine.name}`} />
            )}
            <Group justify="flex-end" mt="md">
              <Button onClick={onCreate} disabled={machine.status !== "active"}>
                Create token
              </Button>
            </Group>
          </>
        )}
      </Loaded>
    </Modal>
  );
}
