// One stream for all tabs of a person in this browser: a lock decides which tab reads it, and that one tells the others.
//
// Over plain HTTP a browser opens six connections to a server. With a stream in every tab, the sixth tab had none left
// for anything else.
import type { Frame } from "./event-frames.ts";
import type { ConnectionState, Receiver } from "./kept-stream.ts";

type Message =
  | { kind: "who-reads" }
  /** `position` is the last frame that the reading tab heard, for tabs that were opened after it. */
  | { kind: "state"; state: ConnectionState; position: string | null }
  | { kind: "frame"; frame: Frame };

/** What is used of the browser's Web Locks. */
export type Locks = Pick<LockManager, "request">;
/** What is used of the browser's BroadcastChannel. */
export interface Channel {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage: (message: Message) => void;
  close: () => void;
}

export interface SharedStreamParts extends Receiver {
  /** The same for all tabs of a person, and for nobody else's. */
  name: string;
  locks: Locks;
  channel: Channel;
  position: () => string | null;
  /** The reading tab is at this place: whoever takes over goes on from there. */
  onPosition: (position: string) => void;
  /** Reads the stream itself, in the tab that got the lock. Returns how to stop. */
  read: (receiver: Receiver) => () => void;
}

/** Takes part until it is stopped. The tab that reads lets go of the lock when it stops, closes or crashes: another goes on. */
export function shareStream(parts: SharedStreamParts): () => void {
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
      // The others first: what this tab does with it may be to leave.
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
    // Left before its turn came, or the browser allows no locks here: then this tab reads for itself.
    if (!leaving.signal.aborted) void lead();
  });
  return () => {
    leaving.abort();
    channel.close();
  };
}
