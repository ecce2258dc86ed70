// The event that makes every process close connections that a changed sign-in policy no longer allows.
import type { Events, NewEvent } from "#kernel/events/events.ts";

/**
 * Published when the allowed networks change, or the set of roles that require a second factor. The event stream does not deliver
 * this event to clients.
 */
export const rulesChanged: NewEvent = { type: "policy.rules-changed", audience: { users: [] }, data: {} };

/** Call this function once `events` is running. It serves connections that stay open; calls are checked individually anyway. */
export async function whenRulesChange(events: Events, listener: () => void): Promise<void> {
  await events.subscribe({ filter: ({ type }) => type === rulesChanged.type }, listener);
}
