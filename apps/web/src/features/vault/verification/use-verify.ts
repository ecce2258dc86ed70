// "Verify Now": runs one verification at a time per credential, across all buttons, and shows a toast at its end.
import { MutationObserver, useIsMutating, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { toast } from "#shared/ui/toast.ts";
import { verification, verifyKey } from "../credentials.queries.ts";
import { noticeOfFailedCall, noticeOfReply, type VerifyNotice, type VerifyPlace } from "./verify-credential.ts";

const tell = ({ kind, text }: VerifyNotice) => toast[kind](text);

export interface Verify {
  /** Includes verifications started in the quick view or before the card was scrolled out of view. */
  isVerifying: boolean;
  start: () => void;
}

interface Named {
  id: string;
  name: string;
}

/** Does nothing while the credential is being verified. The outcome is also shown after the user has left the page. */
export async function startVerification(client: QueryClient, { id, name }: Named, place: VerifyPlace): Promise<void> {
  if (client.isMutating({ mutationKey: verifyKey(id) }) > 0) return;
  try {
    tell(noticeOfReply(name, await new MutationObserver(client, verification(client, id)).mutate(), place));
  } catch (error) {
    tell(noticeOfFailedCall(name, error));
  }
}

export function useVerify(credential: Named, place: VerifyPlace): Verify {
  const client = useQueryClient();
  const isVerifying = useIsMutating({ mutationKey: verifyKey(credential.id) }) > 0;
  return { isVerifying, start: () => void startVerification(client, credential, place) };
}
