// Connects calls, session and query cache at startup: where the token comes from and what a 401 does.
import { configureCalls } from "#shared/api/call.ts";
import { setActiveUser } from "#shared/api/query.ts";
import { wasActiveWithin } from "#shared/session/activity.ts";
import { answerNewTabs, restoreSessionOfBrowser } from "#shared/session/session-handover.ts";
import { currentSession, subscribeToSession } from "#shared/session/session-store.ts";
import { followExpiry, followOtherTabs, leaveEndedSession } from "#shared/session/sign-out.ts";
import { queryClient } from "./query-client.ts";

/** Milliseconds. A query this soon after user input counts as user activity; later ones count as background. */
const ACTIVE_MS = 15_000;

/** Clears the cache when another user signs in, so that no user sees another user's data. */
function clearCacheOfPreviousUser(): () => void {
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
  setActiveUser(() => wasActiveWithin(ACTIVE_MS));
  void restoreSessionOfBrowser();
  clearCacheOfPreviousUser();
  followOtherTabs();
  followExpiry();
  answerNewTabs();
}
