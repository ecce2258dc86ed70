// The page to return to after signing in.
import { paths } from "./paths.ts";

interface Place {
  pathname: string;
  search?: string;
  hash?: string;
}

function isPlace(value: unknown): value is Place {
  return typeof value === "object" && value !== null && typeof (value as Place).pathname === "string";
}

/** Reads the path from a navigation's state, or returns `/`. Accepts only paths of this app. */
export function returnPlace(state: unknown): string {
  const from = typeof state === "object" && state !== null ? (state as { from?: unknown }).from : undefined;
  if (!isPlace(from)) return paths.dashboard;
  const isOurs = from.pathname.startsWith("/") && !from.pathname.startsWith("//");
  return isOurs ? `${from.pathname}${from.search ?? ""}${from.hash ?? ""}` : paths.dashboard;
}
