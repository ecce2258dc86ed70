// "Verify Now": runs one verification at a time per credential, across all buttons, and shows a toast at its end.
import { useIsMutating, useQueryClient } from "@tanstack/react-query";
import { useMutation } from "#shared/api/use-mutation.ts";
import { toast } from "#shared/ui/toast.ts";
import { verification, verifyKey } from "../credentials.queries.ts";
import { noticeOfFailedCall, noticeOfReply, type VerifyNotice, type VerifyPlace } from "./verify-credential.ts";

const tell = ({ kind, text }: VerifyNotice) => toast[kind](text);

export interface Verify {
  /** Includes verifications started in the quick view or before the card was scrolled out of view. */
  isVerifying: boolean;
  start: () => void;
}

export function useVerify({ id, name }: { id: string; name: string }, place: VerifyPlace): Verify {
  const client = useQueryClient();
  const isVerifying = useIsMutating({ mutationKey: verifyKey(id) }) > 0;
  const { mutate } = useMutation(verification(client, id));
  const start = () => {
    if (isVerifying) return;
    mutate(undefined, {
      onSuccess: (reply) => tell(noticeOfReply(name, reply, place)),
      onError: (error) => tell(noticeOfFailedCall(name, error)),
    });
  };
  return { isVerifying, start };
}
