// The server's live events in the browser: all tabs of a user share one stream and its connection state.
import { LiveEvent } from "@strongroom/contract";
import { useSyncExternalStore } from "react";
import type { Frame } from "./event-frames.ts";
import { maintainStream, connectWhileVisible, type ConnectionState, type Receiver } from "./maintained-stream.ts";
import { openServerStream, type OpenStream } from "./server-stream.ts";
import { shareStream, type Channel, type Locks } from "./shared-stream.ts";

let state: ConnectionState = "disconnected";
const listeners = new Set<() => void>();

/** The number of consecutive failures of the stream. */
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
/** 0 while the stream is connected or the user is signed out. */
export const useConnectionFailures = (): number => useSyncExternalStore(subscribe, failuresInARow);

const eventListeners = new Set<(event: LiveEvent) => void>();

/** Subscribes to every event. Returns a function that unsubscribes. */
export function onLiveEvent(listener: (event: LiveEvent) => void): () => void {
  eventListeners.add(listener);
  return () => eventListeners.delete(listener);
}

/** Null for control frames and for data that does not match the contract. */
function eventOf({ data }: Frame): LiveEvent | null {
  try {
    return LiveEvent.safeParse(JSON.parse(data)).data ?? null;
  } catch {
    // Not JSON, so not an event of the contract.
    return null;
  }
}

/** The browser APIs for sharing a stream between tabs. */
interface Sharing {
  locks: Locks;
  channel: (name: string) => Channel;
}

/**
 * Null where the browser lacks these APIs: in old browsers, and in any browser that uses plain HTTP with a host other
 * than this computer.
 */
function browserSharing(): Sharing | null {
  const locks: LockManager | undefined = navigator.locks;
  if (locks === undefined || typeof BroadcastChannel === "undefined") return null;
  return { locks, channel: (name) => new BroadcastChannel(name) };
}

export interface LiveEventsDeps {
  /** The user whose events these are. Only tabs of the same user share a stream. */
  userId: string;
  /** Called when the stream reconnects after a gap: events may be missing. */
  onGap: () => void;
  open?: OpenStream;
  sharing?: Sharing | null;
}

/** Connects and reconnects until the returned function is called. */
export function connectLiveEvents(parts: LiveEventsDeps): () => void {
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
  const read = (to: Receiver) => maintainStream({ open, position, ...to });
  const stop =
    sharing === null
      ? connectWhileVisible(() => read(receiver))
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
