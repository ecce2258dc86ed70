// Loaded before each test file: ends its process when its tests are over, even if the file left a server or a timer open.
// Node's own `forceExit` does not wait for the results to be sent: on a busy machine, it lost those of whole files.
import { after } from "node:test";

const INTERVAL_MS = 100;
/** As many times in a row nothing may wait to be sent. */
const QUIET_TIMES = 3;

after(() => {
  let quiet = 0;
  let isSummarized = false;
  const timer = setInterval(() => {
    quiet = process.stdout.writableLength === 0 ? quiet + 1 : 0;
    if (quiet < QUIET_TIMES) return;
    if (isSummarized) process.exit();
    // The runner sends the summary of a file when nothing is open; this simulates that state.
    process.emit("beforeExit", 0);
    isSummarized = true;
    quiet = 0;
  }, INTERVAL_MS);
  // A file that left nothing open ends without waiting.
  timer.unref();
});
