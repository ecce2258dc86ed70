// The user's own inactivity settings, stored in this browser under `sessionSettings` (DEMO-07 to DEMO-09).
import { useSyncExternalStore } from "react";
import { z } from "zod";

const SETTINGS_KEY = "sessionSettings";
/** Minutes. */
export const TIMEOUT_OPTIONS = [15, 30, 60, 120, 240] as const;
/** Minutes before the timeout. */
export const WARNING_OPTIONS = [2, 5, 10] as const;

const SessionSettings = z.object({
  timeout: z.literal(TIMEOUT_OPTIONS),
  warningTime: z.literal(WARNING_OPTIONS),
});
export type SessionSettings = z.infer<typeof SessionSettings>;

export const DEFAULT_SETTINGS: SessionSettings = { timeout: 30, warningTime: 5 };

/** The user's choice; null without one, or when it is not offered. */
export function readSettings(text: string | null): SessionSettings | null {
  if (text === null) return null;
  try {
    return SessionSettings.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // Not JSON, so not written by this app.
    return null;
  }
}

const listeners = new Set<() => void>();

export function storeSettings(settings: SessionSettings): void {
  localStorage.setItem(SETTINGS_KEY, JSON.stringify(settings));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
}

export function useSessionSettings(): SessionSettings | null {
  return readSettings(useSyncExternalStore(subscribe, () => localStorage.getItem(SETTINGS_KEY)));
}
