// The words and colours in which access requests are shown.
import type { AccessRequest, AccessRequestStatus } from "@strongroom/contract";
import { nearTime } from "#shared/format/time.ts";
import { counted } from "#shared/format/text.ts";
import type { Tone } from "#shared/ui/tone.ts";

export const STATUS_LOOKS: Record<AccessRequestStatus, { label: string; tone: Tone }> = {
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

/** What a request waits for, or what has become of it. Null: nothing to point out. */
export function noteOf(request: AccessRequest, now: number): RequestNote | null {
  const { approval, pending_extension_minutes: extra } = request;
  if (request.needs_review) return { tone: "danger", text: "Opened without an approval: a review is due." };
  if (request.account_id === null && request.status === "pending") {
    return { tone: "warning", text: "Free text: an administrator has to say which account is meant." };
  }
  if (approval !== null && approval.eligible === 0) {
    return { tone: "danger", text: "Nobody may approve it now: it stays closed until somebody can." };
  }
  if (extra !== null) return { tone: "info", text: `Asks for ${extra} minutes more. ${approvalText(approval)}` };
  if (approval !== null && request.status === "pending") {
    return { tone: "neutral", text: approvalText(approval) };
  }
  if (request.ended_because !== null) return { tone: "neutral", text: request.ended_because };
  if (request.status === "approved" && request.starts_at !== null) {
    return { tone: "info", text: `Begins ${nearTime(request.starts_at, now)}.` };
  }
  return null;
}

/** "Level 1: 1 of 2 approvals, 3 people may give it." */
export function approvalText(approval: AccessRequest["approval"]): string {
  if (approval === null) return "";
  const { level, given, needed, eligible } = approval;
  return `Level ${level}: ${given} of ${counted(needed, "approval")}, ${counted(eligible, "person", "people")} may decide.`;
}
