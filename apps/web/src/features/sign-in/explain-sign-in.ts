// Error messages for a failed sign-in (AUTH-19, AUTH-40 to AUTH-43, OPEN-10).
import { isCallError } from "#shared/api/call-error.ts";
import { NoPasskey } from "#shared/factors/passkey.ts";
import { INVALID_TOKEN } from "#shared/session/token.ts";

const INVALID_CREDENTIALS = "Invalid credentials";
const SIGN_IN_NETWORK_ERROR =
  "Network error: Please check if the backend server is running and CORS is properly configured.";

/** A failed sign-in; a refusal that is not about the credentials is a permanent notice (`isStep`), not a toast. */
export interface SignInFailure {
  text: string;
  isStep: boolean;
}

export function explainSignIn(error: unknown): SignInFailure {
  if (error instanceof NoPasskey) return { text: error.message, isStep: false };
  if (!isCallError(error)) return { text: INVALID_CREDENTIALS, isStep: false };
  if (error.kind === "network") return { text: SIGN_IN_NETWORK_ERROR, isStep: false };
  if (error.kind === "timeout" || error.message === INVALID_TOKEN) return { text: error.message, isStep: false };
  if (error.text !== null) return { text: `Server error: ${error.status}`, isStep: false };
  // The password was right, but the account waits for a decision or is rate limited.
  if (error.status === 403 || error.status === 429) return { text: error.message, isStep: true };
  if (error.status >= 500) return { text: error.message, isStep: false };
  return { text: INVALID_CREDENTIALS, isStep: false };
}
