// The figures in words and colours (VAL-60, VAL-61, OPEN-124).
import type { Severity, ValidationStatus } from "@strongroom/contract";
import { capitalised } from "#shared/format/text.ts";
import type { Status } from "#shared/ui/status-badge.tsx";
import type { Tone } from "#shared/ui/tone.ts";

/** VAL-60: green, yellow, red. No rate has no colour. */
export function toneOfRate(rate: number | null): Tone | undefined {
  if (rate === null) return undefined;
  if (rate >= 90) return "success";
  return rate >= 75 ? "warning" : "danger";
}

/** VAL-61. */
export const toneOfCritical = (count: number): Tone => (count === 0 ? "success" : "danger");

/** "97.5%"; null where nothing was tried. */
export const percent = (rate: number | null): string | null =>
  rate === null ? null : `${rate.toLocaleString(undefined, { maximumFractionDigits: 1 })}%`;

/** OPEN-124: milliseconds in, "340 ms" or "1.2 s" out. */
export function responseTime(ms: number | null): string | null {
  if (ms === null) return null;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return `${(ms / 1000).toLocaleString(undefined, { maximumFractionDigits: 1 })} s`;
}

/** Counts stop at ten thousand. */
export const countText = (total: number): string =>
  total >= 10_000 ? `${(10_000).toLocaleString()}+` : total.toLocaleString();

export const STATUS_WORDS: Record<ValidationStatus, string> = {
  verified: "Verified",
  pending: "Pending",
  failed: "Failed",
  never_validated: "Never validated",
};

export const STATUS_BADGES: Record<ValidationStatus | "unknown", { status: Status; label?: string }> = {
  verified: { status: "verified" },
  pending: { status: "pending" },
  failed: { status: "failed" },
  never_validated: { status: "inactive", label: "Never validated" },
  unknown: { status: "inactive", label: "Unknown" },
};

export const severityChoices = (severities: readonly Severity[]) => [
  { value: "", label: "All severities" },
  ...severities.map((severity) => ({ value: severity, label: capitalised(severity) })),
];
