// "Copy Password": copies only to the clipboard, and asks for a justification when the platform requires one.
import type { Account } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { isCallError } from "#shared/api/call-error.ts";
import { copyRevealedSecret } from "#shared/ui/copy-revealed.ts";
import { copySecret } from "#shared/ui/copy.ts";
import { toast } from "#shared/ui/toast.ts";
import { refreshAccount, revealPassword, revealVersion, type Justification } from "../accounts.queries.ts";
import { JustificationDialog } from "./justification-dialog.tsx";

/** ACC-41. */
const NOT_COPIED = "Failed to copy password";

interface CopyRequest {
  account: Account;
  /** An earlier secret; undefined means the active one. */
  version: number | undefined;
}

/** Whether the platform requires a reason or ticket first. */
function isDemand(refusal: unknown): boolean {
  return isCallError(refusal) && ["account.reason-required", "account.ticket-required"].includes(refusal.code ?? "");
}

export interface PasswordCopy {
  copy: (account: Account, version?: number) => void;
  /** The key (`copyKey`) of the secret being copied. */
  copying: string | null;
  dialog: ReactNode;
}

export const copyKey = (id: string, version?: number): string => `${id}/${version ?? "now"}`;

export function usePasswordCopy(): PasswordCopy {
  const client = useQueryClient();
  const [copying, setCopying] = useState<string | null>(null);
  const [wish, setWish] = useState<CopyRequest | null>(null);
  const [demand, setDemand] = useState<string | null>(null);

  async function copyNow({ account, version }: CopyRequest, justification: Justification | null): Promise<void> {
    setCopying(copyKey(account.id, version));
    const reveal = () =>
      version === undefined
        ? revealPassword(account.id, justification)
        : revealVersion(account.id, version, justification);
    const notice = await copyRevealedSecret(reveal, copySecret, NOT_COPIED);
    setCopying(null);
    if (isDemand(notice.refusal)) {
      setWish({ account, version });
      setDemand(notice.text);
      return;
    }
    setDemand(null);
    if (notice.kind === "success") toast.success(notice.text);
    else if (notice.text === NOT_COPIED) toast.error(NOT_COPIED);
    else toast.error(notice.text, { title: NOT_COPIED });
    // The retrieval updated "last accessed" and the history, and may have started a check-out.
    await refreshAccount(client, account.id);
  }

  return {
    copy: (account, version) => void copyNow({ account, version }, null),
    copying,
    dialog: wish !== null && (
      <JustificationDialog
        account={wish.account}
        opened={demand !== null}
        demand={demand ?? ""}
        onClose={() => setDemand(null)}
        onGiven={(justification) => copyNow(wish, justification)}
      />
    ),
  };
}
