// The thread in which a key with a passphrase is made: stretching the passphrase takes a good part of a second.
import { parentPort, workerData } from "node:worker_threads";
import { generateKey } from "./generate-key.ts";

const { passphrase } = workerData as { passphrase: string };
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port, not a window
parentPort?.postMessage(generateKey(passphrase));
