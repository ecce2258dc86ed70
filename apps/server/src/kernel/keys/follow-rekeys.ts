// Applies rekeys and destroyed keys to every running process.
import type { Events, NewEvent } from "../events/events.ts";
import type { Log } from "../log.ts";
import { destroyedKekOf } from "./destroy-kek.ts";
import type { SealableKeyRing } from "./open-key-ring.ts";

/** Published in the transaction that replaces the root key. Readers of the event stream cannot see this event. */
export const rootKeyChanged: NewEvent = { type: "seal.root-key-changed", audience: { users: [] }, data: {} };

/** Call this function once `events` is running. It also applies a rekey that happened since the vault was opened. */
export async function followRekeys(events: Events, keyRing: SealableKeyRing, log: Log): Promise<void> {
  const follow = (): Promise<void> =>
    keyRing.follow().catch((error: unknown) => {
      log.error({ err: error }, "the root key changed, and this process could not load it: restart it");
    });
  await events.subscribe({ filter: ({ type }) => type === rootKeyChanged.type }, () => void follow());
  await events.subscribe({ filter: (event) => destroyedKekOf(event) !== null }, (event) => {
    keyRing.ring.forget(destroyedKekOf(event)!);
  });
  await follow();
}
