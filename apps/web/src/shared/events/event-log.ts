// The live events of this visit, newest first, for the Notifications page; nothing of it outlives the page.
import type { LiveEvent } from "@strongroom/contract";
import { useSyncExternalStore } from "react";
import { onLiveEvent } from "./live-events.ts";

/** NOTIF-11. */
const MOST_EVENTS = 50;

let log: readonly LiveEvent[] = [];
const listeners = new Set<() => void>();

function set(next: readonly LiveEvent[]): void {
  log = next;
  for (const listener of listeners) listener();
}

/** Starts to remember. Returns how to stop; stopping forgets. */
export function keepEventLog(): () => void {
  const stop = onLiveEvent((event) => {
    // A resumed stream may repeat what it already sent.
    if (!log.some(({ id }) => id === event.id)) set([event, ...log].slice(0, MOST_EVENTS));
  });
  return () => {
    stop();
    set([]);
  };
}

export const clearEventLog = (): void => set([]);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useEventLog = (): readonly LiveEvent[] => useSyncExternalStore(subscribe, () => log);
