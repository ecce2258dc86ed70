// Whether an account's password can be set anew by somebody else: its platform's reconcile account.
import type { Account } from "@strongroom/contract";
import { useQuery } from "@tanstack/react-query";
import { platformOf } from "./accounts.queries.ts";

/** Only for who may manage its secret. No until the platform is known. */
export function useCanReconcile(account: Account): boolean {
  const mayAsk = account.my_permissions.includes("manage_secret");
  const { data: platform } = useQuery({ ...platformOf(account.platform_id), enabled: mayAsk });
  const reconcileId = platform?.reconcile_account_id ?? null;
  return mayAsk && reconcileId !== null && reconcileId !== account.id;
}
