// What a live event makes stale, and what it means for the session.
import type { LiveEvent } from "@strongroom/contract";
import type { QueryClient } from "@tanstack/react-query";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { invalidatePath } from "#shared/api/query.ts";
import { keepEventLog } from "#shared/events/event-log.ts";
import { connectLiveEvents, onLiveEvent } from "#shared/events/live-events.ts";
import { currentSession, useSession } from "#shared/session/session-store.ts";
import { leaveEndedSession } from "#shared/session/sign-out.ts";

/** Everything that counts credentials. The credentials themselves are followed, one by one, by their own feature. */
const CREDENTIAL_PATHS = ["/api/v1/dashboard", "/api/v1/cpm", "/api/v1/validation", "/api/v1/audit"];

const STALE_PATHS: Record<LiveEvent["type"], readonly string[]> = {
  "credential.changed": CREDENTIAL_PATHS,
  "credential.deleted": CREDENTIAL_PATHS,
  "verification.completed": CREDENTIAL_PATHS,
  "verification.run-progressed": ["/api/v1/verification", "/api/v1/cpm"],
  "session.ended": ["/api/v1/auth/sessions", "/api/v1/dashboard"],
};

function applyEvent(client: QueryClient, event: LiveEvent): void {
  const session = currentSession();
  if (event.type === "session.ended" && session.status === "signed-in") {
    if (event.data.session_id === session.decoded.sessionId) {
      leaveEndedSession("server");
      return;
    }
  }
  for (const path of STALE_PATHS[event.type]) void invalidatePath(client, path);
}

/** Mounted once, for as long as somebody is signed in. */
export function useLiveUpdates(): void {
  const client = useQueryClient();
  const userId = useSession().user?.id;
  useEffect(() => {
    if (userId === undefined) return undefined;
    const stops = [
      keepEventLog(),
      onLiveEvent((event) => applyEvent(client, event)),
      connectLiveEvents({ userId, onGap: () => void client.invalidateQueries() }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [client, userId]);
}
