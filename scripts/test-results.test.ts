import assert from "node:assert/strict";
import { test } from "node:test";
import { repeatFailed, summarize, TestResults } from "./test-results.mjs";

const root = "/project";

/** The results of a run, from `[passed, failed]` of each file. */
function resultsOf(counts: Record<string, [passed: number, failed: number]>) {
  const results = new TestResults();
  for (const [path, [passed, failed]] of Object.entries(counts)) Object.assign(results.file(path), { passed, failed });
  return results;
}

test("a repeated file counts once, with the tests that pass in its second run", async () => {
  const first = resultsOf({ "/project/a.test.ts": [10, 0], "/project/b.test.ts": [3, 2] });
  const repeated: string[] = [];
  const run = await repeatFailed(first, (files: string[]) => {
    repeated.push(...files);
    return resultsOf({ "/project/b.test.ts": [5, 0] });
  });
  assert.deepEqual(repeated, ["/project/b.test.ts"]);
  const { lines, isSuccess } = summarize([run], { isStrict: true, root });
  assert.deepEqual(lines, [
    "flaky: b.test.ts failed, and passed when it ran again alone",
    "",
    "15 passed, 0 failed, 0 skipped",
  ]);
  assert.equal(isSuccess, true);
});

test("a file that fails twice stays failed and is not flaky", async () => {
  const first = resultsOf({ "/project/a.test.ts": [1, 2] });
  const run = await repeatFailed(first, () => resultsOf({ "/project/a.test.ts": [2, 1] }));
  const { lines, isSuccess } = summarize([run], { isStrict: true, root });
  assert.deepEqual(lines, ["", "2 passed, 1 failed, 0 skipped"]);
  assert.equal(isSuccess, false);
});

test("a failed file that is missing from the second run stays failed", async () => {
  const first = resultsOf({ "/project/a.test.ts": [1, 2] });
  const run = await repeatFailed(first, () => new TestResults());
  assert.deepEqual(run.flaky, []);
  assert.equal(summarize([run], { isStrict: true, root }).isSuccess, false);
});

test("more than six failed files do not run again", async () => {
  const first = resultsOf(Object.fromEntries(Array.from({ length: 7 }, (_, n) => [`/project/${n}.test.ts`, [1, 1]])));
  const run = await repeatFailed(first, () => assert.fail("the files ran again"));
  assert.equal(run.results.count("failed"), 7);
});

test("a skipped test fails a strict run only", () => {
  const results = resultsOf({ "/project/a.test.ts": [1, 0] });
  results.file("/project/a.test.ts").skipped.push(["needs MySQL", "no mysqld"]);
  const runs = [{ results, flaky: [] }];
  assert.equal(summarize(runs, { isStrict: false, root }).isSuccess, true);
  assert.equal(summarize(runs, { isStrict: false, root }).lines.at(-1), "1 passed, 0 failed, 1 skipped");
  assert.equal(summarize(runs, { isStrict: true, root }).isSuccess, false);
});

test("a run without any passed test fails", () => {
  assert.equal(summarize([{ results: new TestResults(), flaky: [] }], { isStrict: false, root }).isSuccess, false);
});

test("counts passed, failed and skipped tests of a file", () => {
  const results = new TestResults();
  results.add("/project/a.test.ts", "test:pass", { name: "one", skip: undefined });
  results.add("/project/a.test.ts", "test:fail", { name: "two", skip: undefined });
  results.add("/project/a.test.ts", "test:pass", { name: "three", skip: true });
  assert.deepEqual(results.failedFiles, ["/project/a.test.ts"]);
  assert.deepEqual(results.file("/project/a.test.ts"), {
    passed: 1,
    failed: 1,
    skipped: [["three", "no reason given"]],
  });
});
