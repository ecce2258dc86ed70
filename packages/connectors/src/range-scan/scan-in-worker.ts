// Runs a range scan in a thread with a small heap. Each of the 65,536 connections leaves a socket for the garbage
// collector, and a large heap would collect hundreds of megabytes of them before it begins.
import { Worker } from "node:worker_threads";
import type { Network } from "../address.ts";
import type { AddressSet } from "./address-set.ts";
import type { FoundHost, RangeScan } from "./scan-range.ts";

/** What the thread receives: the scan without its functions. */
export interface RangeOrder extends Pick<RangeScan, "ports" | "rate" | "timeoutMs" | "from"> {
  addresses: AddressSet;
  network: { allowLoopback: boolean; allowedNetworks: readonly Network[] };
}

/** The thread waits for an answer to each `host`, so that `progress` never covers a host that is not stored yet. */
export type RangeMessage =
  | { kind: "host"; number: number; host: FoundHost }
  | { kind: "progress"; done: number }
  | { kind: "end"; refused: number };

const LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 };

/** Like `scanRange`; `onProgress` is called a few times a second. */
export async function scanRangeInWorker(scan: RangeScan): Promise<{ refused: number }> {
  const { addresses, ports, rate, timeoutMs, from, network, signal } = scan;
  signal.throwIfAborted();
  const { allowLoopback, allowedNetworks } = network;
  const order: RangeOrder = { addresses, ports, rate, timeoutMs, from, network: { allowLoopback, allowedNetworks } };
  const ended = Promise.withResolvers<{ refused: number }>();
  // A rejection is handled below, after the listeners.
  ended.promise.catch(() => {});
  const worker = new Worker(new URL("./scan-range.worker.ts", import.meta.url), {
    workerData: order,
    resourceLimits: LIMITS,
  });
  const abort = () => ended.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  /** The reports run one after another. */
  let reports: Promise<void> = Promise.resolve();
  const answer = (report: () => Promise<void>) => {
    reports = reports.then(report);
    reports.catch((error: unknown) => ended.reject(error));
  };
  worker.on("message", (message: RangeMessage) => {
    if (message.kind === "end") answer(async () => ended.resolve({ refused: message.refused }));
    else if (message.kind === "progress") answer(() => scan.onProgress(message.done));
    else {
      answer(async () => {
        await scan.onHost(message.host);
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port, not a window
        worker.postMessage(message.number);
      });
    }
  });
  worker.on("error", (error) => ended.reject(error));
  // After the reports: the thread ends right after its last message.
  worker.on("exit", () => answer(async () => ended.reject(new Error("the thread of a range scan ended"))));
  try {
    return await ended.promise;
  } finally {
    signal.removeEventListener("abort", abort);
    await worker.terminate();
  }
}
