// The rotation state of one account, with the actions for a rotation that needs attention.
import type { Account } from "@strongroom/contract";
import { RotationPanel } from "#shared/rotation/rotation-panel.tsx";
import { rotationObstacle } from "#shared/rotation/rotation-obstacle.ts";
import type { DetailDialog } from "../actions/account-actions.tsx";
import { rotatedOf } from "../account-labels.ts";
import { useCanReconcile, useHasReconcileAccount } from "./use-reconcile.ts";

export interface AccountRotationProps {
  account: Account;
  onOpen: (dialog: DetailDialog) => void;
}

export function AccountRotation({ account, onOpen }: AccountRotationProps) {
  const canReconcile = useCanReconcile(account);
  const may = (permission: Account["my_permissions"][number]) => account.my_permissions.includes(permission);
  return (
    <RotationPanel
      of={rotatedOf(account)}
      mayRotate={may("manage_secret")}
      remedies={{
        ...(canReconcile ? { reconcile: () => onOpen("reconcile") } : {}),
        ...(may("update_secret") ? { store: () => onOpen("edit") } : {}),
      }}
      obstacle={rotationObstacle(account.connector, useHasReconcileAccount(account))}
    />
  );
}
