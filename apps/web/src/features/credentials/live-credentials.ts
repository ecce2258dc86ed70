// Keeps the vault's screens current by live events: a few changes are fetched one by one, a flood of them in one go.
import type { LiveEvent } from "@strongroom/contract";
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { onLiveEvent } from "#shared/events/live-events.ts";
import { credentialGone, isCredentialHeld, refreshCredential, refreshLists } from "./credentials.queries.ts";

/** Changes are collected this long: a verification of the whole vault sends thousands. */
const COLLECT_MS = 1000;
/** More changes than this at once are cheaper to fetch as pages. */
export const MOST_SINGLE = 10;

export interface LiveParts {
  isHeld: (id: string) => boolean;
  refreshOne: (id: string) => void;
  refreshAll: () => void;
  gone: (id: string) => void;
  later: (run: () => void) => void;
}

/** Takes events and decides what to fetch. */
export function createFollower({ isHeld, refreshOne, refreshAll, gone, later }: LiveParts): (event: LiveEvent) => void {
  const changed = new Set<string>();

  function flush(): void {
    const ids = [...changed].filter(isHeld);
    changed.clear();
    if (ids.length > MOST_SINGLE) refreshAll();
    else for (const id of ids) refreshOne(id);
  }

  return (event) => {
    if (event.type === "credential.deleted") gone(event.data.credential_id);
    if (event.type !== "credential.changed" && event.type !== "verification.completed") return;
    if (changed.size === 0) later(flush);
    changed.add(event.data.credential_id);
  };
}

function followCredentials(client: QueryClient): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = onLiveEvent(
    createFollower({
      isHeld: (id) => isCredentialHeld(client, id),
      refreshOne: (id) => void refreshCredential(client, id),
      refreshAll: () => refreshLists(client),
      gone: (id) => credentialGone(client, id),
      later: (run) => {
        timer = setTimeout(run, COLLECT_MS);
      },
    }),
  );
  return () => {
    stop();
    clearTimeout(timer);
  };
}

export function useLiveCredentials(): void {
  const client = useQueryClient();
  useEffect(() => followCredentials(client), [client]);
}
