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
        The reconcile account of the platform <strong>{account.platform_name}</strong> logs in and gives{" "}
        <strong>{account.name}</strong> a new password, whatever the present one is.
      </p>
      <ul>
        <li>Whoever uses the present password elsewhere is locked out.</li>
        <li>Every password that was stored is kept as history.</li>
      </ul>
      {readiness !== null && !readiness.is_ready && (
        <p>At its last check the reconcile account was not ready: {readiness.message}</p>
      )}
    </ConfirmActionDialog>
  );
}
