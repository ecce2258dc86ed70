// The reasons why a directory refuses to set a password.
import type { ChangeFinding } from "../connector.ts";
import { refused } from "../finding.ts";
import { resultCodeOf } from "./session.ts";

export const tooYoung = (where: string, username: string): ChangeFinding =>
  refused("too-young", `${where} did not change the password of ${username}: it was changed too recently.`);

export const usedBefore = (where: string, username: string): ChangeFinding =>
  refused("reused", `${where} refused the new password for ${username}: it has been used before.`);

export const mayNotSet = (where: string, username: string): ChangeFinding =>
  refused("no-permission", `${where} does not allow this login to set the password of ${username}.`);

/** Uses the result code (RFC 4511, appendix A); null for a result that leaves open whether the password changed. */
export function refusalByCode(error: unknown, where: string, username: string): ChangeFinding | null {
  switch (resultCodeOf(error)) {
    case 19:
      return refused(
        "password-rules",
        `${where} refused the new password for ${username}: it breaks the directory's password rules.`,
      );
    case 50:
      return mayNotSet(where, username);
    case 32:
      return refused("no-such-account", `${where} has no ${username}.`);
    case 10:
    case 53:
      return refused("not-changeable", `${where} does not support this way of changing the password of ${username}.`);
    default:
      return null;
  }
}
