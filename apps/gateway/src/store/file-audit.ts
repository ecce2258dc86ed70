// Audits the file operations of sessions in groups: a copy of many files is a few entries.
import { recordFileOperations } from "@strongroom/server/features/sessions/index.ts";
import type { ProcessKernel } from "@strongroom/server/kernel/kernel.ts";
import { systemTimerClock } from "#gateway/core/clock.ts";
import type { TimerClock } from "#gateway/core/ports.ts";
import type { FileOperation } from "#gateway/ssh-server/sftp-log.ts";

export interface FileAudit {
  add(sessionId: string, operation: FileOperation): void;
  /** Resolves when everything is stored, or could not be stored within 5 s. Nothing is retried afterwards. */
  stop(): Promise<void>;
}

const WRITE_EVERY_MS = 1000;
const AGAIN_AFTER_MS = 5000;
/** How long `stop` waits for a database that does not answer. */
const STOP_WITHIN_MS = 5000;
/** Limits of one audit entry. */
const MOST_OPERATIONS = 200;
const MOST_CHARACTERS = 64_000;

/** Operations wait in memory while the database is unavailable; without the database, sessions end within half a minute. */
export function createFileAudit(kernel: ProcessKernel, clock: TimerClock = systemTimerClock): FileAudit {
  const waiting = new Map<string, FileOperation[]>();
  let writing: Promise<void> | null = null;
  let isPlanned = false;
  let cancel = () => {};
  let isStopped = false;

  /**
   * Stores the waiting operations. A session that cannot be stored keeps its operations, and the others are still
   * stored.
   */
  async function write(): Promise<void> {
    for (const [sessionId, operations] of waiting) {
      try {
        while (operations.length > 0) {
          if (isStopped) return;
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
    if (isPlanned || isStopped) return;
    isPlanned = true;
    cancel = clock.after(milliseconds, () => {
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
      let cancelWait = () => {};
      const isLate = new Promise<void>((resolve) => {
        cancelWait = clock.after(STOP_WITHIN_MS, resolve);
      });
      const lastTry = async () => {
        await writing;
        await flush();
      };
      await Promise.race([lastTry(), isLate]).finally(cancelWait);
      isStopped = true;
      cancel();
      const left = [...waiting.values()].reduce((sum, operations) => sum + operations.length, 0);
      if (left > 0)
        kernel.log.error({ operations: left }, "file operations were not audited before the gateway stopped");
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
