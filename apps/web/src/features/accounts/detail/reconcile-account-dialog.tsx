// "Reconcile": the platform's reconcile account sets a new password, whatever the current one is.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { reconciling } from "#shared/rotation/rotation.queries.ts";
import { ConfirmActionDialog } from "#shared/ui/confirm-action-dialog.tsx";
import type { AccountActionDialogProps } from "../actions/account-action-dialogs.tsx";
import { rotatedOf } from "../account-labels.ts";
import { platformOf } from "../accounts.queries.ts";

export function ReconcileAccountDialog({ account, opened, onClose }: AccountActionDialogProps) {
  const { data: platform } = useQuery({ ...platformOf(account.platform_id), enabled: opened });
  const readiness = platform?.reconcile_readiness ?? null;
  return (
    <ConfirmActionDialog
      opened={opened}
      title="Reconcile"
      confirmLabel="Reconcile"
      mutation={reconciling(useQueryClient(), rotatedOf(account))}
      done={({ message }) => message}
      failed="Failed to reconcile"
      onClose={onClose}
    >
      <p>
        The reconcile account of the platform <strong>{account.platform_name}</strong> logs in and sets a new password
        for <strong>{account.name}</strong> without needing the current one.
      </p>
      <ul>
        <li>Anything that still uses the current password loses access.</li>
        <li>All stored passwords stay in the secret history.</li>
      </ul>
      {readiness !== null && !readiness.is_ready && (
        <p>The reconcile account was not ready at its last check: {readiness.message}</p>
      )}
    </ConfirmActionDialog>
  );
}
