// Audits the file operations of sessions in groups: a copy of many files is a few entries.
import { recordFileOperations } from "@strongroom/server/features/sessions/index.ts";
import type { ProcessKernel } from "@strongroom/server/kernel/kernel.ts";
import { systemClock } from "#gateway/core/clock.ts";
import type { FileOperation } from "#gateway/ssh-server/sftp-log.ts";

export interface FileAudit {
  add(sessionId: string, operation: FileOperation): void;
  /** Resolves when everything is stored, or could not be stored. */
  stop(): Promise<void>;
}

const WRITE_EVERY_MS = 1000;
const AGAIN_AFTER_MS = 5000;
const AT_ONCE = 200;

/** Operations wait in memory while the database is away; without the database, sessions end within half a minute. */
export function createFileAudit(kernel: ProcessKernel): FileAudit {
  const waiting = new Map<string, FileOperation[]>();
  let writing: Promise<void> | null = null;
  let isPlanned = false;

  async function write(): Promise<void> {
    for (const [sessionId, operations] of waiting) {
      while (operations.length > 0) {
        const group = operations.slice(0, AT_ONCE);
        await recordFileOperations(kernel, sessionId, group);
        operations.splice(0, group.length);
      }
      waiting.delete(sessionId);
    }
  }

  function flush(): Promise<void> {
    writing ??= write()
      .catch((error: unknown) => {
        kernel.log.warn({ err: error }, "file operations of sessions could not be audited yet");
        plan(AGAIN_AFTER_MS);
      })
      .finally(() => (writing = null));
    return writing;
  }

  function plan(milliseconds: number): void {
    if (isPlanned) return;
    isPlanned = true;
    systemClock.after(milliseconds, () => {
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
