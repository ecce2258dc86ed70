// Texts and colours of the validation figures (VAL-60, VAL-61, OPEN-124).
import type { Severity } from "@strongroom/contract";
import { capitalised } from "#shared/format/text.ts";
import { responseTime } from "#shared/format/time.ts";
import type { Tone } from "#shared/ui/tone.ts";

/** VAL-60: green from 90, yellow from 75, red below; no colour without a rate. */
export function toneOfRate(rate: number | null): Tone | undefined {
  if (rate === null) return undefined;
  if (rate >= 90) return "success";
  return rate >= 75 ? "warning" : "danger";
}

/** VAL-61. */
export const toneOfCritical = (count: number): Tone => (count === 0 ? "success" : "danger");

/** "97.5%"; null without attempts. */
export const percent = (rate: number | null): string | null =>
  rate === null ? null : `${rate.toLocaleString(undefined, { maximumFractionDigits: 1 })}%`;

/** OPEN-124. Null without a measurement. */
export const measuredTime = (ms: number | null): string | null => (ms === null ? null : responseTime(ms));

/** Counts are capped at ten thousand. */
export const countText = (total: number): string =>
  total >= 10_000 ? `${(10_000).toLocaleString()}+` : total.toLocaleString();

export const severityChoices = (severities: readonly Severity[]) => [
  { value: "", label: "All severities" },
  ...severities.map((severity) => ({ value: severity, label: capitalised(severity) })),
];
