// The user's or a watcher's end of a session, whatever carries it.
import type { SessionEnd, Size } from "./ports.ts";

export interface Terminal {
  /** Shows output. Resolves when there is room for more, or the terminal is gone. Never rejects. */
  write(bytes: Buffer, isError: boolean): Promise<void>;
  /** Bytes that were written and not sent yet. */
  readonly waitingBytes: number;
  notice(text: string): void;
  /** Null: the session continues. */
  paused(reason: string | null): void;
  watchers(count: number): void;
  /** For watchers: the size of the user's terminal. */
  resized(size: Size): void;
  /** Shows why the session ended and closes the terminal. `exitStatus` is the program's exit status, if it reported one. */
  end(end: SessionEnd, exitStatus: number | null): void;
}
