// What is said where a notification or an event does not say it (NOTIF-12).
import type { ErrorCategory } from "@strongroom/contract";

const given = (text: string | null | undefined): text is string =>
  text !== null && text !== undefined && text.trim() !== "";

export const nameOr = (name: string | null | undefined): string => (given(name) ? name : "Unknown Account");

/** Of what was not reached, that the connection is why. */
export function messageOr(message: string | null | undefined, category: ErrorCategory | null = null): string {
  if (given(message)) return message;
  return category === "network" || category === "tls" ? "Connection error" : "Unknown error";
}
