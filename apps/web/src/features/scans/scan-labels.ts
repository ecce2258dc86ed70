// Labels of enhanced scans. Pure.
import type { EnhancedScan, FindingSeverity, ScanConfig, ScanDepth, ScanStatus, ScanType } from "@strongroom/contract";
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

/** One pattern on each line. */
export const patternsIn = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
