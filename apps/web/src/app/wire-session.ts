// Joins the calls, the session and the cache at start: who is asked for the token, and what a 401 does.
import { configureCalls } from "#shared/api/call.ts";
import { tellQueriesWhoIsActive } from "#shared/api/query.ts";
import { wasActiveWithin } from "#shared/session/activity.ts";
import { currentSession, restoreSession, subscribeToSession } from "#shared/session/session-store.ts";
import { followExpiry, followOtherTabs, leaveEndedSession } from "#shared/session/sign-out.ts";
import { queryClient } from "./query-client.ts";

/** A query within this time of a movement is the person's; later ones are the page's own. */
const ACTIVE_MS = 15_000;

/** What was fetched for one person is never shown to the next. */
function forgetCacheOfEarlierPerson(): () => void {
  let person = currentSession().user?.id ?? null;
  return subscribeToSession(() => {
    const next = currentSession().user?.id ?? null;
    if (next === person) return;
    person = next;
    queryClient.clear();
  });
}

export function wireSession(): void {
  configureCalls({
    token: () => currentSession().token,
    onUnauthorized: (token) => leaveEndedSession("server", token),
  });
  tellQueriesWhoIsActive(() => wasActiveWithin(ACTIVE_MS));
  restoreSession();
  forgetCacheOfEarlierPerson();
  followOtherTabs();
  followExpiry();
}
