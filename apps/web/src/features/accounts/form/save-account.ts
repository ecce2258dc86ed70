// Error texts for an account that could not be created or updated (ACC-76 to ACC-81).
import { isCallError, messageOf } from "#shared/api/call-error.ts";

const NETWORK = "Network error: Unable to connect to the server. Please check your connection and try again.";
const CORS = "CORS error: Cross-origin request blocked. Please check server configuration.";
const AUTHENTICATION = "Authentication error: Please log in again.";
const PERMISSION = "Permission denied: You don't have permission to create accounts.";
const OTHER = "An error occurred while creating the account.";
const UNEXPECTED = "An unexpected error occurred. Please try again.";

export function createFailureText(error: unknown): string {
  if (!(error instanceof Error)) return UNEXPECTED;
  if (/network error|failed to fetch/i.test(error.message)) return NETWORK;
  if (/cors/i.test(error.message)) return CORS;
  const status = isCallError(error) ? error.status : 0;
  if (status === 401) return AUTHENTICATION;
  if (status === 403) return PERMISSION;
  return messageOf(error, OTHER);
}

/** The text for an edit: reworded where the text for a new account mentions creating. */
export function editFailureText(error: unknown): string {
  if (isCallError(error) && error.status === 403) return error.message;
  const text = createFailureText(error);
  return text === OTHER ? "An error occurred while saving the account." : text;
}
