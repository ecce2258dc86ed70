// Confirmation dialogs for rotating, deleting and moving an account (ACC-14, ACC-35, ACC-39, ACC-40).
import { Button, Select, Stack } from "@mantine/core";
import type { Account } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { rotationObstacle } from "#shared/rotation/rotation-obstacle.ts";
import { RotateDialog } from "#shared/rotation/rotate-dialog.tsx";
import { DialogButtons } from "#shared/ui/dialog-buttons.tsx";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { counted } from "#shared/format/text.ts";
import { Modal } from "#shared/ui/modal.tsx";
import { toast } from "#shared/ui/toast.ts";
import { rotatedOf } from "../account-labels.ts";
import { canSeeProposals, proposedDependents } from "../dependents/dependents.queries.ts";
import { useHasReconcileAccount } from "../detail/use-reconcile.ts";
import { deletion, move, safesToAddTo } from "../accounts.queries.ts";

export interface AccountActionDialogProps {
  account: Account;
  opened: boolean;
  onClose: () => void;
}

/** ACC-33, ACC-39. */
export function RotateAccountDialog({ account, opened, onClose }: AccountActionDialogProps) {
  return (
    <RotateDialog
      of={rotatedOf(account)}
      opened={opened}
      obstacle={rotationObstacle(account.connector, useHasReconcileAccount(account))}
      onClose={onClose}
      showFailure={(reason) => toast.error(reason, { title: "Failed to rotate password" })}
    >
      <p>
        The new password follows the rules of the platform <strong>{account.platform_name}</strong>.
      </p>
      {opened && <UsesWithoutUpdate account={account} />}
    </RotateDialog>
  );
}

/** Warns of uses that would keep the old password. Silent when they cannot be read: the rotation does not depend on them. */
function UsesWithoutUpdate({ account }: { account: Account }) {
  const { data } = useQuery({ ...proposedDependents(account.id), enabled: canSeeProposals(account) });
  const holding = (data?.proposed ?? []).filter((each) => each.holds_password);
  if (holding.length === 0) return null;
  const names = holding.slice(0, 3).map(({ name, place }) => `${name} on ${place}`);
  const rest = holding.length - names.length;
  return (
    <p>
      <strong>Scans found {counted(holding.length, "use")} of this password outside its dependents:</strong>{" "}
      {names.join(", ")}
      {rest > 0 && ` and ${rest} more`}. Without an update they keep the old password. Review them first under{" "}
      <em>Dependents</em> on the page of the account.
    </p>
  );
}

export function DeleteAccountDialog({
  account,
  opened,
  onClose,
  onDeleted,
}: AccountActionDialogProps & { onDeleted?: () => void }) {
  return (
    <DeleteDialog
      opened={opened}
      title="Delete Account"
      mutation={deletion(useQueryClient(), account.id)}
      done={`Account "${account.name}" deleted successfully`}
      failed="Failed to delete account"
      onClose={onClose}
      onDone={(_, isHere) => {
        if (isHere) onDeleted?.();
      }}
    >
      <p>
        Are you sure you want to delete <strong>{account.name}</strong> from the safe{" "}
        <strong>{account.safe_name}</strong>?
      </p>
      <ul>
        <li>Its current and earlier passwords are destroyed immediately.</li>
        <li>Active access to it ends.</li>
        <li>The account on the target system and the audit trail are kept.</li>
      </ul>
    </DeleteDialog>
  );
}

export function MoveAccountDialog({ account, opened, onClose }: AccountActionDialogProps) {
  const { mutate, isPending } = useMutation(move(useQueryClient(), account.id));
  const [safeId, setSafeId] = useState<string | null>(null);
  const confirm = () => {
    if (safeId === null) return;
    mutate(safeId, {
      onSuccess: (moved, isHere) => {
        toast.success(`Account "${moved.name}" moved to "${moved.safe_name}"`);
        if (isHere) onClose();
      },
      onError: (error) => toast.error(messageOf(error), { title: "Failed to move account" }),
    });
  };
  return (
    <Modal opened={opened} onClose={onClose} title="Move to Another Safe">
      <Stack gap="md">
        <p style={{ margin: 0 }}>
          <strong>{account.name}</strong> is in the safe <strong>{account.safe_name}</strong>. Its history moves with
          it. Active access ends, and the new safe controls who can use it.
        </p>
        <SafeChoice without={account.safe_id} value={safeId} onChange={setSafeId} />
        <DialogButtons>
          <Button variant="default" onClick={onClose} disabled={isPending}>
            Cancel
          </Button>
          <Button onClick={confirm} loading={isPending} disabled={safeId === null}>
            Move Account
          </Button>
        </DialogButtons>
      </Stack>
    </Modal>
  );
}

export interface SafeChoiceProps {
  /** The current safe, left out of the choices. */
  without?: string | undefined;
  value: string | null;
  onChange: (safeId: string | null) => void;
}

/** The safes to which the caller may add accounts. */
export function SafeChoice({ without, value, onChange }: SafeChoiceProps) {
  const { data, error } = useQuery(safesToAddTo);
  const safes = (data?.safes ?? []).filter(({ id }) => id !== without);
  return (
    <Select
      label="Safe"
      placeholder={data !== undefined && safes.length === 0 ? "No other safe you can add accounts to" : "Choose a safe"}
      data={safes.map(({ id, name }) => ({ value: id, label: name }))}
      searchable
      allowDeselect={false}
      nothingFoundMessage={data === undefined ? "Loading..." : "No matching safe"}
      error={error === null ? undefined : messageOf(error)}
      value={value}
      onChange={onChange}
    />
  );
}
