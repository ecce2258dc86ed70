// Updates the vault's screens from live events.
import type { LiveEvent } from "@strongroom/contract";
import type { QueryClient } from "@tanstack/react-query";
import { useFollower, type Follower } from "#shared/events/follower.ts";
import { removeCredentialFromCache, isCredentialHeld, refreshCredential, refreshLists } from "./credentials.queries.ts";

function changedIn(event: LiveEvent): string | null {
  if (event.type === "rotation.changed") return event.data.secret_id;
  const isOfOne = event.type === "credential.changed" || event.type === "verification.completed";
  return isOfOne ? event.data.credential_id : null;
}
const deletedIn = (event: LiveEvent): string | null =>
  event.type === "credential.deleted" ? event.data.credential_id : null;

const followerOf = (client: QueryClient): Follower => ({
  changedIn,
  deletedIn,
  isHeld: (id) => isCredentialHeld(client, id),
  refreshOne: (id) => void refreshCredential(client, id),
  refreshAll: () => refreshLists(client),
  gone: (id) => removeCredentialFromCache(client, id),
});

export const useLiveCredentials = (): void => useFollower(followerOf);
