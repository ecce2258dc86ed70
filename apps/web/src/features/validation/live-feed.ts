// The list of what happened, as the dashboard keeps it: live, or polled where there is no live connection (VAL-55 to VAL-59).
import type { ValidationAttempt } from "@strongroom/contract";
import type { ValidationEvent } from "#shared/events/validation-events.ts";

/** VAL-59. */
export const MOST_EVENTS = 100;
const KEPT_BY_POLLING = 90;
/** VAL-58. */
export const POLL_MS = 15_000;
/** VAL-56: the connection is tried again this many times before the dashboard polls. */
const MOST_ATTEMPTS = 5;

export const EVENT_WORDS: Record<ValidationEvent["type"], string> = {
  validation_started: "Validation started",
  validation_completed: "Validation completed",
  validation_failed: "Validation failed",
  critical_failure: "Critical failure",
  jit_verification_status: "JIT verification status",
  statistics_update: "Statistics update",
};

/** One line of the list; newest first. */
export interface FeedEvent {
  id: string;
  type: ValidationEvent["type"];
  timestamp: string;
  /** Null where an event is about no account. */
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
  failed: "validation_failed",
  pending: "validation_started",
  never_validated: "validation_completed",
};

/** An attempt that was polled, as the event that would have told of it. */
const feedEventOfAttempt = (attempt: ValidationAttempt): FeedEvent => ({
  // An attempt that was under way is another event than the one that ended it.
  id: `${attempt.id}-${attempt.status}`,
  type: TYPES[attempt.status],
  timestamp: attempt.started_at,
  name: attempt.account_name,
  accountId: attempt.account_id,
  isAccount: attempt.is_account,
  message: attempt.error_message,
});

/** With a live event first. What only moves figures is no line; a resumed stream may repeat itself. */
export function withEvent(feed: readonly FeedEvent[], event: ValidationEvent): readonly FeedEvent[] {
  if (event.type === "statistics_update" || feed.some(({ id }) => id === event.id)) return feed;
  return [feedEventOf(event), ...feed].slice(0, MOST_EVENTS);
}

/** With the attempts that a poll found and that are not there yet: 90 are kept, plus the new ones. */
export function withPolled(feed: readonly FeedEvent[], attempts: readonly ValidationAttempt[]): readonly FeedEvent[] {
  const fresh = attempts.map(feedEventOfAttempt).filter(({ id }) => !feed.some((known) => known.id === id));
  return fresh.length === 0 ? feed : [...fresh, ...feed.slice(0, KEPT_BY_POLLING)];
}

/** `failures`: how often in a row the connection broke or could not be made. The first one was no new attempt. */
export const isPolling = (failures: number): boolean => failures > MOST_ATTEMPTS;
