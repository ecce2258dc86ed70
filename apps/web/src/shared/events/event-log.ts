// The live events of this visit, newest first, for the Notifications page; nothing is stored.
import type { LiveEvent } from "@strongroom/contract";
import { useSyncExternalStore } from "react";
import { onLiveEvent } from "./live-events.ts";
import { isValidationEvent, type ValidationEvent } from "./validation-events.ts";

/** NOTIF-11. */
const MOST_EVENTS = 50;

/** Without validation events, which repeat events of credentials and accounts. */
export type LoggedEvent = Exclude<LiveEvent, ValidationEvent | { type: "notification.changed" }>;

const isLogged = (event: LiveEvent): event is LoggedEvent =>
  !isValidationEvent(event) && event.type !== "notification.changed";

let log: readonly LoggedEvent[] = [];
const listeners = new Set<() => void>();

function set(next: readonly LoggedEvent[]): void {
  log = next;
  for (const listener of listeners) listener();
}

/** Starts recording. Returns a function that stops and clears the log. */
export function keepEventLog(): () => void {
  const stop = onLiveEvent((event) => {
    // A resumed stream may repeat earlier events.
    if (isLogged(event) && !log.some(({ id }) => id === event.id)) set([event, ...log].slice(0, MOST_EVENTS));
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

export const useEventLog = (): readonly LoggedEvent[] => useSyncExternalStore(subscribe, () => log);
