// "Validate": one validation at a time per account, wherever its button is, and the toast at its end.
import type { Account } from "@strongroom/contract";
import { useIsMutating, useQueryClient } from "@tanstack/react-query";
import { useMutation } from "#shared/api/use-mutation.ts";
import { toast } from "#shared/ui/toast.ts";
import { validateKey, validation } from "./accounts.queries.ts";
import { VALIDATION_FAILED, statusAfterValidation, validatedText } from "./validate-account.ts";

/** ACC-44. */
const SHOWN_MS = 3000;

export function useValidate({ id }: Pick<Account, "id">): { isValidating: boolean; start: () => void } {
  const client = useQueryClient();
  const isValidating = useIsMutating({ mutationKey: validateKey(id) }) > 0;
  const { mutate } = useMutation(validation(client, id));
  const start = () => {
    if (isValidating) return;
    mutate(undefined, {
      onSuccess: (result) =>
        toast.success(validatedText(id, statusAfterValidation(result.validation_status)), { duration: SHOWN_MS }),
      onError: () => toast.error(VALIDATION_FAILED),
    });
  };
  return { isValidating, start };
}
