// "Bulk Validate Critical": validates all high and critical failures again (VAL-20 to VAL-22, VAL-73).
import type { RunId } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { counted } from "#shared/format/text.ts";
import { toast } from "#shared/ui/toast.ts";
import { bulkValidation } from "../validation.queries.ts";

export function useBulkValidation(onRun: (id: RunId) => void): { start: () => void; isRunning: boolean } {
  const { mutate, isPending } = useMutation(bulkValidation(useQueryClient()));
  const start = () =>
    mutate(undefined, {
      onSuccess: ({ run_id: run, queued, failed }) => {
        if (run !== null) onRun(run);
        toast.success(`Validation of ${counted(queued, "account")} started`);
        if (failed.length > 0) toast.error(`${counted(failed.length, "account")} could not be validated`);
      },
      onError: (error) => toast.error(`Failed to start the validation: ${messageOf(error)}`),
    });
  return { start, isRunning: isPending };
}
