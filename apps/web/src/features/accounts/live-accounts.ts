// Keeps the accounts on screen current by live events.
import type { LiveEvent } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { follow } from "#shared/events/follower.ts";
import { accountGone, isAccountHeld, refreshAccount, refreshLists } from "./accounts.queries.ts";

/** An account is a credential of a safe: its verifications and rotations are told by the same id. */
function changedIn(event: LiveEvent): string | null {
  if (event.type === "account.changed") return event.data.account_id;
  if (event.type === "rotation.changed") return event.data.secret_id;
  return event.type === "verification.completed" ? event.data.credential_id : null;
}
const deletedIn = (event: LiveEvent): string | null =>
  event.type === "account.deleted" ? event.data.account_id : null;

export function useLiveAccounts(): void {
  const client = useQueryClient();
  useEffect(
    () =>
      follow({
        changedIn,
        deletedIn,
        isHeld: (id) => isAccountHeld(client, id),
        refreshOne: (id) => void refreshAccount(client, id),
        refreshAll: () => refreshLists(client),
        gone: (id) => accountGone(client, id),
      }),
    [client],
  );
}
