// Labels of security findings. Pure.
import type {
  FindingFix,
  FindingLiveness,
  FindingSeverity,
  FindingStatus,
  FindingType,
  SecurityFindingDetails,
} from "@strongroom/contract";
import type { Status } from "#shared/ui/status-badge.tsx";
import type { Tone } from "#shared/ui/tone.ts";

export const STATUS_BADGES: Record<FindingStatus, { status: Status; label: string }> = {
  new: { status: "pending", label: "New" },
  investigating: { status: "active", label: "Investigating" },
  remediated: { status: "verified", label: "Remediated" },
  false_positive: { status: "inactive", label: "False positive" },
  accepted: { status: "inactive", label: "Accepted" },
};

export const TYPE_LABELS: Record<FindingType, string> = {
  hardcoded_password: "Hardcoded password",
  ssh_key: "SSH key",
  certificate: "Certificate",
  service_account: "Service account",
  shared_account: "Shared account",
  credential_exposure: "Credential exposure",
};

export const SEVERITY_LABELS: Record<FindingSeverity, string> = {
  critical: "Critical",
  high: "High",
  medium: "Medium",
  low: "Low",
};

/** FIND-12, OPEN-118: red, orange, yellow, green. */
export const RISK_TONES: Record<FindingSeverity, Tone> = {
  critical: "danger",
  high: "caution",
  medium: "warning",
  low: "success",
};

export const LIVENESS_LABELS: Record<FindingLiveness, string> = {
  unverified: "Not verified",
  live: "Live: the secret works",
  dead: "Dead: the secret no longer works",
  unknown: "Could not be verified",
};

export const FIX_BADGES: Record<FindingFix["state"], { status: Status; label: string }> = {
  stored: { status: "active", label: "Stored" },
  rotating: { status: "pending", label: "Rotating" },
  updating: { status: "pending", label: "Updating the file" },
  fixed: { status: "verified", label: "Fixed" },
  attention: { status: "failed", label: "Needs attention" },
  undone: { status: "inactive", label: "Undone" },
};

type Change = SecurityFindingDetails["history"][number];

const CHANGES: Record<Change["kind"], string> = {
  found: "Found",
  moved: "Moved",
  status: "Status changed",
  assigned: "Assigned",
  due: "Due date changed",
  comment: "Comment",
  verified: "Verified",
  vaulted: "Vaulted",
  fixed: "Fixed: a scan no longer found it",
  reopened: "Found again",
};

export function changeText({ kind, from, to }: Change): string {
  if (kind === "status") return `${CHANGES.status} from ${labelOf(from)} to ${labelOf(to)}`;
  if (kind === "assigned") return to === null ? "Assignee removed" : `Assigned to ${to}`;
  return CHANGES[kind];
}

const labelOf = (status: string | null): string =>
  status !== null && status in STATUS_BADGES ? STATUS_BADGES[status as FindingStatus].label : (status ?? "none");
