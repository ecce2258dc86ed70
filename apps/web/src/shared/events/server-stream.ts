// One connection to the server's event stream, as the signed-in person, from where somebody left off.
import { streamEvents } from "@strongroom/contract";
import { openStream } from "#shared/api/call.ts";
import { createFrameReader, type Frame } from "./event-frames.ts";

export interface StreamParts {
  /** The id of the last frame that was heard; null begins now. */
  after: string | null;
  onOpen: () => void;
  onFrame: (frame: Frame) => void;
  /** It was refused, broke, or fell silent. Not called once it was closed from here. */
  onEnd: () => void;
}

/** Opens a stream; returns how to close it. */
export type OpenStream = (parts: StreamParts) => () => void;

/** The server says something every 20 seconds: after three times that the connection is dead, whatever the network says. */
export const SILENCE_MS = 60_000;

async function read(parts: StreamParts, closing: AbortController): Promise<void> {
  // Also ends a connection that nobody answers.
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
 * By `fetch`, not by the browser's EventSource: that one cannot say who asks where two people use one browser, cannot
 * resume in another tab, and never notices a connection that fell silent.
 */
export const openServerStream: OpenStream = (parts) => {
  const closing = new AbortController();
  let isClosed = false;
  /** Nobody hears of a stream that they have closed, not even what had come already. */
  const whileOpen =
    <T extends unknown[]>(tell: (...what: T) => void) =>
    (...what: T) => {
      if (!isClosed) tell(...what);
    };
  const { after, onOpen, onFrame, onEnd } = parts;
  const end = whileOpen(onEnd);
  // However it ended, somebody tries again; a 401 and a sealed vault have been told to the session already.
  read({ after, onOpen: whileOpen(onOpen), onFrame: whileOpen(onFrame), onEnd }, closing).then(end, end);
  return () => {
    isClosed = true;
    closing.abort();
  };
};
