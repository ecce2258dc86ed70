// Chooses between password and key when a Unix account's secret is changed or retired.
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

/** Has no effect on a password, which stops working when a new one replaces it. */
export async function retireSecret(
  target: Target,
  value: string,
  retired: string,
  current: ChangeAttempt,
): Promise<ChangeFinding> {
  return isKey(target, retired) ? retireKey(target, value, retired, current) : NO_SECOND_PASSWORD;
}

const NO_SECOND_PASSWORD = changed("The new password replaced the old one, so no old secret has to be removed.");

/** Entries of type SSH Key always contain keys; entries of other types may. */
function isKey(target: Target, value: string): boolean {
  return target.type === "ssh" || looksLikePrivateKey(value) || parseJsonSecret(value) !== null;
}
