// The words in which a directory refuses to set a password.
import type { ChangeFinding } from "../connector.ts";
import { refused } from "../finding.ts";
import { resultCodeOf } from "./session.ts";

export const tooYoung = (where: string, username: string): ChangeFinding =>
  refused("too-young", `${where} keeps the password of ${username}: it was changed too short a time ago.`);

export const usedBefore = (where: string, username: string): ChangeFinding =>
  refused("reused", `${where} refused the new password for ${username}: it was used before.`);

export const mayNotSet = (where: string, username: string): ChangeFinding =>
  refused("no-permission", `${where} does not let the password of ${username} be set by this account.`);

/** By the result code (RFC 4511, appendix A); null for an answer that does not say whether the password is the old one. */
export function refusalByCode(error: unknown, where: string, username: string): ChangeFinding | null {
  switch (resultCodeOf(error)) {
    case 19:
      return refused("password-rules", `${where} refused the new password for ${username}: it breaks its rules.`);
    case 50:
      return mayNotSet(where, username);
    case 32:
      return refused("no-such-account", `${where} has no ${username}.`);
    case 10:
    case 53:
      return refused("not-changeable", `${where} does not change the password of ${username} in this way.`);
    default:
      return null;
  }
}
