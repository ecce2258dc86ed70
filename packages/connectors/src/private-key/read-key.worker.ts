// The worker thread that opens a key with a passphrase: the derivation takes most of a second.
import { parentPort, workerData } from "node:worker_threads";
import { readKey } from "./read-key.ts";

const { text, passphrase } = workerData as { text: string; passphrase: string };
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port, not a window
parentPort?.postMessage(readKey(text, passphrase));
