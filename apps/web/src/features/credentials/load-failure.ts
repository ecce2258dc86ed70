// What the detail page says when its credential could not be loaded (VAULT-39 to VAULT-41).
import { isCallError } from "#shared/api/call-error.ts";

export const NOT_FOUND = "Credential not found";
export const NOT_LOADED = "Failed to load credential";

/** By status, and by the words in which a proxy or an older server may say the same. */
export function loadFailureText(error: unknown): typeof NOT_FOUND | typeof NOT_LOADED {
  const message = error instanceof Error ? error.message : "";
  const isMissing = (isCallError(error) && error.status === 404) || /404|not found/i.test(message);
  return isMissing ? NOT_FOUND : NOT_LOADED;
}
