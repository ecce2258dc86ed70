// Verifies an export of many generated entries, in a thread whose memory the test limits.
import { parentPort, workerData } from "node:worker_threads";
import { headerLine, verifyExport } from "../src/index.ts";
import { ORIGIN, aLog, entryLine } from "./sample-log.ts";

const log = aLog([1000]);

function* lines(count: number) {
  yield headerLine({ kind: "complete", origin: ORIGIN, verifierKey: log.key, checkpoint: log.checkpoints[0]!.note });
  for (let i = 0; i < count; i++) yield entryLine(i, log.entries[i % 1000]!.canonical);
}

const report = await verifyExport(lines(workerData as number), log.key);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
parentPort?.postMessage(report);
