// Downloads all audit entries about one subject as a file that can be verified offline.
import type { EvidenceSubject } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { toast } from "#shared/ui/toast.ts";
import { bundleDownload } from "./audit.queries.ts";

export function useEvidence(subject: { about: EvidenceSubject; id: string }) {
  const { mutate, isPending } = useMutation(bundleDownload(useQueryClient()));
  const save = () =>
    mutate(subject, { onError: (error) => toast.error(`Failed to download the evidence: ${messageOf(error)}`) });
  return { save, isPending };
}
