// Explains why and until when the vault is closed after a sign-in reset, and how to open it or cancel the reset.
import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { cancelRecovery, readVaultClosure, type VaultClosure } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { call, onStepUpRequired } from "#shared/api/call.ts";
import { invalidatePath, queryOf } from "#shared/api/query.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { absoluteTime } from "#shared/format/time.ts";
import { ConfirmDialog } from "#shared/ui/confirm-dialog.tsx";
import { toast } from "#shared/ui/toast.ts";

const CAUSES: Record<VaultClosure["cause"], (by: string) => string> = {
  "reset-link": (by) => `Your password was set by a link that ${by} created.`,
  "factors-reset": (by) => `${by} removed your second factors.`,
  "provider-changed": (by) => `The way in which you sign in was changed by ${by}.`,
};

/** Renders nothing while the vault is open or its state is unknown. */
export function ClosedVault() {
  const { data } = useQuery(queryOf(readVaultClosure));
  return data?.closure == null ? null : <Notice closure={data.closure} />;
}

function Notice({ closure }: { closure: VaultClosure }) {
  const client = useQueryClient();
  const [isAsking, setIsAsking] = useState(false);
  const cancel = useMutation({ mutationFn: () => call(cancelRecovery) });

  async function open(): Promise<void> {
    if (!(await onStepUpRequired())) return;
    await invalidatePath(client, readVaultClosure.path);
    const { closure: still } = await call(readVaultClosure);
    if (still === null) toast.success("Your vault is open");
    else toast.error("That factor was set up after the reset. Use one that you had before.");
  }

  const until =
    closure.opens_at === null
      ? "It stays closed, because the reset was cancelled as not wanted."
      : `It opens by itself on ${absoluteTime(closure.opens_at)}.`;
  return (
    <Alert color="brass" variant="light" icon={<IconLock size={18} aria-hidden />} title="Your vault is closed" mb="md">
      <Stack gap="sm">
        <Text size="sm">
          {CAUSES[closure.cause](closure.by)} Until it is certain that it is you, nothing in your vault can be revealed,
          verified, changed or deleted. You can add new credentials. {until}
        </Text>
        <Text size="sm">
          {closure.has_earlier_factor
            ? "To open it now, prove a second factor or a recovery code that you had before the reset."
            : "You have no second factor from before the reset, so it cannot be opened earlier."}
        </Text>
        <Group gap="xs">
          {closure.has_earlier_factor && (
            <Button size="compact-md" onClick={() => void open()}>
              Prove an earlier factor
            </Button>
          )}
          {closure.opens_at !== null && (
            <Button size="compact-md" variant="default" onClick={() => setIsAsking(true)}>
              This reset was not mine
            </Button>
          )}
        </Group>
      </Stack>
      <ConfirmDialog
        opened={isAsking}
        title="Cancel the reset"
        confirmLabel="Cancel the reset"
        variant="danger"
        isBusy={cancel.isPending}
        onCancel={() => setIsAsking(false)}
        onConfirm={() =>
          cancel.mutate(undefined, {
            onError: (error) => toast.error(messageOf(error)),
            onSettled: () => setIsAsking(false),
          })
        }
      >
        You are signed out everywhere, your password and API tokens stop working, and your vault stays closed.
        Administrators are told. You need two administrators to get back in.
      </ConfirmDialog>
    </Alert>
  );
}
