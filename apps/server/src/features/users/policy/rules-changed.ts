// The event that makes every process close connections that a changed sign-in policy no longer allows.
import type { Events, NewEvent } from "#kernel/events/events.ts";

/**
 * Published when the allowed networks change, or the roles that require a second factor. The event stream does not deliver it to
 * clients.
 */
export const rulesChanged: NewEvent = { type: "policy.rules-changed", audience: { users: [] }, data: {} };

/** Call it once `events` is running. Calls are checked individually anyway; this is for connections that stay open. */
export async function whenRulesChange(events: Events, listener: () => void): Promise<void> {
  await events.subscribe({ filter: ({ type }) => type === rulesChanged.type }, listener);
}
