// The server's live events in the browser: one stream for all tabs of a person, with its state for all to see.
import { LiveEvent } from "@strongroom/contract";
import { useSyncExternalStore } from "react";
import type { Frame } from "./event-frames.ts";
import { keepStream, keepWhileVisible, type ConnectionState, type Receiver } from "./kept-stream.ts";
import { openServerStream, type OpenStream } from "./server-stream.ts";
import { shareStream, type Channel, type Locks } from "./shared-stream.ts";

let state: ConnectionState = "disconnected";
const listeners = new Set<() => void>();

/** How often in a row the stream broke or could not be opened. */
let failures = 0;

function setState(next: ConnectionState): void {
  if (next === state) return;
  state = next;
  if (next === "error") failures += 1;
  if (next === "connected" || next === "disconnected") failures = 0;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const connectionState = (): ConnectionState => state;
export const useConnectionState = (): ConnectionState => useSyncExternalStore(subscribe, connectionState);

const failuresInARow = (): number => failures;
/** 0 while the stream stands or nobody is signed in. */
export const useConnectionFailures = (): number => useSyncExternalStore(subscribe, failuresInARow);

const eventListeners = new Set<(event: LiveEvent) => void>();

/** Hears every event as it arrives. Returns how to stop. */
export function onLiveEvent(listener: (event: LiveEvent) => void): () => void {
  eventListeners.add(listener);
  return () => eventListeners.delete(listener);
}

/** Null for frames of the stream itself and for what does not fit the contract. */
function eventOf({ data }: Frame): LiveEvent | null {
  try {
    return LiveEvent.safeParse(JSON.parse(data)).data ?? null;
  } catch {
    // A line that is not JSON is no event of the contract.
    return null;
  }
}

/** What lets tabs share a stream. */
interface Sharing {
  locks: Locks;
  channel: (name: string) => Channel;
}

/** Null where the browser lacks it: old ones, and all of them over plain HTTP to another machine. */
function browserSharing(): Sharing | null {
  const locks: LockManager | undefined = navigator.locks;
  if (locks === undefined || typeof BroadcastChannel === "undefined") return null;
  return { locks, channel: (name) => new BroadcastChannel(name) };
}

export interface LiveParts {
  /** Whose events. Tabs of one person share a stream, those of two never do. */
  userId: string;
  /** The stream is back after a gap: events may have been missed. */
  onGap: () => void;
  open?: OpenStream;
  sharing?: Sharing | null;
}

/** Connects and stays connected. Returns how to stop. */
export function connectLiveEvents(parts: LiveParts): () => void {
  const { userId, onGap, open = openServerStream, sharing = browserSharing() } = parts;
  const name = `strongroom.events.${userId}`;
  let place: string | null = null;
  let wasBroken = false;

  const receiver: Receiver = {
    onState(next) {
      setState(next);
      if (next === "error") wasBroken = true;
      if (next !== "connected" || !wasBroken) return;
      wasBroken = false;
      onGap();
    },
    onFrame(frame) {
      if (frame.id !== "") place = frame.id;
      if (frame.event === "gap") onGap();
      const event = eventOf(frame);
      if (event !== null) for (const listener of eventListeners) listener(event);
    },
  };
  const position = () => place;
  const read = (to: Receiver) => keepStream({ open, position, ...to });
  const stop =
    sharing === null
      ? keepWhileVisible(() => read(receiver))
      : shareStream({
          ...receiver,
          name,
          locks: sharing.locks,
          channel: sharing.channel(name),
          position,
          onPosition: (next) => (place = next),
          read,
        });
  return () => {
    stop();
    setState("disconnected");
  };
}
