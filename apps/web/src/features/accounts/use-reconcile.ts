// Whether an account's password can be set anew by somebody else: its platform's reconcile account.
import type { Account } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { platformOf } from "./accounts.queries.ts";

/** No until the platform is known. Only asked for who may manage the secret: nobody else could do anything with it. */
export function useHasReconcileAccount(account: Account): boolean {
  const enabled = account.my_permissions.includes("manage_secret");
  const { data: platform } = useQuery({ ...platformOf(account.platform_id), enabled });
  const id = platform?.reconcile_account_id ?? null;
  return id !== null && id !== account.id;
}

/** Whether the caller may have it set anew that way. */
export function useCanReconcile(account: Account): boolean {
  const hasReconcileAccount = useHasReconcileAccount(account);
  const mayAsk = account.my_permissions.includes("manage_secret");
  return mayAsk && hasReconcileAccount && account.connector?.can_reconcile === true;
}
