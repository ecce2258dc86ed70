// The words of the validation area: families of systems, kinds of error, and how long its ranges are.
import { ACCOUNT_DATABASE_TYPES, DATABASE_TYPES } from "@strongroom/contract";
import type { ErrorCategory, SystemFamily, ValidationRange, ValidationStatus } from "@strongroom/contract";
import type { Outcome } from "@strongroom/contract";

export const DAY_MS = 86_400_000;

/** VAL-49. */
export const DAYS: Record<ValidationRange, number> = { "24h": 1, "7d": 7, "30d": 30 };

/** The trend shows a week, or a month for a month. */
export const trendDays = (range: ValidationRange): number => Math.max(7, DAYS[range]);

/** System types of accounts and types of credentials, by family; what stands nowhere is `Other`. */
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
};

/** VAL-36: what kind of thing went wrong, by how an attempt ended. */
export const categoryOf = (outcome: Outcome, code: string | null): ErrorCategory =>
  CATEGORIES[code ?? ""] ?? BY_OUTCOME[outcome];

/** VAL-52, of one attempt. Null: it is under way. */
export function statusOfAttempt(outcome: Outcome | null): ValidationStatus {
  if (outcome === null) return "pending";
  if (outcome === "unsupported") return "never_validated";
  return outcome === "verified" ? "verified" : "failed";
}

/** VAL-52, of a stored secret. */
export function statusOfSecret(row: { verification_status: string; last_verification_attempt: Date | null }) {
  if (row.verification_status === "verified" || row.verification_status === "failed") return row.verification_status;
  return row.last_verification_attempt === null ? "never_validated" : "pending";
}

/** Percent with one decimal; null: nothing was tried. */
export const rateOf = (successes: number, attempts: number): number | null =>
  attempts === 0 ? null : Math.round((successes / attempts) * 1000) / 10;
