// Updates displayed accounts from live events.
import type { LiveEvent } from "@strongroom/contract";
import type { QueryClient } from "@tanstack/react-query";
import { useFollower, type Follower } from "#shared/events/follower.ts";
import { removeAccountFromCache, isAccountHeld, refreshAccount, refreshLists } from "./accounts.queries.ts";

/** Verification and rotation events name an account by its id too, because accounts share ids with their secrets. */
function changedIn(event: LiveEvent): string | null {
  if (event.type === "account.changed") return event.data.account_id;
  if (event.type === "rotation.changed") return event.data.secret_id;
  return event.type === "verification.completed" ? event.data.credential_id : null;
}
const deletedIn = (event: LiveEvent): string | null =>
  event.type === "account.deleted" ? event.data.account_id : null;

const followerOf = (client: QueryClient): Follower => ({
  changedIn,
  deletedIn,
  isHeld: (id) => isAccountHeld(client, id),
  refreshOne: (id) => void refreshAccount(client, id),
  refreshAll: () => refreshLists(client),
  gone: (id) => removeAccountFromCache(client, id),
});

export const useLiveAccounts = (): void => useFollower(followerOf);
