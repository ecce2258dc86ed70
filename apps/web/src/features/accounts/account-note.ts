// The one thing out of the ordinary that an account's card points out.
import type { Account } from "@strongroom/contract";
import { nearTime } from "#shared/format/time.ts";

export interface AccountNote {
  kind: "attention" | "rotation" | "check-out" | "own-check-out" | "grant" | "invalid" | "disabled" | "approval";
  text: string;
}

/** Who has it matters more than whether it is changed or works, and that more than how one gets at it. Null: nothing to point out. */
export function noteOf(account: Account, now: number): AccountNote | null {
  const { check_out: checkOut, open_rotation: rotation, my_grant: grant } = account;
  if (account.status === "disabled") return { kind: "disabled", text: "Disabled: nobody can use or retrieve it." };
  if (checkOut !== null) {
    const until = nearTime(checkOut.until, now);
    return checkOut.is_own
      ? { kind: "own-check-out", text: `Checked out by you until ${until}.` }
      : { kind: "check-out", text: `Checked out by ${checkOut.name} until ${until}.` };
  }
  if (rotation?.state === "attention") {
    return { kind: "attention", text: `Rotation needs attention: ${rotation.message}` };
  }
  if (rotation !== null) return { kind: "rotation", text: "Its password is being changed." };
  if (account.last_validation_status === "invalid" && account.validation_message !== null) {
    return { kind: "invalid", text: account.validation_message };
  }
  if (grant !== null) return { kind: "grant", text: `Lent to you until ${nearTime(grant.ends_at, now)}.` };
  if (account.needs_approval) return { kind: "approval", text: "An approval is needed first." };
  return null;
}
