// Whether the platform's reconcile account can reset an account's password.
import type { Account } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { platformOf } from "../accounts.queries.ts";

/** False until the platform has loaded. Loads it only for secret managers, because only they can reconcile. */
export function useHasReconcileAccount(account: Account): boolean {
  const enabled = account.my_permissions.includes("manage_secret");
  const { data: platform } = useQuery({ ...platformOf(account.platform_id), enabled });
  const id = platform?.reconcile_account_id ?? null;
  return id !== null && id !== account.id;
}

/** Whether the caller may reconcile the account. */
export function useCanReconcile(account: Account): boolean {
  const hasReconcileAccount = useHasReconcileAccount(account);
  const mayAsk = account.my_permissions.includes("manage_secret");
  return mayAsk && hasReconcileAccount && account.connector?.can_reconcile === true;
}
