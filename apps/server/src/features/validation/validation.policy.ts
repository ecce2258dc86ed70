// Rules of validation: system families, error categories, statuses and the length of time ranges.
import { ACCOUNT_DATABASE_TYPES, DATABASE_TYPES, VALIDATION_OF } from "@strongroom/contract";
import type {
  AttemptStatus,
  ErrorCategory,
  SystemFamily,
  ValidationRange,
  ValidationStatus,
} from "@strongroom/contract";
import type { Outcome } from "@strongroom/contract";
import { verificationStatus } from "#features/secrets/index.ts";
import type { AttemptRow } from "#features/verification/index.ts";

export const DAY_MS = 86_400_000;

/** VAL-49: the number of days in each range. */
export const DAYS: Record<ValidationRange, number> = { "24h": 1, "7d": 7, "30d": 30 };

/** The trend covers a week, or a month for the 30-day range. */
export const trendDays = (range: ValidationRange): number => Math.max(7, DAYS[range]);

/** System types of accounts and types of credentials by family; all others are `Other`. */
export const FAMILIES: Record<Exclude<SystemFamily, "Other">, readonly string[]> = {
  Windows: ["Windows"],
  Linux: ["Linux", "Unix/AIX", "ssh", "server"],
  Database: [...new Set<string>([...ACCOUNT_DATABASE_TYPES, ...DATABASE_TYPES])],
  Network: ["Network Device", "Security Appliance"],
  Application: ["Application", "Website", "application", "api", "api_token"],
  Cloud: ["AWS", "Azure"],
};

const CATEGORIES: Record<string, ErrorCategory> = {
  "account-locked": "locked",
  "account-expired": "expired",
  "password-expired": "expired",
  "must-change": "expired",
  "certificate-expired": "expired",
  "host-key-changed": "host_key",
  "tls-failure": "tls",
  "tls-required": "tls",
  "certificate-not-yet-valid": "tls",
  "broken-chain": "tls",
  "key-mismatch": "tls",
  "certificate-differs": "tls",
  "name-mismatch": "tls",
  "internal-error": "internal",
  "secret-unreadable": "internal",
  interrupted: "internal",
  cancelled: "internal",
  deleted: "internal",
};
const BY_OUTCOME: Record<Outcome, ErrorCategory> = {
  verified: "internal",
  rejected: "authentication",
  unreachable: "network",
  misconfigured: "configuration",
  unsupported: "configuration",
  aborted: "internal",
};

/** VAL-36: maps the result of an attempt to its error category. */
export const categoryOf = (outcome: Outcome, code: string | null): ErrorCategory =>
  CATEGORIES[code ?? ""] ?? BY_OUTCOME[outcome];

/** VAL-52: the status of one attempt. */
export function statusOfAttempt({ outcome }: Pick<AttemptRow, "outcome">): AttemptStatus {
  if (outcome === null) return "pending";
  return outcome === "unsupported" ? "never_validated" : outcome;
}

/** VAL-52: the status of a stored secret. */
export const statusOfSecret = (row: Parameters<typeof verificationStatus>[0]): ValidationStatus =>
  VALIDATION_OF[verificationStatus(row)];

/** A percentage with one decimal; null without attempts. */
export const rateOf = (successes: number, attempts: number): number | null =>
  attempts === 0 ? null : Math.round((successes / attempts) * 1000) / 10;

/** The text, or as many of its whole words as fit into `most` characters with an ellipsis. */
export function excerptOf(text: string, most: number): string {
  if (text.length <= most) return text;
  const cut = text.slice(0, most - 1);
  const end = cut.search(/\s\S*$/);
  return `${(end > 0 ? cut.slice(0, end) : cut).toWellFormed().trimEnd()}…`;
}
