// Labels of security findings. Pure.
import { placeOf } from "@strongroom/contract";
import type {
  DatabasePlace,
  FindingFix,
  FindingLiveness,
  FindingSeverity,
  FindingStatus,
  FindingType,
  SecurityFinding,
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

const PLACE_NAMES: Readonly<Record<DatabasePlace["kind"], string>> = {
  column: "Column",
  definition: "Definition",
  setting: "Setting",
};

export function placeFacts(
  { file_path: path, line_number: line }: SecurityFinding["finding_data"],
  { owner, group, mode }: SecurityFindingDetails["file"],
): { name: string; value: string }[] {
  const place = placeOf(path);
  switch (place.kind) {
    case "object":
      return [
        { name: "Object", value: `${path}, line ${line}` },
        { name: "Readable by", value: mode === "644" ? "Everybody" : "Users with permission" },
      ];
    case "repository":
      return [
        { name: "File", value: `${place.path}, line ${line}` },
        { name: "Repository", value: place.repository },
      ];
    case "column":
    case "definition":
    case "setting":
      return [
        { name: PLACE_NAMES[place.kind], value: `${place.name}, ${place.kind === "column" ? "row" : "line"} ${line}` },
        ...(owner === "" ? [] : [{ name: "Owner", value: owner }]),
        { name: "Readable by", value: mode === "644" ? "Every login of the database" : "Logins with permission" },
      ];
    case "process":
      return [
        { name: "Process", value: `${place.part} of ${place.name}` },
        { name: "User", value: place.user },
      ];
    case "account":
      return [{ name: "Account", value: place.name }];
    case "file":
      return [
        { name: "File", value: `${path}, line ${line}` },
        { name: "Owner and mode", value: `${owner}:${group}, ${mode}` },
      ];
  }
}

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

export function changeText({ kind, from, to, reason }: Change): string {
  if (kind === "status") return `${CHANGES.status} from ${labelOf(from)} to ${labelOf(to)}`;
  if (kind === "assigned") return to === null ? "Assignee removed" : `Assigned to ${to}`;
  // The reason follows, when it was not a scan.
  if (kind === "fixed" && reason !== null) return "Fixed";
  return CHANGES[kind];
}

const labelOf = (status: string | null): string =>
  status !== null && status in STATUS_BADGES ? STATUS_BADGES[status as FindingStatus].label : (status ?? "none");
