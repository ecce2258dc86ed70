// What happens to keys while servers run, a rekey or the end of a key: how each process follows.
import type { Events, NewEvent } from "../events/events.ts";
import type { Log } from "../log.ts";
import { destroyedKekOf } from "./destroy-kek.ts";
import type { Vault } from "./open-key-ring.ts";

/** Published in the transaction that replaces the root key. No reader of the event stream sees it. */
export const rootKeyChanged: NewEvent = { type: "seal.root-key-changed", audience: { users: [] }, data: {} };

/** To be called when `events` runs. Also follows a rekey of the moment between opening the vault and this. */
export async function followRekeys(events: Events, vault: Vault, log: Log): Promise<void> {
  const follow = (): Promise<void> =>
    vault.follow().catch((error: unknown) => {
      log.error({ err: error }, "the root key was changed, and this process could not follow: restart it");
    });
  await events.subscribe({ filter: ({ type }) => type === rootKeyChanged.type }, () => void follow());
  await events.subscribe({ filter: (event) => destroyedKekOf(event) !== null }, (event) => {
    vault.ring.forget(destroyedKekOf(event)!);
  });
  await follow();
}
