// Stores the digests of all recordings of a gateway together: each transaction costs as much as that of one recording.
import type { RecordedChunks } from "@strongroom/server/features/sessions/index.ts";
import { setTimeout as delay } from "node:timers/promises";

/** Digests that arrive within this time share a transaction. They are due in the audit tree within two seconds. */
const GATHER_MS = 250;
const MOST_TOGETHER = 200;

type Store = (groups: readonly RecordedChunks[]) => Promise<void>;

interface Waiting {
  group: RecordedChunks;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** Returns a function that stores the chunks of one recording. Call it for a recording only after its last call ended. */
export function createSharedDigests(store: Store): (group: RecordedChunks) => Promise<void> {
  const waiting: Waiting[] = [];
  let isRunning = false;

  async function storeTogether(all: readonly Waiting[]): Promise<void> {
    try {
      await store(all.map(({ group }) => group));
      for (const { resolve } of all) resolve();
    } catch (error) {
      const [only, ...others] = all;
      if (others.length === 0) only?.reject(error);
      // One recording that cannot be stored must not delay the others.
      else for (const each of all) await storeTogether([each]);
    }
  }

  async function run(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      await delay(GATHER_MS);
      await storeTogether(waiting.splice(0, MOST_TOGETHER));
    }
    isRunning = false;
  }

  return (group) =>
    new Promise((resolve, reject) => {
      waiting.push({ group, resolve, reject });
      if (!isRunning) void run();
    });
}
