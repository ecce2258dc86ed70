import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const FILE = `
import { createServer } from "node:net";
import { test } from "node:test";
createServer().listen(0, "127.0.0.1");
for (let number = 0; number < 500; number += 1) test(\`passes \${number}\`, () => {});
test("fails", () => { throw new Error("as it should"); });
`;
const RUNNER = `
import { run } from "node:test";
const [file, loaded] = process.argv.slice(2);
const counts = { passed: 0, failed: 0, summaries: 0 };
for await (const { type, data } of run({ files: [file], execArgv: ["--import=" + loaded] })) {
  if (type === "test:pass") counts.passed += 1;
  if (type === "test:fail") counts.failed += 1;
  if (type === "test:summary" && data.file === file) counts.summaries += 1;
}
console.log(JSON.stringify(counts));
`;

test("a file that leaves a server open ends, and all its results arrive", () => {
  const folder = mkdtempSync(join(tmpdir(), "strongroom-file-"));
  try {
    const file = join(folder, "open.test.mjs");
    writeFileSync(file, FILE);
    const runner = join(folder, "runner.mjs");
    writeFileSync(runner, RUNNER);
    // A runner inside a test file runs nothing.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const args = [runner, file, join(import.meta.dirname, "end-test-file.mjs")];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", env });
    assert.deepEqual(JSON.parse(stdout || "null"), { passed: 500, failed: 1, summaries: 1 }, stderr);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
