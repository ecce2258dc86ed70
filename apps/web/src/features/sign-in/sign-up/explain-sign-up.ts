// Explains a failed sign-up: refused, or successful without the mail (SIGNUP-15 to SIGNUP-19, AUTH-44 to AUTH-46,
// OPEN-13 to OPEN-16).
import { isBareStatus, isCallError, messageOf } from "#shared/api/call-error.ts";

export const SIGNED_UP = "Account created successfully! Please sign in with your new credentials.";
export const EMAIL_TAKEN = "An account with this email already exists. Please try signing in instead.";
export const MAIL_LIMITED =
  "Your account was created, but the email service is temporarily unavailable. You can sign in with your new credentials.";
export const MAIL_FAILED =
  "Your account was created, but the email confirmation failed. You can still sign in with your new credentials.";
/** AUTH-44's title above the text of SIGNUP-19, for a failed sign-up without a message. */
export const SIGN_UP_FAILED = "Registration failed";
const FALLBACK = "Failed to create account";

export interface SignUpFailure {
  text: string;
  /** The account may exist despite the error, so the page continues to sign-in. */
  mayExist: boolean;
}

const refused = (text: string): SignUpFailure => ({ text, mayExist: false });

/** "already exists" comes before "email", because such a message usually contains the email. */
function byText(message: string): SignUpFailure {
  if (/already exists|duplicate/i.test(message)) return refused(EMAIL_TAKEN);
  if (/rate limit/i.test(message)) return { text: MAIL_LIMITED, mayExist: true };
  if (/email|sending/i.test(message)) return { text: MAIL_FAILED, mayExist: true };
  return refused(message || FALLBACK);
}

/** Uses the server's error code, or matches the message when there is no code. */
export function explainSignUp(error: unknown): SignUpFailure {
  if (!isCallError(error)) return refused(FALLBACK);
  if (error.kind !== "http" || isBareStatus(error)) return refused(messageOf(error, FALLBACK));
  if (error.errors.length > 0) {
    return refused(`Validation errors: ${error.errors.map(({ path, msg }) => `${path}: ${msg}`).join(", ")}`);
  }
  if (error.code === null) return byText(error.message);
  if (/exists|taken|duplicate/.test(error.code)) return refused(EMAIL_TAKEN);
  return refused(messageOf(error, FALLBACK));
}
