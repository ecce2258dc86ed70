// Keeps a list's cards current by live events: a few changes are fetched one by one, a flood of them in one go.
import type { LiveEvent } from "@strongroom/contract";
import { onLiveEvent } from "./live-events.ts";

/** Changes are collected this long: a verification of the whole vault sends thousands. */
const COLLECT_MS = 1000;
/** More changes than this at once are cheaper to fetch as pages. */
export const MOST_SINGLE = 10;

export interface Follower {
  /** Which thing the event says to have changed; null when it is about something else. */
  changedIn: (event: LiveEvent) => string | null;
  deletedIn: (event: LiveEvent) => string | null;
  isHeld: (id: string) => boolean;
  refreshOne: (id: string) => void;
  refreshAll: () => void;
  gone: (id: string) => void;
}

/** Takes events and decides what to fetch. `later` runs something once, after a pause. */
export function createFollower(parts: Follower, later: (run: () => void) => void): (event: LiveEvent) => void {
  const changed = new Set<string>();

  function flush(): void {
    const ids = [...changed].filter(parts.isHeld);
    changed.clear();
    if (ids.length > MOST_SINGLE) parts.refreshAll();
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

/** Follows the events until the answer is called. */
export function follow(parts: Follower): () => void {
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
