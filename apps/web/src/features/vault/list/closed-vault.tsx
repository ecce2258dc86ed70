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
  "provider-changed": (by) => `${by} changed how you sign in.`,
};

function wayToOpen({ has_earlier_factor: hasFactor, opens_at: opensAt }: VaultClosure): string {
  if (hasFactor) return "To open it now, use a second factor or recovery code from before the reset.";
  if (opensAt !== null) return "You have no second factor from before the reset, so you cannot open it earlier.";
  return "You have no second factor from before the reset. Two administrators can reset your sign-in again.";
}

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
    else toast.error("That factor was added after the reset. Use one from before the reset.");
  }

  const until =
    closure.opens_at === null
      ? "It stays closed because the reset was cancelled."
      : `It opens automatically on ${absoluteTime(closure.opens_at)}.`;
  return (
    <Alert color="brass" variant="light" icon={<IconLock size={18} aria-hidden />} title="Your vault is closed" mb="md">
      <Stack gap="sm">
        <Text size="sm">
          {CAUSES[closure.cause](closure.by)} Until it opens, you cannot reveal, verify, change or delete credentials in
          it. You can still add new ones. {until}
        </Text>
        <Text size="sm">{wayToOpen(closure)}</Text>
        <Group gap="xs">
          {closure.has_earlier_factor && (
            <Button size="compact-md" onClick={() => void open()}>
              Use an Earlier Factor
            </Button>
          )}
          {closure.opens_at !== null && (
            <Button size="compact-md" variant="default" onClick={() => setIsAsking(true)}>
              I did not request this reset
            </Button>
          )}
        </Group>
      </Stack>
      <ConfirmDialog
        opened={isAsking}
        title="Cancel the Reset"
        confirmLabel="Cancel the Reset"
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
        All your sessions end, your password and API tokens stop working, and your vault stays closed. Administrators
        are notified. You need two administrators to regain access.
      </ConfirmDialog>
    </Alert>
  );
}
