// The thread of a range scan; see `scanRangeInWorker`.
import { parentPort, workerData } from "node:worker_threads";
import type { RangeMessage, RangeOrder } from "./scan-in-worker.ts";
import { scanRange } from "./scan-range.ts";

/** Milliseconds. */
const PROGRESS_INTERVAL = 200;

const order = workerData as RangeOrder;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port, not a window
const send = (message: RangeMessage) => parentPort?.postMessage(message);

const waiting = new Map<number, () => void>();
parentPort?.on("message", (number: number) => {
  waiting.get(number)?.();
  waiting.delete(number);
});

let hosts = 0;
let sentAt = performance.now();
const { refused } = await scanRange({
  ...order,
  // A range scan resolves no names.
  network: { ...order.network, lookup: () => Promise.reject(new Error("no names")) },
  // The other side ends the thread.
  signal: new AbortController().signal,
  async onHost(host) {
    const number = hosts++;
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.set(number, resolve);
    send({ kind: "host", number, host });
    await promise;
  },
  async onProgress(done) {
    if (performance.now() - sentAt < PROGRESS_INTERVAL) return;
    sentAt = performance.now();
    send({ kind: "progress", done });
  },
});
send({ kind: "progress", done: order.addresses.count });
send({ kind: "end", refused });
parentPort?.close();
