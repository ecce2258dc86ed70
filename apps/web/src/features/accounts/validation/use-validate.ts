// "Validate": runs one validation at a time per account, across all buttons, and shows a toast at its end.
import type { Account } from "@strongroom/contract";
import { useIsMutating, useQueryClient } from "@tanstack/react-query";
import { useMutation } from "#shared/api/use-mutation.ts";
import { toast } from "#shared/ui/toast.ts";
import { validateKey, validation } from "../accounts.queries.ts";
import { VALIDATION_FAILED, validatedNotice } from "./validate-account.ts";

/** ACC-44. */
const SHOWN_MS = 3000;

export function useValidate({ id, name }: Pick<Account, "id" | "name">): { isValidating: boolean; start: () => void } {
  const client = useQueryClient();
  const isValidating = useIsMutating({ mutationKey: validateKey(id) }) > 0;
  const { mutate } = useMutation(validation(client, id));
  const start = () => {
    if (isValidating) return;
    mutate(undefined, {
      onSuccess: (result) => {
        const { kind, text } = validatedNotice(name, result);
        toast[kind](text, { duration: SHOWN_MS });
      },
      onError: () => toast.error(VALIDATION_FAILED),
    });
  };
  return { isValidating, start };
}
