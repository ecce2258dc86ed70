// A user's inactivity limits: the tighter of the policy and their own settings (OPEN-01 to OPEN-03).
import type { Role, SessionLimits } from "@strongroom/contract";
import type { InactivityLimits } from "./inactivity-clock.ts";
import type { SessionSettings } from "./session-settings.ts";

const MINUTE = 60_000;
/** Milliseconds before the end at which the warning toast shows, whichever limit applies (AUTH-50). */
export const TOAST_BEFORE_MS = 2 * MINUTE;

/** Used until the server's limits are loaded (AUTH-49, AUTH-57, AUTH-58). */
export const DEFAULT_LIMITS: SessionLimits = {
  timeout_minutes: 30,
  warning_minutes: 5,
  privileged_timeout_minutes: 15,
};

/** The warning is always shorter than the timeout. */
export function limitsFor(policy: SessionLimits, role: Role, personal: SessionSettings | null): InactivityLimits {
  const ofRole = role === "user" ? policy.timeout_minutes : policy.privileged_timeout_minutes;
  const timeout = Math.min(policy.timeout_minutes, ofRole, personal?.timeout ?? Infinity);
  const warning = Math.min(personal?.warningTime ?? policy.warning_minutes, timeout - 1);
  return { timeoutMs: timeout * MINUTE, warningMs: warning * MINUTE, toastMs: TOAST_BEFORE_MS };
}
