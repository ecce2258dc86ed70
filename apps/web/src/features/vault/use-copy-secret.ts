// "Copy Password" and "Show Password": the secret goes from the server to the clipboard or into a dialog, and nowhere else.
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { copyRevealedSecret } from "#shared/ui/copy-revealed.ts";
import { copySecret } from "#shared/ui/copy.ts";
import { toast } from "#shared/ui/toast.ts";
import { refreshCredential, reveal, revealVersion } from "./credentials.queries.ts";

const NOT_SHOWN = "Failed to show credential";
const NOT_COPIED = "Failed to copy credential to clipboard";

interface SecretCopy {
  isCopying: boolean;
  /** The earlier version being copied. */
  copying: number | null;
  copy: () => void;
  copyVersion: (version: number) => void;
  show: () => void;
  isShowing: boolean;
  /** The secret on the screen. */
  shown: string | null;
  hide: () => void;
}

/** Copies the active secret, or an earlier version of it. */
export async function copyCredential(client: QueryClient, id: string, version: number | null = null): Promise<void> {
  const revealed = () => (version === null ? reveal(id) : revealVersion(id, version)).then(({ value }) => value);
  const { kind, text } = await copyRevealedSecret(revealed, copySecret, NOT_COPIED);
  toast[kind](text);
  // The reveal updated "last accessed" and the history. Not awaited: without a server it takes long.
  void refreshCredential(client, id);
}

export function useCopySecret(id: string): SecretCopy {
  const client = useQueryClient();
  const [copying, setCopying] = useState<number | "in force" | null>(null);
  const [isShowing, setIsShowing] = useState(false);
  const [shown, setShown] = useState<string | null>(null);

  async function copyNow(which: number | "in force"): Promise<void> {
    setCopying(which);
    await copyCredential(client, id, which === "in force" ? null : which);
    setCopying(null);
  }

  async function showNow(): Promise<void> {
    setIsShowing(true);
    try {
      setShown((await reveal(id)).value);
    } catch (refusal) {
      toast.error(messageOf(refusal, NOT_SHOWN));
    }
    setIsShowing(false);
    await refreshCredential(client, id);
  }

  return {
    isCopying: copying === "in force",
    copying: typeof copying === "number" ? copying : null,
    copy: () => void copyNow("in force"),
    copyVersion: (version) => void copyNow(version),
    show: () => void showNow(),
    isShowing,
    shown,
    hide: () => setShown(null),
  };
}
