// Labels of discovery. Pure.
import type {
  CloudProvider,
  DiscoveredStatus,
  DiscoveredSystem,
  DiscoveryMethod,
  DiscoveryTargetType,
  OnboardingRule,
  OnboardingState,
  PrivilegeKind,
  ScanStatus,
} from "@strongroom/contract";
import { DISCOVERY_DEFAULTS } from "@strongroom/contract";
import { asWords } from "#shared/format/text.ts";
import { absoluteTime } from "#shared/format/time.ts";
import type { Status } from "#shared/ui/status-badge.tsx";

export const TYPE_LABELS: Record<DiscoveryTargetType, string> = {
  linux: "Linux or Unix",
  windows: "Windows",
  database: "Database",
  aws: "AWS",
  azure: "Azure",
  gcp: "Google Cloud",
  active_directory: "Active Directory or LDAP",
  git: "Git repositories",
};

export const PROVIDER_LABELS: Record<CloudProvider, string> = { aws: "AWS", azure: "Azure", gcp: "Google Cloud" };

const METHOD_LABELS: Record<DiscoveryMethod, string> = {
  ssh: "SSH",
  winrm: "WinRM",
  https: "HTTPS",
  aws_api: "AWS API",
  database: "Database login",
};

/** Each type has one method. Repositories have two, depending on their credential. */
export const methodLabel = (type: DiscoveryTargetType): string =>
  type === "git" ? "HTTPS or SSH" : METHOD_LABELS[DISCOVERY_DEFAULTS[type].method];

export const SYSTEM_LABELS: Record<DiscoveredSystem, string> = {
  linux: "Linux",
  unix: "Unix",
  windows: "Windows",
  database: "Database",
  other: "Other",
};

export const SCAN_BADGES: Record<ScanStatus, { status: Status; label: string }> = {
  pending: { status: "pending", label: "Pending" },
  running: { status: "active", label: "Running" },
  completed: { status: "verified", label: "Completed" },
  failed: { status: "failed", label: "Failed" },
  cancelled: { status: "inactive", label: "Cancelled" },
};

/** SCAN-06: also the words of earlier servers. */
const OPEN = ["pending", "running", "in_progress", "started", "active"];

export const isOpen = (status: string): boolean => OPEN.includes(status);

export const ACCOUNT_BADGES: Record<DiscoveredStatus, { status: Status; label: string }> = {
  pending_approval: { status: "pending", label: "Pending Approval" },
  active: { status: "verified", label: "Approved" },
  rejected: { status: "inactive", label: "Rejected" },
};

export const ONBOARDING_BADGES: Record<OnboardingState, { status: Status; label: string }> = {
  planned: { status: "pending", label: "Planned" },
  rotating: { status: "active", label: "Setting password" },
  waiting: { status: "pending", label: "Password needed" },
  done: { status: "verified", label: "Onboarded" },
  failed: { status: "failed", label: "Failed" },
  undone: { status: "inactive", label: "Undone" },
};

/** The conditions of a rule in one sentence. */
export function conditionsOf(rule: OnboardingRule): string {
  const which = rule.is_privileged === null ? "" : rule.is_privileged ? "privileged " : "other ";
  const parts = [
    rule.target_name === null ? null : `of ${rule.target_name}`,
    rule.name_pattern === null ? null : `named ${rule.name_pattern}`,
    rule.dn_pattern === null ? null : `below ${rule.dn_pattern}`,
  ].filter((part) => part !== null);
  return `all ${which}accounts${parts.length === 0 ? "" : ` ${parts.join(", ")}`}`;
}

/** One sentence about a rule. */
export function effectOf(rule: OnboardingRule): string {
  if (rule.action === "reject") return `Rejects them: ${rule.reason ?? ""}`;
  const platform = rule.platform_name === null ? "" : `, platform ${rule.platform_name}`;
  const into = rule.into_safe_id === null ? "the target's safe" : "another safe";
  if (rule.action === "place") return `Puts them into ${into}${platform}`;
  const password = rule.onboarding_settings?.autoRotate === true ? ", with a new password" : "";
  return `Approves them into ${into}${platform}${password}`;
}

const MINUTE_MS = 60_000;

/** SCAN-17, OPEN-115: the expected duration of a scan with this timeout in milliseconds. */
export function estimateOf(timeout: number): string {
  const [least, most] = [Math.ceil(timeout / MINUTE_MS), Math.ceil((2 * timeout) / MINUTE_MS)];
  if (most === 1) return "about 1 minute";
  return least === most ? `about ${most} minutes` : `${least} to ${most} minutes`;
}

/** DISC-22: the number in the text, or the default for other text. */
export const numberOr = (text: string, usual: number): number => {
  const number = Number(text);
  return text.trim() === "" || Number.isNaN(number) ? usual : number;
};

const FACT_LABELS: Readonly<Record<string, string>> = {
  uid: "User ID",
  gid: "Group ID",
  keys: "Authorized keys",
  is_privileged: "Privileged",
  is_locked: "Locked",
  mustChange: "Password must be changed",
  passwordMaxDays: "Maximum password age (days)",
};

export const factLabel = (name: string): string => FACT_LABELS[name] ?? asWords(name);

const ISO_MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** One line for any JSON value that a system reported. */
export function factText(value: unknown): string {
  if (value === null || value === undefined || value === "") return "None";
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (Array.isArray(value)) return value.length === 0 ? "None" : value.map(factText).join(", ");
  if (typeof value !== "string") return JSON.stringify(value);
  return ISO_MOMENT.test(value) ? absoluteTime(value) : value;
}

/** The end of the texts of SCAN-24 and SCAN-26. */
export const STARTING_UP = "backend may be starting up, please try again in a moment";

/** The strongest privilege of an account. */
export const PRIVILEGE_LABELS: Readonly<Record<PrivilegeKind, string>> = {
  root: "Root",
  "sudo-all": "Sudo, all commands",
  "sudo-escape": "Sudo, can become root",
  "root-group": "Group that can become root",
  superuser: "Database superuser",
  "domain-admin": "Domain administrator",
  "directory-admin": "Directory administrator",
  "local-admin": "Local administrator",
  "cloud-admin": "Cloud administrator",
  escalation: "Can grant itself rights",
  impersonation: "Can act as others",
  "sudo-as": "Sudo, as another account",
  "sudo-limited": "Sudo, some commands",
};
