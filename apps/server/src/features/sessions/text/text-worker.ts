// A worker thread that replays recordings on headless terminals. The main thread stops it when hostile output takes too long.
import { constants, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { terminalText } from "@strongroom/recordings/terminal-text";
import type { TerminalText } from "@strongroom/recordings/terminal-text";
import type { ReadRecordingChunk } from "@strongroom/recordings";

export type TextChunk = Pick<ReadRecordingChunk, "header" | "events">;
/** `next` asks for the next chunk; `end` follows the last text. */
export type FromWorker = { kind: "next" } | ({ kind: "text" } & TerminalText) | { kind: "end" };
/** `begin` starts a recording; null: it has no more chunks. */
export type ToWorker = "begin" | TextChunk | null;

const port = parentPort!;

// Live sessions and API calls matter more than search. Only Linux has thread priorities; elsewhere this would slow
// down the whole server.
if (process.platform === "linux") setPriority(constants.priority.PRIORITY_LOW);

const answer = (): Promise<ToWorker> => new Promise((resolve) => port.once("message", resolve));

async function* chunks(): AsyncGenerator<TextChunk> {
  for (;;) {
    const answered = answer();
    tell({ kind: "next" });
    const chunk = await answered;
    if (chunk === null || chunk === "begin") return;
    yield chunk;
  }
}

function tell(message: FromWorker): void {
  port.postMessage(message);
}

for (;;) {
  await answer();
  for await (const text of terminalText(chunks())) tell({ kind: "text", ...text });
  tell({ kind: "end" });
}
