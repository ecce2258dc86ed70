// A stream that is opened again whenever it breaks, from where it broke off.
import type { Frame } from "./event-frames.ts";
import type { OpenStream } from "./server-stream.ts";

/** VAL-54. */
export type ConnectionState = "disconnected" | "connecting" | "connected" | "error";

/** What hears of a stream. */
export interface Receiver {
  onState: (state: ConnectionState) => void;
  onFrame: (frame: Frame) => void;
}

export interface KeptStreamParts extends Receiver {
  open: OpenStream;
  /** The id of the last frame that was heard, or null. */
  position: () => string | null;
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;

/** Milliseconds before attempt number `attempt` (from 0) to reconnect: doubling from 1 s, a minute at most. */
export const waitBeforeReconnect = (attempt: number): number => Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS);

/** Connects and stays connected. Returns how to stop. */
export function keepStream({ open, position, onState, onFrame }: KeptStreamParts): () => void {
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

/** Where tabs cannot share a stream, each has its own, and only while somebody looks at it. Returns how to stop. */
export function keepWhileVisible(keep: () => () => void): () => void {
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
