// Machine identities and the token lifetime policy, for administrators: a tab of the Admin Console.
import { Button, Stack } from "@mantine/core";
import { IconPlus, IconRobot } from "@tabler/icons-react";
import type { MachineIdentity } from "@strongroom/contract";
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { searchOf } from "#shared/format/address.ts";
import { DialogButtons } from "#shared/ui/dialog-buttons.tsx";
import { AddressSearch } from "#shared/ui/address-search.tsx";
import { capitalised } from "#shared/format/text.ts";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { toast } from "#shared/ui/toast.ts";
import { MachineDialog } from "./machine-dialog.tsx";
import { MachineRows, type MachineDialogName } from "./machine-rows.tsx";
import { TokenDialog } from "../token-dialog.tsx";
import { TokenPolicyCard } from "../token-policy-card.tsx";
import classes from "../tokens.module.css";
import { HolderTokensDialog } from "../holder-tokens-dialog.tsx";
import { machineEnd, machineList, machineStatus, tokensOf } from "../tokens.queries.ts";

interface MachineTokensDialogProps {
  machine: MachineIdentity;
  opened: boolean;
  onClose: () => void;
  onCreate: () => void;
}

interface Chosen {
  dialog: MachineDialogName | "create";
  machine: MachineIdentity | null;
}

export function MachineIdentities() {
  const [params] = useSearchParams();
  const search = searchOf(params) ?? "";
  const machines = useInfiniteQuery({ ...machineList(search), placeholderData: keepPreviousData });
  const enable = useMutation(machineStatus(useQueryClient()));
  const [chosen, setChosen] = useState<Chosen>({ dialog: "create", machine: null });
  const [isOpen, setIsOpen] = useState(false);
  const open = (dialog: Chosen["dialog"], machine: MachineIdentity | null) => {
    setChosen({ dialog, machine });
    setIsOpen(true);
  };

  return (
    <Stack gap="md">
      <SectionCard
        title="Machine Identities"
        description="Programs that act only through API tokens. They have a role and can be members of safes."
        actions={
          <div className={classes.tools}>
            <AddressSearch label="Search machine identities" placeholder="Search by name" />
            <Button leftSection={<IconPlus size={15} aria-hidden />} onClick={() => open("create", null)}>
              Create
            </Button>
          </div>
        }
      >
        <Loaded query={machines} loadingText="Loading machine identities...">
          {({ pages }) => {
            const found = pages.flatMap((page) => page.data);
            if (found.length === 0) return <Nothing isSearch={search !== ""} />;
            return (
              <>
                <MachineRows
                  machines={found}
                  onOpen={open}
                  onEnable={({ id, name }) =>
                    enable.mutate(
                      { id, status: "active" },
                      {
                        onSuccess: () => toast.success(`${name} is enabled`),
                        onError: (error) => toast.error(messageOf(error)),
                      },
                    )
                  }
                />
                <LoadMore of={machines} />
              </>
            );
          }}
        </Loaded>
      </SectionCard>
      <TokenPolicyCard />
      <Dialogs chosen={chosen} isOpen={isOpen} onClose={() => setIsOpen(false)} onOpen={open} />
    </Stack>
  );
}

const Nothing = ({ isSearch }: { isSearch: boolean }) =>
  isSearch ? (
    <EmptyState icon={IconRobot} title="No machine identities found" text="Try adjusting your search terms" />
  ) : (
    <EmptyState icon={IconRobot} title="No machine identities" text="Create one for each program that needs secrets." />
  );

interface DialogsProps {
  chosen: Chosen;
  isOpen: boolean;
  onClose: () => void;
  onOpen: (dialog: MachineDialogName, machine: MachineIdentity) => void;
}

function Dialogs({ chosen: { dialog, machine }, isOpen, onClose, onOpen }: DialogsProps) {
  const is = (name: Chosen["dialog"]) => isOpen && dialog === name;
  if (machine === null) {
    return <MachineDialog key={String(isOpen)} machine={null} opened={is("create")} onClose={onClose} />;
  }
  return (
    <div key={machine.id}>
      <MachineDialog machine={machine} opened={is("edit")} onClose={onClose} />
      <MachineTokensDialog
        machine={machine}
        opened={is("tokens")}
        onClose={onClose}
        onCreate={() => onOpen("token", machine)}
      />
      <MachineTokenDialog machine={machine} opened={is("token")} onClose={() => onOpen("tokens", machine)} />
      <EndDialog machine={machine} act="disable" opened={is("disable")} onClose={onClose} />
      <EndDialog machine={machine} act="delete" opened={is("delete")} onClose={onClose} />
    </div>
  );
}

interface OfMachine {
  machine: MachineIdentity;
  opened: boolean;
  onClose: () => void;
}

function MachineTokenDialog({ machine, opened, onClose }: OfMachine) {
  const { data } = useQuery({ ...tokensOf(machine.id), enabled: opened });
  if (data === undefined) return null;
  return (
    <TokenDialog
      holder={machine.id}
      holderName={machine.name}
      choices={data.choices}
      opened={opened}
      onClose={onClose}
    />
  );
}

function EndDialog({ machine, act, opened, onClose }: OfMachine & { act: "disable" | "delete" }) {
  const word = capitalised(act);
  return (
    <DeleteDialog
      opened={opened}
      title={`${word} ${machine.name}`}
      confirmLabel={word}
      mutation={machineEnd(useQueryClient(), machine.id, act)}
      done={`${machine.name} is ${act}d`}
      failed={`Failed to ${act} ${machine.name}`}
      onClose={onClose}
    >
      <p>
        {act === "disable"
          ? "All its tokens are rejected immediately, until an administrator enables it again."
          : "All its tokens are permanently revoked and it is removed from every safe and group. The audit trail is kept."}
      </p>
    </DeleteDialog>
  );
}

function MachineTokensDialog({ machine, opened, onClose, onCreate }: MachineTokensDialogProps) {
  return (
    <HolderTokensDialog
      holder={machine}
      opened={opened}
      onClose={onClose}
      none="This machine cannot do anything without a token."
    >
      <DialogButtons>
        <Button onClick={onCreate} disabled={machine.status !== "active"}>
          Create Token
        </Button>
      </DialogButtons>
    </HolderTokensDialog>
  );
}
