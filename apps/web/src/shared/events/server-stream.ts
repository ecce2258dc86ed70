// One connection to the server's event stream, as the signed-in user, from a given position.
import { streamEvents } from "@strongroom/contract";
import { openStream } from "#shared/api/call.ts";
import { createFrameReader, type Frame } from "./event-frames.ts";

export interface ServerStreamDeps {
  /** The id of the last received frame; null starts with new events. */
  after: string | null;
  onOpen: () => void;
  onFrame: (frame: Frame) => void;
  /** Called when the stream is refused, breaks or goes silent, but not when the client closes it. */
  onEnd: () => void;
}

/** Opens a stream; returns a function that closes it. */
export type OpenStream = (parts: ServerStreamDeps) => () => void;

/** Milliseconds. The server sends a heartbeat every 20 seconds, so after three missed ones the connection is dead. */
export const SILENCE_MS = 60_000;

async function read(parts: ServerStreamDeps, closing: AbortController): Promise<void> {
  // Also ends a connection attempt without a response.
  let silence = setTimeout(() => closing.abort(), SILENCE_MS);
  try {
    const body = await openStream(streamEvents, {
      headers: parts.after === null ? {} : { "Last-Event-ID": parts.after },
      signal: closing.signal,
    });
    parts.onOpen();
    const takeText = createFrameReader(parts.onFrame);
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(silence);
      silence = setTimeout(() => closing.abort(), SILENCE_MS);
      takeText(value);
    }
  } finally {
    clearTimeout(silence);
  }
}

/**
 * Uses `fetch` and not the browser's EventSource, which cannot send a token, cannot resume in another tab, and never
 * notices a silent connection.
 */
export const openServerStream: OpenStream = (parts) => {
  const closing = new AbortController();
  let isClosed = false;
  /** Drops the callbacks after the stream is closed, including frames already received. */
  const whileOpen =
    <T extends unknown[]>(tell: (...what: T) => void) =>
    (...what: T) => {
      if (!isClosed) tell(...what);
    };
  const { after, onOpen, onFrame, onEnd } = parts;
  const end = whileOpen(onEnd);
  // The caller reconnects after any end; `call` has already reported a 401 or a sealed vault to the session.
  read({ after, onOpen: whileOpen(onOpen), onFrame: whileOpen(onFrame), onEnd }, closing).then(end, end);
  return () => {
    isClosed = true;
    closing.abort();
  };
};
