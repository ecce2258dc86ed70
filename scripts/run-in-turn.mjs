// Runs node:test files in this process, one after another, as sent by the parent. Shared modules are loaded once. A file has
// ended when it has no pending work, so it cannot affect the next one.
import { run } from "node:test";
import { spec as Spec } from "node:test/reporters";
import { countTest, noCounts } from "./count-reporter.mjs";

process.on("message", (file) => void take(file));

async function take(file) {
  // The channel keeps the process alive until the next file; without it, a file ends when nothing is pending.
  process.channel.unref();
  const answer = await runFile(file);
  process.channel.ref();
  process.send(answer);
}

async function runFile(file) {
  const counts = noCounts();
  let isGood = true;
  const events = run({ files: [file], isolation: "none" });
  for (const type of ["test:pass", "test:fail"])
    events.on(type, (data) => {
      countTest(counts, type, data);
      process.send({ ended: data.name });
    });
  events.on("test:summary", ({ success }) => (isGood &&= success));
  let printed = "";
  for await (const text of events.compose(new Spec())) printed += text;
  if (!isGood && counts.failed === 0) counts.failed = 1;
  return { counts, printed };
}
