// Error texts for requests that failed to load (JIT-31 to JIT-34) or to be created (JIT-35).
import { isCallError } from "#shared/api/call-error.ts";

const NO_CONNECTION = "Failed to fetch access requests. Please check your connection.";

/** Detects a message that only repeats the status, such as "500 Internal Server Error". */
const isBareStatus = (message: string, status: number): boolean => message === "" || message.startsWith(`${status} `);

/** `hasToken`: whether the call carried an authorization. */
export function loadFailureText(error: unknown, hasToken: boolean): string {
  if (!hasToken) return "Please log in to view JIT access requests";
  if (!isCallError(error) || error.kind !== "http") return NO_CONNECTION;
  if (error.status === 401) return "Authentication required. Please log in again.";
  return isBareStatus(error.message, error.status) ? `Error ${error.status}` : error.message;
}

/** JIT-35. */
export const createFailureTitle = (error: unknown): string =>
  `Failed to create request (${isCallError(error) ? error.status : 0})`;
