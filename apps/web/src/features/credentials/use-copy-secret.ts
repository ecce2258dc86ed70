// "Copy" and "Copy Password": the secret goes from the server to the clipboard and nowhere else.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { copyRevealed } from "#shared/ui/copy-revealed.ts";
import { copySecret } from "#shared/ui/copy.ts";
import { toast } from "#shared/ui/toast.ts";
import { refreshCredential, reveal } from "./credentials.queries.ts";

const NOT_COPIED = "Failed to copy credential to clipboard";

export function useCopySecret(id: string): { isCopying: boolean; copy: () => void } {
  const client = useQueryClient();
  const [isCopying, setIsCopying] = useState(false);

  async function copyNow(): Promise<void> {
    setIsCopying(true);
    const { kind, text } = await copyRevealed(() => reveal(id).then(({ value }) => value), copySecret, NOT_COPIED);
    setIsCopying(false);
    toast[kind](text);
    // The reveal moved "last accessed" and is in the history.
    await refreshCredential(client, id);
  }

  return { isCopying, copy: () => void copyNow() };
}
