// One stream for all tabs of a user in this browser: a lock decides which tab reads it and forwards frames to the
// others.
//
// Over plain HTTP a browser opens six connections to a server. With a stream in every tab, the sixth tab would have
// none left for other requests.
import type { Frame } from "./event-frames.ts";
import type { ConnectionState, Receiver } from "./maintained-stream.ts";

type Message =
  | { kind: "who-reads" }
  /** `position` is the last frame that the reading tab received, for tabs opened after it. */
  | { kind: "state"; state: ConnectionState; position: string | null }
  | { kind: "frame"; frame: Frame };

/** The part of the browser's Web Locks API in use. */
export type Locks = Pick<LockManager, "request">;
/** The part of the browser's BroadcastChannel in use. */
export interface Channel {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage: (message: Message) => void;
  close: () => void;
}

export interface SharedStreamDeps extends Receiver {
  /** The same for all tabs of a user, and different for other users. */
  name: string;
  locks: Locks;
  channel: Channel;
  position: () => string | null;
  /** Called with the reading tab's position, from which another tab can resume. */
  onPosition: (position: string) => void;
  /** Reads the stream in the tab that holds the lock. Returns a function that stops reading. */
  read: (receiver: Receiver) => () => void;
}

/**
 * Takes part until stopped. When the reading tab stops, closes or crashes, it releases the lock and another tab takes
 * over.
 */
export function shareStream(parts: SharedStreamDeps): () => void {
  const { name, locks, channel, position, onState, onFrame, onPosition, read } = parts;
  const leaving = new AbortController();
  let state: ConnectionState = "connecting";
  let isReading = false;

  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target origin: it is its own
  const tell = (message: Message) => channel.postMessage(message);
  const tellState = () => tell({ kind: "state", state, position: position() });
  const toAll: Receiver = {
    onState(next) {
      state = next;
      onState(next);
      tellState();
    },
    onFrame(frame) {
      // The other tabs first, because handling the frame may close this tab's stream.
      tell({ kind: "frame", frame });
      onFrame(frame);
    },
  };

  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (isReading) {
      if (data.kind === "who-reads") tellState();
      return;
    }
    if (data.kind === "frame") onFrame(data.frame);
    if (data.kind !== "state") return;
    if (data.position !== null) onPosition(data.position);
    onState(data.state);
  };

  function lead(): Promise<void> {
    return new Promise((letGo) => {
      if (leaving.signal.aborted) {
        letGo();
        return;
      }
      isReading = true;
      const stop = read(toAll);
      leaving.signal.addEventListener("abort", () => {
        stop();
        letGo();
      });
    });
  }

  onState("connecting");
  tell({ kind: "who-reads" });
  locks.request(name, { signal: leaving.signal }, lead).catch(() => {
    // Either this tab stopped while waiting, or the browser allows no locks: then this tab reads its own stream.
    if (!leaving.signal.aborted) void lead();
  });
  return () => {
    leaving.abort();
    channel.close();
  };
}
