// Labels of enhanced scans. Pure.
import type { EnhancedScan, FindingSeverity, ScanConfig, ScanDepth, ScanStatus, ScanType } from "@strongroom/contract";
import { counted } from "#shared/format/text.ts";
import type { Status } from "#shared/ui/status-badge.tsx";

export const TYPE_LABELS: Record<ScanType, string> = {
  basic: "Basic",
  enhanced: "Enhanced",
  compliance: "Compliance",
  security_audit: "Security audit",
};

/** SCAN-32. */
export const DEPTH_LABELS: Record<ScanDepth, string> = {
  quick: "Quick (2-5 min)",
  standard: "Standard (5-15 min)",
  deep: "Deep (15-60 min)",
};

export const THRESHOLD_LABELS: Record<FindingSeverity, string> = {
  critical: "Critical",
  high: "High",
  medium: "Medium",
  low: "Low",
};

export const STATUS_BADGES: Record<ScanStatus, { status: Status; label: string }> = {
  pending: { status: "pending", label: "Pending" },
  running: { status: "active", label: "Running" },
  completed: { status: "verified", label: "Completed" },
  failed: { status: "failed", label: "Failed" },
  cancelled: { status: "inactive", label: "Cancelled" },
};

/** SCAN-33, in the order of the form. */
export const SCAN_TOGGLES = {
  scanHardcodedPasswords: "Hardcoded passwords",
  scanSshKeys: "SSH keys",
  scanCertificates: "Certificates",
  scanServiceAccounts: "Service accounts",
  scanSharedAccounts: "Shared accounts",
  scanCredentialExposure: "Credential exposure",
  scanProcesses: "Running processes",
} as const satisfies Partial<Record<keyof ScanConfig, string>>;
export type ScanToggle = keyof typeof SCAN_TOGGLES;

export const isOpen = ({ status }: Pick<EnhancedScan, "status">): boolean =>
  status === "pending" || status === "running";

export const isDatabase = ({ target }: Pick<EnhancedScan, "target">): boolean => target.target_type === "database";

const LIMITS = {
  time: "The scan ran out of time before it read every file. Start another one: it continues with the rest.",
  files: "The host has more files than one scan of this depth reads.",
  bytes: "The files are larger than one scan of this depth reads.",
} as const;

const DATABASE_LIMITS = {
  time: "The scan ran out of time before it read every table. Give it more time.",
  files: "The server has more tables than one scan of this depth reads.",
  bytes: "The tables are larger than one scan of this depth reads.",
} as const;

/** Why a completed scan did not read everything, or null. */
export function coverageGap(scan: EnhancedScan): string | null {
  const { coverage } = scan;
  if (coverage.limit !== null) return (isDatabase(scan) ? DATABASE_LIMITS : LIMITS)[coverage.limit];
  if (coverage.unread_count === 0) return null;
  if (isDatabase(scan)) {
    const tables =
      coverage.unread_count === 1
        ? "1 table or database"
        : `${coverage.unread_count.toLocaleString()} tables and databases`;
    return `${tables} could not be read. Let the scan's account read them to include them.`;
  }
  const what =
    coverage.unread_count === 1 ? "1 file or folder" : `${coverage.unread_count.toLocaleString()} files and folders`;
  return `${what} could not be read. Give the scan's account a sudo rule for find and tar to include them.`;
}

export function coverageText(scan: EnhancedScan): string {
  const { files_read: read, files_unchanged: unchanged } = scan.coverage;
  if (isDatabase(scan)) return `${counted(read, "table")} read`;
  return `${counted(read, "file")} read, ${unchanged.toLocaleString()} unchanged`;
}

/** One pattern on each line. */
export const patternsIn = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
