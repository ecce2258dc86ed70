// "Reconcile": has a new password set by the platform's reconcile account, whatever the present one is.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { reconciling } from "#shared/rotation/rotation.queries.ts";
import { ConfirmDialog } from "#shared/ui/confirm-dialog.tsx";
import { toast } from "#shared/ui/toast.ts";
import type { AccountActionDialogProps } from "./account-action-dialogs.tsx";
import { rotatedOf } from "./account-words.ts";
import { platformOf } from "./accounts.queries.ts";

export function ReconcileAccountDialog({ account, opened, onClose }: AccountActionDialogProps) {
  const { mutate, isPending } = useMutation(reconciling(useQueryClient(), rotatedOf(account)));
  const { data: platform } = useQuery({ ...platformOf(account.platform_id), enabled: opened });
  const readiness = platform?.reconcile_readiness ?? null;
  const confirm = () =>
    mutate(undefined, {
      onSuccess: ({ message }) => toast.success(message),
      onError: (error) => toast.error(messageOf(error), { title: "Failed to reconcile" }),
      onSettled: onClose,
    });
  return (
    <ConfirmDialog
      opened={opened}
      title="Reconcile"
      variant="warning"
      confirmLabel="Reconcile"
      isBusy={isPending}
      onConfirm={confirm}
      onCancel={onClose}
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
    </ConfirmDialog>
  );
}
