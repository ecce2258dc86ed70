// "Copy" and "Copy Password": the secret goes from the server to the clipboard and nowhere else.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { copySecret } from "#shared/ui/copy.ts";
import { toast } from "#shared/ui/toast.ts";
import { copyRevealed } from "./copy-secret.ts";
import { refreshCredential, reveal } from "./credentials.queries.ts";

export function useCopySecret(id: string): { isCopying: boolean; copy: () => void } {
  const client = useQueryClient();
  const [isCopying, setIsCopying] = useState(false);

  async function copyNow(): Promise<void> {
    setIsCopying(true);
    const { kind, text } = await copyRevealed(() => reveal(id), copySecret);
    setIsCopying(false);
    toast[kind](text);
    // The reveal moved "last accessed" and is in the history.
    await refreshCredential(client, id);
  }

  return { isCopying, copy: () => void copyNow() };
}
