// Error texts for a credential that failed to load (VAULT-39 to VAULT-41).
import { isCallError } from "#shared/api/call-error.ts";

export const NOT_FOUND = "Credential not found";
export const NOT_LOADED = "Failed to load credential";

/** Detects "not found" by status, and by the text of a proxy or an older server. */
export function loadFailureText(error: unknown): typeof NOT_FOUND | typeof NOT_LOADED {
  const message = error instanceof Error ? error.message : "";
  const isMissing = (isCallError(error) && error.status === 404) || /404|not found/i.test(message);
  return isMissing ? NOT_FOUND : NOT_LOADED;
}
