// A test file that hangs is killed and counted as failed; one that still reports tests is not.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

process.env["STRONGROOM_TEST_SILENCE_MS"] = "4000";
const { runAlone } = await import("./test-process.mjs");

const folder = mkdtempSync(join(tmpdir(), "strongroom-hanging-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function run(name: string, source: string) {
  const file = join(folder, `${name}.test.mjs`);
  writeFileSync(file, `import { test } from "node:test";\n${source}`);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return runAlone(file, { env, results: folder });
}

test("a file in which no more tests end is killed", async () => {
  const startedAt = Date.now();
  const { counts, killedAfter } = await run(
    "hanging",
    `test("ends", () => {});\ntest("hangs", () => new Promise(() => setInterval(() => {}, 1000)));`,
  );
  assert.ok(killedAfter !== undefined && killedAfter >= 4, `killed after ${killedAfter} s`);
  assert.ok(Date.now() - startedAt < 30_000);
  assert.ok(counts.failed >= 1);
});

test("a file whose tests keep ending is not killed, however long it takes", async () => {
  const tests = Array.from(
    { length: 4 },
    (_, at) => `test("${at}", () => new Promise((done) => setTimeout(done, 1500)));`,
  );
  const { counts, killedAfter } = await run("slow", tests.join("\n"));
  assert.equal(killedAfter, undefined);
  assert.equal(counts.passed, 4);
});
