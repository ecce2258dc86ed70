// The events in the audit filter, with their labels.
import { EVENTS_WITHOUT_CALL, labelOfAuditEvent } from "@strongroom/contract";
import { endpoints } from "@strongroom/contract/all";

const EVENTS = [...new Set([...endpoints.map(({ endpoint }) => endpoint.audit), ...EVENTS_WITHOUT_CALL])]
  .filter((event) => event !== "none")
  .sort();

export const EVENT_CHOICES = [
  { value: "", label: "All events" },
  ...EVENTS.map((event) => ({ value: event, label: labelOfAuditEvent(event) })),
];
