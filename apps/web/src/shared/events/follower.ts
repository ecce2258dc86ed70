// Updates a list's cards from live events: fetches a few changes one by one, and many as pages.
import type { LiveEvent } from "@strongroom/contract";
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { onLiveEvent } from "./live-events.ts";

/** Milliseconds for which changes are collected: a verification of the whole vault sends thousands. */
const COLLECT_MS = 1000;
/** Above this number of changes, fetching pages is cheaper. */
export const MAX_SINGLE_READS = 10;

export interface Follower {
  /** The id of the item that the event changed; null when the event is about something else. */
  changedIn: (event: LiveEvent) => string | null;
  deletedIn: (event: LiveEvent) => string | null;
  isHeld: (id: string) => boolean;
  refreshOne: (id: string) => void;
  refreshAll: () => void;
  gone: (id: string) => void;
}

/** Takes events and decides what to fetch. `later` runs a function once, after a pause. */
export function createFollower(parts: Follower, later: (run: () => void) => void): (event: LiveEvent) => void {
  const changed = new Set<string>();

  function flush(): void {
    const ids = [...changed].filter(parts.isHeld);
    changed.clear();
    if (ids.length > MAX_SINGLE_READS) parts.refreshAll();
    else for (const id of ids) parts.refreshOne(id);
  }

  return (event) => {
    const deleted = parts.deletedIn(event);
    if (deleted !== null) parts.gone(deleted);
    const id = parts.changedIn(event);
    if (id === null) return;
    if (changed.size === 0) later(flush);
    changed.add(id);
  };
}

/** Follows the events until the returned function is called. */
function follow(parts: Follower): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const later = (run: () => void): void => {
    timer = setTimeout(run, COLLECT_MS);
  };
  const stop = onLiveEvent(createFollower(parts, later));
  return () => {
    stop();
    clearTimeout(timer);
  };
}

/** Follows the events while the component is mounted. `followerOf` must be defined outside the component. */
export function useFollower(followerOf: (client: QueryClient) => Follower): void {
  const client = useQueryClient();
  useEffect(() => follow(followerOf(client)), [client, followerOf]);
}
