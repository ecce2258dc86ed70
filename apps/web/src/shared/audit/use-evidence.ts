// Downloads all audit entries about one subject as a file that can be verified offline.
import type { EvidenceSubject } from "@strongroom/contract";
import { MutationObserver, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { toast } from "#shared/ui/toast.ts";
import { bundleDownload } from "./audit.queries.ts";

interface Subject {
  about: EvidenceSubject;
  id: string;
}

const tellFailure = (error: unknown) => toast.error(`Failed to download the evidence: ${messageOf(error)}`);

export async function saveEvidence(client: QueryClient, subject: Subject): Promise<void> {
  try {
    await new MutationObserver(client, bundleDownload(client)).mutate(subject);
  } catch (error) {
    tellFailure(error);
  }
}

export function useEvidence(subject: Subject) {
  const { mutate, isPending } = useMutation(bundleDownload(useQueryClient()));
  return { save: () => mutate(subject, { onError: tellFailure }), isPending };
}
