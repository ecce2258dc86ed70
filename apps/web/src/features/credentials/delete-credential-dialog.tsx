// "Delete Credential": what will be gone, what stays on record, and the deletion itself (VAULT-17, VAULT-18, VAULT-50).
import type { Credential } from "@strongroom/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { isCallError, messageOf } from "#shared/api/call-error.ts";
import { ConfirmDialog } from "#shared/ui/confirm-dialog.tsx";
import { toast } from "#shared/ui/toast.ts";
import { deletion } from "./credentials.queries.ts";

/** OPEN-57. */
const TRAIL_STAYS = "The tamper-evident audit trail keeps a record of the deletion.";

export interface DeleteCredentialDialogProps {
  credential: Credential;
  opened: boolean;
  onClose: () => void;
  /** The detail page says more of what goes; after it there is no page to stay on. */
  isOnDetailPage?: boolean;
  onDeleted?: () => void;
}

export function DeleteCredentialDialog({
  credential,
  opened,
  onClose,
  isOnDetailPage = false,
  onDeleted,
}: DeleteCredentialDialogProps) {
  const { mutate, isPending } = useMutation(deletion(useQueryClient(), credential.id));

  const confirm = () =>
    mutate(undefined, {
      onSuccess: () => {
        toast.success(`"${credential.name}" deleted successfully`);
        onClose();
        onDeleted?.();
      },
      onError: (error) => toast.error(`Failed to delete credential: ${reasonOf(error)}`),
    });

  return (
    <ConfirmDialog
      opened={opened}
      title="Delete Credential"
      variant="danger"
      confirmLabel="Delete"
      isBusy={isPending}
      onConfirm={confirm}
      onCancel={onClose}
    >
      <p>
        Are you sure you want to delete <strong>{credential.name}</strong>?
      </p>
      {isOnDetailPage ? (
        <ul>
          <li>It permanently removes the credential.</li>
          <li>It deletes all associated audit logs. {TRAIL_STAYS}</li>
          <li>It cannot be undone.</li>
        </ul>
      ) : (
        <p>
          This action cannot be undone. It permanently removes the credential and all associated data. {TRAIL_STAYS}
        </p>
      )}
    </ConfirmDialog>
  );
}

/** VAULT-27: the message, or the status when there is none. */
function reasonOf(error: unknown): string {
  return messageOf(error, isCallError(error) ? String(error.status) : undefined);
}
