// Loaded before a server under test: fills its heap on SIGWINCH, so that Node aborts as it does without memory.
import { isMainThread } from "node:worker_threads";

if (isMainThread) {
  process.on("SIGWINCH", () => {
    const filling = [];
    for (;;) filling.push(Array.from({ length: 1_000_000 }).fill(0.5));
  });
}
