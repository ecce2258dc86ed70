// Labels and colours of access requests.
import type { AccessRequest, AccessRequestStatus } from "@strongroom/contract";
import { duration, nearTime } from "#shared/format/time.ts";
import { counted } from "#shared/format/text.ts";
import type { Tone } from "#shared/ui/tone.ts";
import { readRequestAnswer } from "./read-request.ts";

export const STATUS_BADGES: Record<AccessRequestStatus, { label: string; tone: Tone }> = {
  pending: { label: "Pending", tone: "warning" },
  approved: { label: "Approved", tone: "info" },
  active: { label: "Active", tone: "success" },
  expiring_soon: { label: "Expiring Soon", tone: "warning" },
  denied: { label: "Denied", tone: "danger" },
  expired: { label: "Expired", tone: "neutral" },
  revoked: { label: "Revoked", tone: "neutral" },
};

export interface RequestNote {
  text: string;
  tone: Tone;
}

/** The note on a card: the approvals a pending request needs, or the reason why access ended. Null hides the note. */
export function noteOf(request: AccessRequest, now: number): RequestNote | null {
  const { approval, pending_extension_minutes: extra } = request;
  if (request.needs_review) return { tone: "danger", text: "Emergency access: review required." };
  if (request.account_id === null && request.status === "pending") {
    return { tone: "warning", text: "Free text: an administrator must assign an account." };
  }
  if (approval !== null && approval.eligible === 0) {
    return { tone: "danger", text: "No approver is available. The request waits until there is one." };
  }
  if (extra !== null) return { tone: "info", text: `Requests ${extra} more minutes. ${approvalText(approval)}` };
  if (approval !== null && request.status === "pending") {
    return { tone: "neutral", text: approvalText(approval) };
  }
  if (request.ended_because !== null) return { tone: "neutral", text: request.ended_because };
  if (request.status === "approved" && request.starts_at !== null) {
    return { tone: "info", text: `Starts ${nearTime(request.starts_at, now)}.` };
  }
  return null;
}

/** The requested start while the request is pending, the granted start afterwards. */
export function startText({ starts_at: start }: Pick<AccessRequest, "starts_at">, now: number): string {
  return start === null ? "On approval" : nearTime(start, now);
}

/** A one-line summary for approvers: "2 hours, starts on approval, ticket CHG-1, db1 · PostgreSQL". */
export function decisionSummary(request: AccessRequest, now: number): string {
  const { requestedDuration, system } = readRequestAnswer(request, now);
  const { pending_extension_minutes: extension, starts_at: start, ticket } = request;
  const time =
    extension === null
      ? `${requestedDuration}, starts ${start === null ? "on approval" : nearTime(start, now)}`
      : `${duration(extension * 60)} more, until ${nearTime(Date.parse(request.expires_at ?? "") + extension * 60_000, now)}`;
  return [time, ticket === null ? "no ticket" : `ticket ${ticket}`, ...(system === null ? [] : [system])].join(", ");
}

/** "Level 1: 1 of 2 approvals, 3 people may give it." */
export function approvalText(approval: AccessRequest["approval"]): string {
  if (approval === null) return "";
  const { level, given, needed, eligible } = approval;
  return `Level ${level}: ${given} of ${counted(needed, "approval")}, ${counted(eligible, "person", "people")} can approve.`;
}
