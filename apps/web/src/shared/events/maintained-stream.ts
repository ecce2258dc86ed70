// A stream that reconnects whenever it breaks and resumes at its last position.
import type { Frame } from "./event-frames.ts";
import type { OpenStream } from "./server-stream.ts";

/** VAL-54. */
export type ConnectionState = "disconnected" | "connecting" | "connected" | "error";

/** Callbacks of a stream. */
export interface Receiver {
  onState: (state: ConnectionState) => void;
  onFrame: (frame: Frame) => void;
}

export interface MaintainedStreamDeps extends Receiver {
  open: OpenStream;
  /** The id of the last received frame, or null. */
  position: () => string | null;
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;

/** Milliseconds before reconnection attempt number `attempt` (from 0): doubling from 1 s, at most a minute. */
export const waitBeforeReconnect = (attempt: number): number => Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS);

/** Connects and reconnects until the returned function is called. */
export function maintainStream({ open, position, onState, onFrame }: MaintainedStreamDeps): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let close = () => {};
  let attempt = 0;

  function connect(): void {
    onState("connecting");
    close = open({
      after: position(),
      onOpen: () => {
        attempt = 0;
        onState("connected");
      },
      onFrame,
      onEnd: () => {
        onState("error");
        timer = setTimeout(connect, waitBeforeReconnect(attempt));
        attempt += 1;
      },
    });
  }

  connect();
  return () => {
    clearTimeout(timer);
    close();
  };
}

/**
 * For browsers whose tabs cannot share a stream: connects only while the tab is visible. Returns a function that stops
 * the stream.
 */
export function connectWhileVisible(keep: () => () => void): () => void {
  let stop: (() => void) | null = null;
  const follow = () => {
    if (document.visibilityState === "visible") {
      stop ??= keep();
      return;
    }
    stop?.();
    stop = null;
  };
  document.addEventListener("visibilitychange", follow);
  follow();
  return () => {
    document.removeEventListener("visibilitychange", follow);
    stop?.();
  };
}
