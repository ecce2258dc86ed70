// Runs test files of node:test in this process, one after another, as its parent names them. What they load is loaded
// once. A file has ended when nothing of it is left to wait for, so nothing of it can happen during the next one.
import { run } from "node:test";
import { spec as Spec } from "node:test/reporters";
import { countTest, noCounts } from "./count-reporter.mjs";

process.on("message", (file) => void take(file));

async function take(file) {
  // The channel waits for the next file; a file ends when nothing waits any more.
  process.channel.unref();
  const answer = await runFile(file);
  process.channel.ref();
  process.send(answer);
}

async function runFile(file) {
  const counts = noCounts();
  let isGood = true;
  const events = run({ files: [file], isolation: "none" });
  for (const type of ["test:pass", "test:fail"]) events.on(type, (data) => countTest(counts, type, data));
  events.on("test:summary", ({ success }) => (isGood &&= success));
  let printed = "";
  for await (const text of events.compose(new Spec())) printed += text;
  if (!isGood && counts.failed === 0) counts.failed = 1;
  return { counts, printed };
}
