// Parses an event stream (WHATWG HTML §9.2.6): takes chunks of text and emits complete frames.

export interface Frame {
  /** The position to resume from; empty when the frame has none. */
  id: string;
  event: string;
  data: string;
}

function frameOf(block: string): Frame | null {
  const frame: Frame = { id: "", event: "message", data: "" };
  const lines: string[] = [];
  for (const line of block.split("\n")) {
    const [, field, value] = /^(\w+)(?:: ?(.*))?$/.exec(line) ?? [];
    if (field === "data") lines.push(value ?? "");
    if (field === "id" || field === "event") frame[field] = value ?? "";
  }
  // A comment that keeps the connection open is not a frame.
  return lines.length === 0 ? null : { ...frame, data: lines.join("\n") };
}

/** Returns a function that takes the stream's text in chunks; it calls `onFrame` for every complete frame. */
export function createFrameReader(onFrame: (frame: Frame) => void): (text: string) => void {
  let rest = "";
  return (text) => {
    const blocks = (rest + text).replaceAll("\r\n", "\n").split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const frame = frameOf(block);
      if (frame !== null) onFrame(frame);
    }
  };
}
