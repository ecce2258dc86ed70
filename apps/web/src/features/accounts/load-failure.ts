// Error texts for accounts that failed to load (ACC-36 to ACC-38).
import { isCallError } from "#shared/api/call-error.ts";

/** `hasToken`: whether the call carried an authorization. */
export function loadFailureText(error: unknown, hasToken: boolean): string {
  if (!hasToken) return "Please log in to view accounts";
  if (isCallError(error) && error.status === 401) return "Session expired. Please login again.";
  return "Failed to fetch accounts";
}

export const ACCOUNT_NOT_FOUND = "Account not found";

/** Whether the account does not exist or is not visible to the caller, as opposed to a failed call. */
export const isNotFound = (error: unknown): boolean => isCallError(error) && error.status === 404;
