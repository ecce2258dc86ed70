// Keeps docs/requirements.md correct: ids in tests exist, and its last two columns match the tests and decisions.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { derive, idsIn } from "./requirements.mjs";

const page = readFileSync(new URL("../docs/requirements.md", import.meta.url), "utf8");

test("every row that a test cites exists", () => {
  assert.deepEqual(derive(page).unknown, []);
});

test("no citation on the page is wrong, and each status is correct (if not: node scripts/requirements.mjs)", () => {
  const cells = (line: string) => line.split(" | ");
  const derived = derive(page).text.split("\n");
  const wrong = page.split("\n").filter((line, at) => {
    if (!/^\| [A-Z]+-\d/.test(line)) return false;
    const [now, then] = [cells(derived[at]), cells(line)];
    const files = (row: string[]) => row.at(-1)!.match(/`[^`]+`/g) ?? [];
    return now.at(-2) !== then.at(-2) || files(then).some((file) => !files(now).includes(file));
  });
  assert.deepEqual(wrong, []);
});

test("every row of the built areas has a test or a decision", () => {
  assert.deepEqual(derive(page).untested, []);
});

test("every row of the specification is on the page", () => {
  assert.equal(derive(page).known.size, 998);
});

test("a cited range includes every row in it, and an unknown row is found", () => {
  const range = idsIn("JIT-24 to JIT-26, ACC-09 to 11");
  assert.deepEqual([...range], ["JIT-24", "JIT-25", "JIT-26", "ACC-09", "ACC-10", "ACC-11"]);
  const without = page.replace(/^\| ACC-34 .*\n/m, "");
  assert.match(derive(without).unknown.join("\n"), /^ACC-34 in /m);
});
