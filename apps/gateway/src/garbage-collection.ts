// Sets options of the garbage collector: its pauses delay keystrokes. Import this file first.
import { setFlagsFromString } from "node:v8";

/** Options of V8, which `node --v8-options` explains. */
export const GARBAGE_COLLECTION = [
  // By default, the heap of a gateway grows by a third only. With 100 busy terminals, a full collection then runs twice a
  // second, and each delays keystrokes for 50 ms or more. With twice the size, one runs in half a minute.
  "--heap-growing-percent=100",
  // By default, 64 MB of new buffers start a full collection: during a file transfer, ten a second. With this, they count as
  // heap, and the frequent short collections free most of them.
  "--external-memory-accounted-in-global-limit",
] as const;

for (const flag of GARBAGE_COLLECTION) setFlagsFromString(flag);
