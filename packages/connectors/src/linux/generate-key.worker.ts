// The worker thread that generates a key with a passphrase: stretching it takes most of a second.
import { parentPort, workerData } from "node:worker_threads";
import { generateKey } from "./generate-key.ts";

const { passphrase } = workerData as { passphrase: string };
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port, not a window
parentPort?.postMessage(generateKey(passphrase));
