// What a failed sign-up means: refused, or done but for the mail (SIGNUP-15 to SIGNUP-19, AUTH-44 to AUTH-46, OPEN-13 to OPEN-16).
import { isCallError } from "#shared/api/call-error.ts";

export const SIGNED_UP = "Account created successfully! Please sign in with your new credentials.";
export const EMAIL_TAKEN = "An account with this email already exists. Please try signing in instead.";
export const MAIL_LIMITED =
  "Your account was created, but the email service is temporarily unavailable. You can sign in with your new credentials.";
export const MAIL_FAILED =
  "Your account was created, but the email confirmation failed. You can still sign in with your new credentials.";
/** AUTH-44, above the text of SIGNUP-19: both names that a failed sign-up without a message has. */
export const SIGN_UP_FAILED = "Registration failed";
const FALLBACK = "Failed to create account";

export interface SignUpFailure {
  text: string;
  /** The account may exist all the same: on to the sign-in page. */
  mayExist: boolean;
}

const refused = (text: string): SignUpFailure => ({ text, mayExist: false });

/** "already exists" comes before "email", because such a message usually names the email. */
function byText(message: string): SignUpFailure {
  if (/already exists|duplicate/i.test(message)) return refused(EMAIL_TAKEN);
  if (/rate limit/i.test(message)) return { text: MAIL_LIMITED, mayExist: true };
  if (/email|sending/i.test(message)) return { text: MAIL_FAILED, mayExist: true };
  return refused(message || FALLBACK);
}

/** By the server's code when there is one; by the words of the message only when there is none. */
export function explainSignUp(error: unknown): SignUpFailure {
  if (!isCallError(error)) return refused(FALLBACK);
  if (error.kind !== "http") return refused(error.message || FALLBACK);
  if (error.errors.length > 0) {
    return refused(`Validation errors: ${error.errors.map(({ path, msg }) => `${path}: ${msg}`).join(", ")}`);
  }
  if (error.code === null) return byText(error.message);
  if (/exists|taken|duplicate/.test(error.code)) return refused(EMAIL_TAKEN);
  return refused(error.message || FALLBACK);
}
