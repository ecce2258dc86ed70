// Every event that the trail can be narrowed to, in words.
import { endpoints } from "@strongroom/contract/all";
import { asWords } from "#shared/format/text.ts";

/** Recorded without a call of their own. */
const OTHER_EVENTS = [
  "access-request.ended",
  "account.password-taken-over",
  "account.dependent-updated",
  "audit.tampering-found",
  "platform.reconcile-not-ready",
  "rotation.secret-used",
  "verification.started",
];

const EVENTS = [...new Set([...endpoints.map(({ endpoint }) => endpoint.audit), ...OTHER_EVENTS])]
  .filter((event) => event !== "none")
  .sort();

export const EVENT_CHOICES = [
  { value: "", label: "All events" },
  ...EVENTS.map((event) => ({ value: event, label: asWords(event) })),
];
