// Pure rules of notifications: which ones a user's preferences allow, and how several subjects are merged into one.
import { ALERT_SEVERITIES } from "@strongroom/contract";
import type { NotificationPreferences, NotificationType, Severity } from "@strongroom/contract";

/** NOTIF-06: the preference that allows each type; null if only the severity preference can turn it off. */
const SWITCH: Record<NotificationType, keyof NotificationPreferences | null> = {
  validation_failure: "enableValidationAlerts",
  critical_failure: "enableCriticalFailures",
  validation_success: "enableSuccessNotifications",
  jit_alert: "enableJitAlerts",
  rotation_completed: null,
  rotation_attention: null,
  reconcile_alert: null,
  access_review: null,
  security_alert: null,
  user_activation: null,
  session_alert: null,
  report_ready: null,
  audit_subscription: null,
};

/** Types that the user requested or subscribed to: they are shown regardless of their severity. */
const WHATEVER_SEVERITY: readonly NotificationType[] = [
  "validation_success",
  "rotation_completed",
  "user_activation",
  "report_ready",
  "audit_subscription",
];

/** NOTIF-09, NOTIF-10, OPEN-141: whether the user's preferences allow this notification. */
export function isWanted(
  { type, severity }: { type: NotificationType; severity: Severity },
  preferences: NotificationPreferences,
): boolean {
  const by = SWITCH[type];
  if (by !== null && preferences[by] !== true) return false;
  if (WHATEVER_SEVERITY.includes(type)) return true;
  return ALERT_SEVERITIES.indexOf(severity) <= ALERT_SEVERITIES.indexOf(preferences.minimumSeverity);
}

/** The subjects of a merged notification: up to `MOST_KNOWN` by key, and the number of additional ones. */
export interface Subjects {
  /** Names by key; at most `MOST_KNOWN`. */
  known: Record<string, string>;
  more: number;
}

export const NO_SUBJECTS: Subjects = { known: {}, more: 0 };

/** The maximum number of subjects stored by key; additional subjects only increase the count. */
const MOST_KNOWN = 50;
const MOST_NAMED = 3;

export function withSubject({ known, more }: Subjects, key: string, name: string): Subjects {
  if (key in known) return { known, more };
  if (Object.keys(known).length >= MOST_KNOWN) return { known, more: more + 1 };
  return { known: { ...known, [key]: name }, more };
}

export const countOf = ({ known, more }: Subjects): number => Object.keys(known).length + more;

/** "web1, web2, web3 and 37 more". */
export function namesOf(subjects: Subjects): string {
  const names = Object.values(subjects.known).slice(0, MOST_NAMED);
  const others = countOf(subjects) - names.length;
  return others === 0 ? names.join(", ") : `${names.join(", ")} and ${others} more`;
}

/** Returns the higher of two severities. */
export const moreSevere = (one: Severity, other: Severity): Severity =>
  ALERT_SEVERITIES.indexOf(one) <= ALERT_SEVERITIES.indexOf(other) ? one : other;
