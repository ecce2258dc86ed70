// Audits the file operations of sessions in groups: a copy of many files is a few entries.
import { recordFileOperations } from "@strongroom/server/features/sessions/index.ts";
import type { ProcessKernel } from "@strongroom/server/kernel/kernel.ts";
import { systemTimerClock } from "#gateway/core/clock.ts";
import type { FileOperation } from "#gateway/ssh-server/sftp-log.ts";

export interface FileAudit {
  add(sessionId: string, operation: FileOperation): void;
  /** Resolves when everything is stored, or could not be stored. */
  stop(): Promise<void>;
}

const WRITE_EVERY_MS = 1000;
const AGAIN_AFTER_MS = 5000;
/** Limits of one audit entry. */
const MOST_OPERATIONS = 200;
const MOST_CHARACTERS = 64_000;

/** Operations wait in memory while the database is away; without the database, sessions end within half a minute. */
export function createFileAudit(kernel: ProcessKernel): FileAudit {
  const waiting = new Map<string, FileOperation[]>();
  let writing: Promise<void> | null = null;
  let isPlanned = false;

  /** Stores what waits. A session that cannot be stored keeps its operations, and the others are stored all the same. */
  async function write(): Promise<void> {
    for (const [sessionId, operations] of waiting) {
      try {
        while (operations.length > 0) {
          const group = firstGroup(operations);
          await recordFileOperations(kernel, sessionId, group);
          operations.splice(0, group.length);
        }
        waiting.delete(sessionId);
      } catch (error) {
        kernel.log.warn({ err: error, session: sessionId }, "file operations of a session could not be audited yet");
        plan(AGAIN_AFTER_MS);
      }
    }
  }

  function flush(): Promise<void> {
    writing ??= write().finally(() => (writing = null));
    return writing;
  }

  function plan(milliseconds: number): void {
    if (isPlanned) return;
    isPlanned = true;
    systemTimerClock.after(milliseconds, () => {
      isPlanned = false;
      void flush();
    });
  }

  return {
    add(sessionId, operation) {
      const operations = waiting.get(sessionId) ?? [];
      operations.push(operation);
      waiting.set(sessionId, operations);
      plan(WRITE_EVERY_MS);
    },
    async stop() {
      await writing;
      await flush();
    },
  };
}

/** The first operations that fit into one audit entry; at least one. */
function firstGroup(operations: readonly FileOperation[]): FileOperation[] {
  let characters = 0;
  const end = operations.findIndex(({ path, to = "" }, at) => {
    characters += path.length + to.length;
    return at > 0 && (at >= MOST_OPERATIONS || characters > MOST_CHARACTERS);
  });
  return operations.slice(0, end === -1 ? operations.length : end);
}
