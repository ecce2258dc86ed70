// "Rotate Password": describes the rotation (VAULT-49), says that it continues in the background (CRED-19), and
// starts it.
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { ConfirmDialog } from "#shared/ui/confirm-dialog.tsx";
import { toast } from "#shared/ui/toast.ts";
import { rotating, type Rotated } from "./rotation.queries.ts";

export interface RotateDialogProps {
  of: Rotated;
  opened: boolean;
  onClose: () => void;
  /** Reports that the rotation could not be started. */
  showFailure: (reason: string) => void;
  /** Why the rotation is impossible, shown in the dialog. */
  obstacle?: string | null;
  /** Additional information to show before the start. */
  children?: ReactNode;
}

export function RotateDialog({ of, opened, onClose, showFailure, obstacle = null, children }: RotateDialogProps) {
  const { mutate, isPending } = useMutation(rotating(useQueryClient(), of));
  const confirm = () =>
    mutate(undefined, {
      onSuccess: (_, isHere) => {
        // VAULT-32.
        toast.success(`Rotation process initiated for "${of.name}"`);
        if (isHere) onClose();
      },
      onError: (error, isHere) => {
        showFailure(messageOf(error));
        if (isHere) onClose();
      },
    });
  return (
    <ConfirmDialog
      opened={opened}
      title="Rotate Password"
      variant="warning"
      confirmLabel="Rotate Password"
      isBusy={isPending}
      isDisabled={obstacle !== null}
      onConfirm={confirm}
      onCancel={onClose}
    >
      <p>
        Rotating the password of <strong>{of.name}</strong> means:
      </p>
      <ul>
        <li>A new password will be generated</li>
        <li>The target system will be updated</li>
        <li>The old password will be invalidated</li>
        <li>It cannot be undone</li>
        <li>It may take a few minutes</li>
      </ul>
      {children}
      <p>{obstacle ?? "You will be notified when it is finished."}</p>
    </ConfirmDialog>
  );
}
