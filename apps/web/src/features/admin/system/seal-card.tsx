// The seal: its state, its provider, and sealing in an emergency.
import { Button } from "@mantine/core";
import { IconLock, IconLockOpen } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { ConfirmDialog } from "#shared/ui/confirm-dialog.tsx";
import { Facts } from "#shared/ui/facts.tsx";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import { Tag } from "#shared/ui/tag.tsx";
import { toast } from "#shared/ui/toast.ts";
import classes from "#shared/ui/admin-console.module.css";
import { sealState, sealing } from "./system.queries.ts";

export function SealCard() {
  const seal = useQuery(sealState);
  if (seal.data === undefined) {
    return (
      <SectionCard title="Seal">
        {seal.isError ? (
          <ErrorState message={messageOf(seal.error)} onRetry={() => void seal.refetch()} />
        ) : (
          <SectionLoading />
        )}
      </SectionCard>
    );
  }
  const { is_sealed: isSealed, provider } = seal.data;
  return (
    <SectionCard title="Seal">
      <Facts
        facts={[
          {
            name: "State",
            value: isSealed ? (
              <Tag tone="warning" icon={<IconLock size={13} aria-hidden />}>
                Sealed
              </Tag>
            ) : (
              <Tag tone="success" icon={<IconLockOpen size={13} aria-hidden />}>
                Unsealed
              </Tag>
            ),
          },
          { name: "Root key", value: provider === "passphrase" ? "Passphrase" : "Key file" },
        ]}
      />
      {provider === "passphrase" ? (
        <SealNow />
      ) : (
        <p className={classes.note}>
          With a key file, the vault unseals automatically at startup. Anyone with both the key file and the database
          can read the secrets.
        </p>
      )}
    </SectionCard>
  );
}

function SealNow() {
  const [isAsking, setIsAsking] = useState(false);
  const { mutate, isPending } = useMutation(sealing(useQueryClient()));
  const confirm = () =>
    mutate(undefined, {
      onError: (error) => toast.error(`Failed to seal the vault: ${messageOf(error)}`),
      onSettled: () => setIsAsking(false),
    });
  return (
    <>
      <Button
        mt="md"
        variant="light"
        color="red"
        leftSection={<IconLock size={16} aria-hidden />}
        onClick={() => setIsAsking(true)}
      >
        Seal the Vault
      </Button>
      <ConfirmDialog
        opened={isAsking}
        title="Seal the Vault"
        variant="danger"
        confirmLabel="Seal the Vault"
        isBusy={isPending}
        onConfirm={confirm}
        onCancel={() => setIsAsking(false)}
      >
        The server erases its keys from memory immediately. It cannot be used until someone unseals it with the
        passphrase.
      </ConfirmDialog>
    </>
  );
}
