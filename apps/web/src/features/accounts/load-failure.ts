// What the accounts page says when its accounts could not be loaded (ACC-36 to ACC-38).
import { isCallError } from "#shared/api/call-error.ts";

/** `hasToken`: whether the call carried an authorization at all. */
export function loadFailureText(error: unknown, hasToken: boolean): string {
  if (!hasToken) return "Please log in to view accounts";
  if (isCallError(error) && error.status === 401) return "Session expired. Please login again.";
  return "Failed to fetch accounts";
}

export const ACCOUNT_NOT_FOUND = "Account not found";

/** One account: gone or never to be seen, or not to be had now. */
export const isNotFound = (error: unknown): boolean => isCallError(error) && error.status === 404;
