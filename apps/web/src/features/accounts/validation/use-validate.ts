// "Validate": runs one validation at a time per account, across all buttons, and shows a toast at its end.
import type { Account } from "@strongroom/contract";
import { MutationObserver, useIsMutating, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { toast } from "#shared/ui/toast.ts";
import { validateKey, validation } from "../accounts.queries.ts";
import { VALIDATION_FAILED, validatedNotice } from "./validate-account.ts";

/** ACC-44. */
const SHOWN_MS = 3000;

/** Does nothing while the account is being validated. The outcome is also shown after the user has left the page. */
export async function startValidation(client: QueryClient, { id, name }: Pick<Account, "id" | "name">): Promise<void> {
  if (client.isMutating({ mutationKey: validateKey(id) }) > 0) return;
  try {
    const { kind, text } = validatedNotice(name, await new MutationObserver(client, validation(client, id)).mutate());
    toast[kind](text, { duration: SHOWN_MS });
  } catch {
    // The mutation has marked the account with the reason (ACC-30).
    toast.error(VALIDATION_FAILED);
  }
}

export function useValidate(account: Pick<Account, "id" | "name">): { isValidating: boolean; start: () => void } {
  const client = useQueryClient();
  const isValidating = useIsMutating({ mutationKey: validateKey(account.id) }) > 0;
  return { isValidating, start: () => void startValidation(client, account) };
}
