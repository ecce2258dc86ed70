// The single most important note on an account's card.
import { isFailing, verificationStatusOf, type Account } from "@strongroom/contract";
import { nearTime } from "#shared/format/time.ts";

export interface AccountNote {
  kind: "attention" | "rotation" | "check-out" | "own-check-out" | "grant" | "invalid" | "disabled" | "approval";
  text: string;
}

/**
 * Precedence: disabled, check-out, access block, rotation, failed validation, grant, required approval. Null means no
 * note.
 */
export function noteOf(account: Account, now: number): AccountNote | null {
  const { check_out: checkOut, open_rotation: rotation, my_grant: grant } = account;
  if (account.status === "disabled") return { kind: "disabled", text: "Disabled: cannot be used or retrieved." };
  if (checkOut !== null) {
    const until = nearTime(checkOut.until, now);
    return checkOut.is_own
      ? { kind: "own-check-out", text: `Checked out by you until ${until}.` }
      : { kind: "check-out", text: `Checked out by ${checkOut.name} until ${until}.` };
  }
  if (account.access_block !== null) {
    const isStopped = account.access_block.state === "stopped";
    return { kind: isStopped ? "attention" : "rotation", text: account.access_block.message };
  }
  if (rotation?.state === "attention") {
    return { kind: "attention", text: `Rotation needs attention: ${rotation.message}` };
  }
  if (rotation !== null) return { kind: "rotation", text: "Its password is being rotated." };
  if (isFailing(verificationStatusOf(account.last_validation_status)) && account.validation_message !== null) {
    return { kind: "invalid", text: account.validation_message };
  }
  if (grant !== null) return { kind: "grant", text: `You have access until ${nearTime(grant.ends_at, now)}.` };
  if (account.needs_approval) return { kind: "approval", text: "Requires an approval." };
  return null;
}
