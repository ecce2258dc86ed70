// Fallback texts for notifications and events without their own (NOTIF-12).
import type { ErrorCategory } from "@strongroom/contract";

const given = (text: string | null | undefined): text is string =>
  text !== null && text !== undefined && text.trim() !== "";

export const nameOr = (name: string | null | undefined): string => (given(name) ? name : "Unknown Account");

/** A connection failure without a message gets the connection text. */
export function messageOr(message: string | null | undefined, category: ErrorCategory | null = null): string {
  if (given(message)) return message;
  return category === "network" || category === "tls" ? "Connection error" : "Unknown error";
}
