// The server's live events in the browser: one stream per page, reconnected by itself, with its state for all to see.
import { LiveEvent, streamEvents } from "@strongroom/contract";
import { useSyncExternalStore } from "react";

/** VAL-54. */
export type ConnectionState = "disconnected" | "connecting" | "connected" | "error";

/** What is used of the browser's EventSource. */
export interface EventStream {
  onopen: ((event: Event) => void) | null;
  onerror: ((event: Event) => void) | null;
  addEventListener: (type: string, listener: (event: MessageEvent<string>) => void) => void;
  close: () => void;
}

const EVENT_TYPES = LiveEvent.options.map((option) => option.shape.type.value);
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;

/** Milliseconds before attempt number `attempt` (from 0) to reconnect: doubling from 1 s, a minute at most. */
export const waitBeforeReconnect = (attempt: number): number => Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS);

let state: ConnectionState = "disconnected";
const listeners = new Set<() => void>();

function setState(next: ConnectionState): void {
  if (next === state) return;
  state = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const connectionState = (): ConnectionState => state;
export const useConnectionState = (): ConnectionState => useSyncExternalStore(subscribe, connectionState);

const eventListeners = new Set<(event: LiveEvent) => void>();

/** Hears every event as it arrives. Returns how to stop. */
export function onLiveEvent(listener: (event: LiveEvent) => void): () => void {
  eventListeners.add(listener);
  return () => eventListeners.delete(listener);
}

function parseEvent(text: string): LiveEvent | null {
  try {
    return LiveEvent.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // A line that is not JSON is no event of the contract.
    return null;
  }
}

/** EventSource sends cookies to its own origin; the one set at sign-in serves only this stream (OPEN-138). */
const openStream = (): EventStream => new EventSource(streamEvents.path, { withCredentials: true });

export interface LiveParts {
  /** The stream is back after a gap: events may have been missed. */
  onGap: () => void;
  open?: () => EventStream;
}

/** Connects and stays connected. Returns how to stop. */
export function connectLiveEvents({ onGap, open = openStream }: LiveParts): () => void {
  let stream: EventStream | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let attempt = 0;
  let hadGap = false;

  function connect(): void {
    setState("connecting");
    stream = open();
    stream.onopen = () => {
      attempt = 0;
      setState("connected");
      if (hadGap) onGap();
      hadGap = false;
    };
    stream.onerror = () => {
      // The browser's own reconnecting never grows its pause and gives up on an HTTP error: ours does neither.
      stream?.close();
      hadGap = true;
      setState("error");
      timer = setTimeout(connect, waitBeforeReconnect(attempt));
      attempt += 1;
    };
    for (const type of EVENT_TYPES) {
      stream.addEventListener(type, ({ data }) => {
        const event = parseEvent(data);
        if (event !== null) for (const listener of eventListeners) listener(event);
      });
    }
  }

  connect();
  return () => {
    clearTimeout(timer);
    stream?.close();
    setState("disconnected");
  };
}
