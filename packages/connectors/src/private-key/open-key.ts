// Opens a stored private key without blocking the process.
import { Worker } from "node:worker_threads";
import { isTooCostly } from "./derivation-cost.ts";
import { readKey, type OpenedKey } from "./read-key.ts";

/** A key with a passphrase is opened in a worker thread, which ends when `signal` is aborted. */
export async function openKey(text: string, passphrase: string | null, signal: AbortSignal): Promise<OpenedKey> {
  if (isTooCostly(text)) return { problem: "too-costly" };
  if (passphrase === null) return readKey(text, null);
  const worker = new Worker(new URL("./read-key.worker.ts", import.meta.url), { workerData: { text, passphrase } });
  const stop = () => void worker.terminate();
  signal.addEventListener("abort", stop, { once: true });
  const { promise, resolve, reject } = Promise.withResolvers<OpenedKey>();
  worker.once("message", resolve);
  worker.once("error", reject);
  // The worker was terminated: its answer is no longer needed.
  worker.once("exit", () => resolve({ problem: "unreadable" }));
  return promise.finally(() => signal.removeEventListener("abort", stop));
}
