// A stream that a test controls.
import type { OpenStream, ServerStreamDeps } from "../server-stream.ts";

interface StreamOfTest extends ServerStreamDeps {
  isClosed: boolean;
}

/** In the order in which the streams were opened. */
export interface StreamsOfTest {
  all: StreamOfTest[];
  latest: () => StreamOfTest;
  /** The streams that are still open. */
  opened: () => StreamOfTest[];
  open: OpenStream;
}

export function streamsOfTest(): StreamsOfTest {
  const all: StreamOfTest[] = [];
  return {
    all,
    latest: () => {
      const stream = all.at(-1);
      if (stream === undefined) throw new Error("no stream was opened");
      return stream;
    },
    opened: () => all.filter(({ isClosed }) => !isClosed),
    open(parts) {
      const stream = { ...parts, isClosed: false };
      all.push(stream);
      return () => {
        stream.isClosed = true;
      };
    },
  };
}
