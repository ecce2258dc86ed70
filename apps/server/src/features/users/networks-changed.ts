// A change of the allowed networks, as every process hears of it: what is open from elsewhere is closed.
import type { Events, NewEvent } from "#kernel/events/events.ts";

/** No reader of the event stream sees it. */
export const networksChanged: NewEvent = { type: "policy.networks-changed", audience: { users: [] }, data: {} };

/** To be called when `events` runs. Calls are checked one by one anyway; what stays open for long is not. */
export async function whenNetworksChange(events: Events, listener: () => void): Promise<void> {
  await events.subscribe({ filter: ({ type }) => type === networksChanged.type }, listener);
}
