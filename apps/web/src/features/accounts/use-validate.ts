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
  const { mutateAsync } = useMutation(validation(client, id));
  const start = () => {
    if (isValidating) return;
    // Not the callbacks of `mutate`, because those are lost when the card is scrolled out of the grid.
    mutateAsync().then(
      (result) =>
        toast.success(validatedText(id, statusAfterValidation(result.validation_status)), { duration: SHOWN_MS }),
      () => toast.error(VALIDATION_FAILED),
    );
  };
  return { isValidating, start };
}
