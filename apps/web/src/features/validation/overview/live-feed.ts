// The dashboard's event feed: live, or polled without a live connection (VAL-55 to VAL-59).
import type { ValidationAttempt } from "@strongroom/contract";
import type { ValidationEvent } from "#shared/events/validation-events.ts";

/** VAL-59. */
export const MAX_EVENTS = 100;
const KEPT_BY_POLLING = 90;
/** VAL-58. */
export const POLL_MS = 15_000;
/** VAL-56: the number of attempts to reconnect before the dashboard polls. */
const MOST_ATTEMPTS = 5;

export const EVENT_LABELS: Record<ValidationEvent["type"], string> = {
  validation_started: "Validation started",
  validation_completed: "Validation completed",
  validation_failed: "Validation failed",
  critical_failure: "Critical failure",
  jit_verification_status: "JIT verification status",
  statistics_update: "Statistics update",
};

/** One row of the feed. */
export interface FeedEvent {
  id: string;
  type: ValidationEvent["type"];
  timestamp: string;
  /** Null for an event without an account. */
  name: string | null;
  accountId: string | null;
  isAccount: boolean;
  message: string | null;
}

const feedEventOf = ({ id, type, timestamp, data }: ValidationEvent): FeedEvent => ({
  id,
  type,
  timestamp,
  name: data.account_name,
  accountId: data.account_id,
  isAccount: data.is_account,
  message: data.error_message,
});

const TYPES: Record<ValidationAttempt["status"], ValidationEvent["type"]> = {
  verified: "validation_completed",
  rejected: "validation_failed",
  unreachable: "validation_failed",
  misconfigured: "validation_failed",
  pending: "validation_started",
  never_validated: "validation_completed",
  aborted: "validation_completed",
};

/** Converts a polled attempt to the event that a live connection would have delivered. */
const feedEventOfAttempt = (attempt: ValidationAttempt): FeedEvent => ({
  // The status is part of the id, because the start and end of an attempt are separate events.
  id: `${attempt.id}-${attempt.status}`,
  type: TYPES[attempt.status],
  timestamp: attempt.started_at,
  name: attempt.account_name,
  accountId: attempt.account_id,
  isAccount: attempt.is_account,
  message: attempt.error_message,
});

/** Adds a live event at the top. Ignores statistics updates, and events that a resumed stream repeats. */
export function withEvent(feed: readonly FeedEvent[], event: ValidationEvent): readonly FeedEvent[] {
  if (event.type === "statistics_update" || feed.some(({ id }) => id === event.id)) return feed;
  return [feedEventOf(event), ...feed].slice(0, MAX_EVENTS);
}

/** Adds polled attempts that are not in the feed yet: keeps 90 events plus the new ones. */
export function withPolled(feed: readonly FeedEvent[], attempts: readonly ValidationAttempt[]): readonly FeedEvent[] {
  const fresh = attempts.map(feedEventOfAttempt).filter(({ id }) => !feed.some((known) => known.id === id));
  return fresh.length === 0 ? feed : [...fresh, ...feed.slice(0, KEPT_BY_POLLING)];
}

/**
 * `failures`: consecutive connection failures. The first one is the lost connection, not a failed attempt to reconnect.
 */
export const isPolling = (failures: number): boolean => failures > MOST_ATTEMPTS;
