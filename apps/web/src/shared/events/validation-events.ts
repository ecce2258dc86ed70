// Selects validation events from the live events (VAL-45).
import type { LiveEvent } from "@strongroom/contract";

const VALIDATION_EVENTS = [
  "validation_started",
  "validation_completed",
  "validation_failed",
  "critical_failure",
  "jit_verification_status",
  "statistics_update",
] as const;

export type ValidationEvent = Extract<LiveEvent, { type: (typeof VALIDATION_EVENTS)[number] }>;

const types: readonly string[] = VALIDATION_EVENTS;

export const isValidationEvent = (event: LiveEvent): event is ValidationEvent => types.includes(event.type);
