// "Delete Credential": lists the effects, asks for confirmation and deletes (VAULT-17, VAULT-18, VAULT-50).
import type { Credential } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { isCallError, messageOf } from "#shared/api/call-error.ts";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { deletion } from "./credentials.queries.ts";

/** OPEN-57. */
const TRAIL_STAYS = "The tamper-evident audit trail keeps a record of the deletion.";

export interface DeleteCredentialDialogProps {
  credential: Credential;
  opened: boolean;
  onClose: () => void;
  /** The detail page lists more effects, and navigates to the vault afterwards. */
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
  return (
    <DeleteDialog
      opened={opened}
      title="Delete Credential"
      mutation={deletion(useQueryClient(), credential.id)}
      done={`"${credential.name}" deleted successfully`}
      failed={(error) => `Failed to delete credential: ${reasonOf(error)}`}
      onClose={onClose}
      onDone={(_, isHere) => {
        if (isHere) onDeleted?.();
      }}
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
    </DeleteDialog>
  );
}

/** VAULT-27: the error's message, or the status when it has none. */
function reasonOf(error: unknown): string {
  return messageOf(error, isCallError(error) ? String(error.status) : undefined);
}
