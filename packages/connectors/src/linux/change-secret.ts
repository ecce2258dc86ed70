// A Unix account has a password or a key: which of them is changed, and which is retired.
import type { ChangeAttempt } from "../attempt.ts";
import type { ChangeFinding, Target } from "../connector.ts";
import { changed } from "../finding.ts";
import { looksLikePrivateKey, parseJsonSecret } from "../private-key/json-secret.ts";
import { changeKey, retireKey } from "./change-key.ts";
import { changePassword } from "./change-password.ts";

export async function changeSecret(
  target: Target,
  value: string,
  candidate: string,
  current: ChangeAttempt,
): Promise<ChangeFinding> {
  const change = isKey(target, value) ? changeKey : changePassword;
  return change(target, value, candidate, current);
}

/** For a password there is nothing to do. */
export async function retireSecret(
  target: Target,
  value: string,
  retired: string,
  current: ChangeAttempt,
): Promise<ChangeFinding> {
  return isKey(target, retired) ? retireKey(target, value, retired, current) : NO_SECOND_PASSWORD;
}

const NO_SECOND_PASSWORD = changed("A password ends when another one takes its place: there is nothing to take away.");

/** Entries of type SSH Key hold keys; others may. */
function isKey(target: Target, value: string): boolean {
  return target.type === "ssh" || looksLikePrivateKey(value) || parseJsonSecret(value) !== null;
}
