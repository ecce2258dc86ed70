// Labels, figures and filters of privileged sessions.
import type {
  PrivilegedSession,
  SessionEndReason,
  SessionFigures,
  SessionProtocol,
  SessionRisk,
  SessionStatus,
} from "@strongroom/contract";
import type { Status } from "#shared/ui/status-badge.tsx";

const HOUR = 3_600_000;

/** The time filter: sessions that started within this many milliseconds. */
export const PERIODS = {
  any: { label: "Any time", ms: null },
  hour: { label: "Last hour", ms: HOUR },
  day: { label: "Last 24 hours", ms: 24 * HOUR },
  week: { label: "Last 7 days", ms: 7 * 24 * HOUR },
  month: { label: "Last 30 days", ms: 30 * 24 * HOUR },
} as const;
export type Period = keyof typeof PERIODS;

export const STATUS_LABELS: Record<SessionStatus, string> = { active: "Active", completed: "Completed" };
export const STATUS_BADGE: Record<SessionStatus, Status> = { active: "active", completed: "inactive" };
export const PROTOCOL_LABELS: Record<SessionProtocol, string> = { ssh: "SSH" };
export const RISK_LABELS: Record<SessionRisk, string> = { high: "High risk", medium: "Medium risk", low: "Low risk" };

/** SES-02, OPEN-96: how each card is computed. */
export const FIGURE_TEXTS: Record<keyof SessionFigures, string> = {
  active: "Open sessions that you may view.",
  recorded_today: "Recorded sessions that started since midnight UTC.",
  high_risk: "Active sessions with a high risk.",
  average_seconds: "Average length of the sessions that ended in the last 30 days.",
};

/** Tells sessions apart in the names of buttons and dialogs. */
export const nameOf = ({ user, resource }: Pick<PrivilegedSession, "user" | "resource">): string =>
  `${user} on ${resource}`;

const END_TEXTS: Record<SessionEndReason, string> = {
  logout: "The session ended.",
  expired: "The access time has ended.",
  revoked: "The access was revoked.",
  "checked-in": "The account was checked in.",
  "user-disabled": "The user was disabled.",
  "membership-removed": "The safe membership was removed.",
  "account-deleted": "The account was deleted.",
  terminated: "The session was terminated.",
  "target-closed": "The target closed the connection.",
  "recorder-failed": "The recording failed, so the session ended.",
  "database-lost": "The session gateway lost its database.",
  "gateway-lost": "The session gateway stopped.",
  idle: "The session was idle for too long.",
  failed: "The session failed.",
};

/** Why a session ended, in words. A detail is a complete sentence. `reason` is null when the session did not begin. */
export function endText({ reason, detail }: { reason: SessionEndReason | null; detail: string | null }): string {
  return detail ?? (reason === null ? "The session did not begin." : END_TEXTS[reason]);
}
