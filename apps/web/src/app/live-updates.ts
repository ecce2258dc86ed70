// Maps live events to the queries they make stale and to session changes.
import type { LiveEvent } from "@strongroom/contract";
import type { QueryClient } from "@tanstack/react-query";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useNavigate } from "react-router";
import type { Announcer } from "#features/access-requests/announce-request.tsx";
import { invalidatePath } from "#shared/api/query.ts";
import { keepEventLog } from "#shared/events/event-log.ts";
import { connectLiveEvents, onLiveEvent } from "#shared/events/live-events.ts";
import { currentSession, useSession } from "#shared/session/session-store.ts";
import { leaveEndedSession } from "#shared/session/sign-out.ts";

/** Paths that count credentials. Their own feature updates the credentials themselves one by one. */
const CREDENTIAL_PATHS = ["/api/v1/dashboard", "/api/v1/cpm", "/api/v1/validation", "/api/v1/audit"];

const SAFE_PATHS = ["/api/v1/safes", "/api/v1/accounts/statistics", "/api/v1/audit", "/api/v1/access-control"];
/** Paths that count accounts. Their own feature updates the accounts themselves. */
const ACCOUNT_PATHS = ["/api/v1/accounts/statistics", "/api/v1/safes", "/api/v1/validation", "/api/v1/audit"];

const STALE_PATHS: Record<LiveEvent["type"], readonly string[]> = {
  "credential.changed": CREDENTIAL_PATHS,
  "credential.deleted": CREDENTIAL_PATHS,
  "verification.completed": CREDENTIAL_PATHS,
  "verification.run-progressed": ["/api/v1/verification", "/api/v1/cpm"],
  validation_started: [],
  validation_completed: ["/api/v1/validation"],
  validation_failed: ["/api/v1/validation"],
  critical_failure: ["/api/v1/validation"],
  jit_verification_status: ["/api/v1/validation"],
  statistics_update: ["/api/v1/validation"],
  "notification.changed": ["/api/v1/notifications"],
  "rotation.changed": ["/api/v1/rotations", "/api/v1/cpm", "/api/v1/audit"],
  "rotation.run-progressed": ["/api/v1/rotations/runs"],
  "safe.changed": SAFE_PATHS,
  "safe.deleted": SAFE_PATHS,
  "group.changed": ["/api/v1/groups", "/api/v1/safes", "/api/v1/access-control"],
  "access-review.changed": ["/api/v1/access-control/reviews"],
  "platform.changed": ["/api/v1/platforms", "/api/v1/jit/resources"],
  "discovery.changed": ["/api/v1/discovery"],
  "account.changed": ACCOUNT_PATHS,
  "account.deleted": ACCOUNT_PATHS,
  "access-request.changed": ["/api/v1/jit", "/api/v1/audit"],
  "privileged-session.changed": ["/api/v1/sessions", "/api/v1/dashboard"],
  "session.ended": ["/api/v1/auth/sessions", "/api/v1/dashboard"],
  "token.changed": ["/api/v1/tokens", "/api/v1/machine-identities"],
};

/**
 * Milliseconds between refetches while events keep coming: a run sends thousands. The first event refetches immediately.
 */
const COLLECT_MS = 1000;

/** Collects stale paths and refetches every query below them; `stop` cancels the pending refetch. */
function createStaleness(client: QueryClient) {
  const stale = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  function flush(): void {
    timer = stale.size === 0 ? undefined : setTimeout(flush, COLLECT_MS);
    for (const path of stale) void invalidatePath(client, path);
    stale.clear();
  }
  return {
    add(paths: readonly string[]): void {
      for (const path of paths) stale.add(path);
      if (timer === undefined) flush();
    },
    stop: () => clearTimeout(timer),
  };
}

function applyEvent(addStale: (paths: readonly string[]) => void, event: LiveEvent): void {
  const session = currentSession();
  if (event.type === "session.ended" && session.status === "signed-in") {
    if (event.data.session_id === session.decoded.sessionId) {
      leaveEndedSession("server");
      return;
    }
  }
  addStale(STALE_PATHS[event.type]);
  // A change of the user's own access request can change their permissions on accounts.
  const isOwn = event.type === "access-request.changed" && event.data.requester_id === session.user?.id;
  if (isOwn) addStale(["/api/v1/accounts"]);
}

/** Loaded with the first announcement, because most users never see one. */
async function announce(event: LiveEvent, announcer: Announcer): Promise<void> {
  if (event.type === "critical_failure") {
    const { announceCritical } = await import("#features/validation/notices/announce-critical.ts");
    await announceCritical(event, announcer.client);
  }
  if (event.type !== "access-request.changed") return;
  const { announceRequest } = await import("#features/access-requests/announce-request.tsx");
  await announceRequest(event.data, announcer);
}

/** Mounted once, while a user is signed in. */
export function useLiveUpdates(): void {
  const client = useQueryClient();
  const navigate = useNavigate();
  const goTo = useRef((to: string) => void navigate(to));
  useEffect(() => {
    goTo.current = (to) => void navigate(to);
  });
  const userId = useSession().user?.id;
  useEffect(() => {
    if (userId === undefined) return undefined;
    const staleness = createStaleness(client);
    const stops = [
      staleness.stop,
      keepEventLog(),
      onLiveEvent((event) => applyEvent(staleness.add, event)),
      onLiveEvent((event) => void announce(event, { client, userId, navigate: (to) => goTo.current(to) })),
      connectLiveEvents({ userId, onGap: () => void client.invalidateQueries() }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [client, userId]);
}
