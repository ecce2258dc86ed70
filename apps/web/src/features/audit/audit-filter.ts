// What the trail is narrowed to, as the address holds it: `?event=` and `?result=`.
import { AUDIT_RESULTS, type AuditResult } from "@strongroom/contract";
import { endpoints } from "@strongroom/contract/all";
import { asWords, capitalised } from "#shared/format/text.ts";

export interface AuditFilter {
  event?: string;
  result?: AuditResult;
}

/** Recorded without a call of their own. */
const OTHER_EVENTS = ["verification.started", "audit.tampering-found"];

const EVENTS = [...new Set([...endpoints.map(({ endpoint }) => endpoint.audit), ...OTHER_EVENTS])]
  .filter((event) => event !== "none")
  .sort();

export const EVENT_CHOICES = [
  { value: "", label: "All events" },
  ...EVENTS.map((event) => ({ value: event, label: asWords(event) })),
];

export const RESULT_CHOICES = [
  { value: "", label: "All results" },
  ...AUDIT_RESULTS.map((result) => ({ value: result, label: capitalised(result) })),
];

const isResult = (text: string): text is AuditResult => (AUDIT_RESULTS as readonly string[]).includes(text);

export function filterOf(params: URLSearchParams): AuditFilter {
  const event = params.get("event") ?? "";
  const result = params.get("result") ?? "";
  return { ...(event === "" ? {} : { event }), ...(isResult(result) ? { result } : {}) };
}

/** The address with one part of the filter set, or taken out when empty. */
export function withFilter(params: URLSearchParams, part: keyof AuditFilter, value: string): URLSearchParams {
  const next = new URLSearchParams(params);
  if (value === "") next.delete(part);
  else next.set(part, value);
  return next;
}
