// Labels for a restore: the objects it ended, how it was detected, and the changes it undid.
import type { RestoreReview } from "@strongroom/contract";
import { counted } from "#shared/format/text.ts";

export const FOUND_BY: Record<RestoreReview["found_by"], string> = {
  restore: "Restored from a backup with strongroom restore",
  command: "Marked as restored by an operator",
  checkpoint: "Detected because the saved audit checkpoint is newer than the database",
};

/** One line for each kind of ended object; a count of zero is skipped. */
export function endsIn({ ended }: Pick<RestoreReview, "ended">): string[] {
  const lines: [number, string][] = [
    [ended.sessions, `${counted(ended.sessions, "session")} ended`],
    [ended.sign_ins, `${counted(ended.sign_ins, "pending sign-in")} ended`],
    [ended.links, `${counted(ended.links, "password reset or invitation link")} ended`],
    [ended.grants, `${counted(ended.grants, "grant")} ended`],
    [ended.check_outs, `${counted(ended.check_outs, "check-out")} ended`],
    [ended.rotations, `${counted(ended.rotations, "rotation")} set to verify the secret before any change`],
    [ended.tokens, `${counted(ended.tokens, "API token")} suspended`],
    [ended.admin_resets, `${counted(ended.admin_resets, "administrator reset request")} expired`],
    [ended.closures, `Waiting time of ${counted(ended.closures, "closed vault")} restarted`],
    [
      ended.recovery_codes,
      `${counted(ended.recovery_codes, "recovery code")} deleted: their owners must create new ones`,
    ],
    [ended.approvals, `${counted(ended.approvals, "approval")} of pending access requests removed`],
  ];
  const said = lines.filter(([count]) => count > 0).map(([, text]) => text);
  return said.length === 0 ? ["Nothing was ended"] : said;
}

/** `user.status-changed` becomes "User status changed". */
export function eventName(event: string): string {
  const words = event.replaceAll(/[.-]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
