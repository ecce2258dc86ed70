// Exports the report, for every button that offers it.
import type { ValidationRange } from "@strongroom/contract";
import { useMutation } from "#shared/api/use-mutation.ts";
import { toast } from "#shared/ui/toast.ts";
import { reportDownload, type ReportFormat } from "../validation.queries.ts";

export interface Report {
  save: (format: ReportFormat) => void;
  isSaving: boolean;
  /** The error of the last export, until it is dismissed. */
  error: Error | null;
  forget: () => void;
}

export function useReport(range: ValidationRange): Report {
  const { mutate, isPending, error, reset } = useMutation(reportDownload(range));
  const save = (format: ReportFormat) =>
    mutate(format, { onSuccess: () => void toast.success("Validation report exported") });
  return { save, isSaving: isPending, error, forget: reset };
}
