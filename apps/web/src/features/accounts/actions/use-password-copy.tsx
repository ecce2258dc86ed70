// "Copy Password" and "Show Password": a password goes to the clipboard or into a dialog, after a justification if the
// platform requires one.
import type { Account } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { isCallError, messageOf } from "#shared/api/call-error.ts";
import { copyRevealedSecret } from "#shared/ui/copy-revealed.ts";
import { copySecret } from "#shared/ui/copy.ts";
import { SecretDialog } from "#shared/ui/secret-dialog.tsx";
import { toast } from "#shared/ui/toast.ts";
import { refreshAccount, revealPassword, revealVersion, type Justification } from "../accounts.queries.ts";
import { JustificationDialog } from "./justification-dialog.tsx";

/** ACC-41. */
const NOT_COPIED = "Failed to copy password";

const NOT_SHOWN = "Failed to show password";

interface PasswordRequest {
  account: Account;
  /** An earlier secret; undefined means the active one. */
  version: number | undefined;
  to: "clipboard" | "screen";
}

/** The reply to a request: the text of a failure, or null. */
interface Outcome {
  failure: string | null;
  /** The error of a refused reveal. */
  refusal?: unknown;
}

/** Whether the platform requires a reason or ticket first. */
function isDemand(refusal: unknown): boolean {
  return isCallError(refusal) && ["account.reason-required", "account.ticket-required"].includes(refusal.code ?? "");
}

export interface PasswordCopy {
  copy: (account: Account, version?: number) => void;
  /** Shows the active password. */
  show: (account: Account) => void;
  /** Whether a password is being fetched to be shown. */
  isShowing: boolean;
  /** The key (`copyKey`) of the secret being copied. */
  copying: string | null;
  dialog: ReactNode;
}

export const copyKey = (id: string, version?: number): string => `${id}/${version ?? "now"}`;

export function usePasswordCopy(): PasswordCopy {
  const client = useQueryClient();
  const [running, setRunning] = useState<PasswordRequest | null>(null);
  const [wish, setWish] = useState<PasswordRequest | null>(null);
  const [demand, setDemand] = useState<string | null>(null);
  const [shown, setShown] = useState<{ name: string; secret: string } | null>(null);

  async function perform(request: PasswordRequest, justification: Justification | null): Promise<void> {
    const { account, version, to } = request;
    setRunning(request);
    const reveal = () =>
      version === undefined
        ? revealPassword(account.id, justification)
        : revealVersion(account.id, version, justification);
    const { failure, refusal } =
      to === "clipboard"
        ? await copied(reveal)
        : await fetched(reveal, (secret) => setShown({ name: account.name, secret }));
    setRunning(null);
    if (isDemand(refusal)) {
      setWish(request);
      setDemand(failure);
      return;
    }
    setDemand(null);
    if (failure !== null) toastFailure(to === "clipboard" ? NOT_COPIED : NOT_SHOWN, failure);
    // The retrieval updated "last accessed" and the history, and may have started a check-out.
    await refreshAccount(client, account.id);
  }

  return {
    copy: (account, version) => void perform({ account, version, to: "clipboard" }, null),
    show: (account) => void perform({ account, version: undefined, to: "screen" }, null),
    copying: running?.to === "clipboard" ? copyKey(running.account.id, running.version) : null,
    isShowing: running?.to === "screen",
    dialog: (
      <>
        {wish !== null && (
          <JustificationDialog
            account={wish.account}
            submitLabel={wish.to === "clipboard" ? "Copy Password" : "Show Password"}
            opened={demand !== null}
            demand={demand ?? ""}
            onClose={() => setDemand(null)}
            onGiven={(justification) => perform(wish, justification)}
          />
        )}
        <SecretDialog
          title={`Password of ${shown?.name ?? ""}`}
          secret={shown?.secret ?? null}
          opened={shown !== null}
          onClose={() => setShown(null)}
        />
      </>
    ),
  };
}

async function copied(reveal: () => Promise<string>): Promise<Outcome> {
  const notice = await copyRevealedSecret(reveal, copySecret, NOT_COPIED);
  if (notice.kind === "error") return { failure: notice.text, refusal: notice.refusal };
  toast.success(notice.text);
  return { failure: null };
}

async function fetched(reveal: () => Promise<string>, show: (secret: string) => void): Promise<Outcome> {
  try {
    show(await reveal());
    return { failure: null };
  } catch (refusal) {
    return { failure: messageOf(refusal, NOT_SHOWN), refusal };
  }
}

function toastFailure(what: string, detail: string): void {
  if (detail === what) toast.error(what);
  else toast.error(detail, { title: what });
}
