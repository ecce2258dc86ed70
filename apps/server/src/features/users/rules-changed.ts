// A change of who may come in, as every process hears of it: what is open and should not be is closed.
import type { Events, NewEvent } from "#kernel/events/events.ts";

/** The allowed networks, or the roles that need a second factor. No reader of the event stream sees it. */
export const rulesChanged: NewEvent = { type: "policy.rules-changed", audience: { users: [] }, data: {} };

/** To be called when `events` runs. Calls are checked one by one anyway; what stays open for long is not. */
export async function whenRulesChange(events: Events, listener: () => void): Promise<void> {
  await events.subscribe({ filter: ({ type }) => type === rulesChanged.type }, listener);
}
