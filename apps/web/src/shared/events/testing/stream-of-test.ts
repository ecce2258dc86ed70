// A stream whose other end is the test.
import type { OpenStream, StreamParts } from "../server-stream.ts";

interface StreamOfTest extends StreamParts {
  isClosed: boolean;
}

/** Streams in the order in which they were opened. */
export interface StreamsOfTest {
  all: StreamOfTest[];
  latest: () => StreamOfTest;
  /** Those that nobody has closed. */
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
