// A worker thread that replays recordings on a headless terminal. The main thread stops it when hostile output takes too long.
import { parentPort } from "node:worker_threads";
import { terminalText } from "@strongroom/recordings/terminal-text";
import type { TerminalText } from "@strongroom/recordings/terminal-text";
import type { ReadRecordingChunk } from "@strongroom/recordings";

export type TextChunk = Pick<ReadRecordingChunk, "header" | "events">;
/** `next` asks for the next chunk; `end` follows the last text. */
export type FromWorker = { kind: "next" } | ({ kind: "text" } & TerminalText) | { kind: "end" };
/** Null: there are no more chunks. */
export type ToWorker = TextChunk | null;

const port = parentPort!;

async function* chunks(): AsyncGenerator<TextChunk> {
  for (;;) {
    const answered = new Promise<ToWorker>((resolve) => port.once("message", resolve));
    tell({ kind: "next" });
    const chunk = await answered;
    if (chunk === null) return;
    yield chunk;
  }
}

function tell(message: FromWorker): void {
  port.postMessage(message);
}

for await (const text of terminalText(chunks())) tell({ kind: "text", ...text });
tell({ kind: "end" });
port.close();
