// The user's own inactivity settings, stored in this browser under `sessionSettings` (DEMO-07 to DEMO-09).
import { z } from "zod";
import { browserValue } from "./browser-value.ts";

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

const stored = browserValue(SETTINGS_KEY, SessionSettings);

/** The user's choice; null without one, or when it is not offered. */
export const readSettings = stored.read;
export const storeSettings = stored.store;
export const useSessionSettings = stored.use;
