// Tests two rules that prevent deadlocks: statements lock rows in one order, and no two advisory locks share a number.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "../..");
const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && !path.includes("testing/"))
  .map((path) => ({ path: relative(root, join(root, path)), text: readFileSync(join(root, path), "utf8") }));

const LOCKS = /\bfor (no key )?update\b|\bfor (key )?share\b|\.for(NoKey)?Update\(|\.for(Key)?Share\(/;
const IN_ORDER = /\border by\b|\borderBy\(/;
/** Matches statements that skip locked rows and therefore never wait. */
const WAITS_FOR_NONE = /skip locked|skipLocked\(/;
const ONE_ROW = /\.where\("(id|origin)", "=", |\b(?:where|and) (?:\w+\.)?id = \$\{|\blimit 1\b/;
/** Tables with a single row. */
const ONE_ROW_TABLES = /from seal\b|selectFrom\("sign_in_policy"\)/;

/** Splits a file into top-level declarations, because a lock and its order are always in the same declaration. */
const declarationsOf = (text: string): string[] =>
  text
    .split(/\n(?=(?:export |async function |function |const |\/\*\*))/)
    .map((each) => each.replace(/^\s*(\/\/|\*).*$/gm, ""));

function unordered(text: string): string[] {
  const locking = declarationsOf(text).filter((each) => LOCKS.test(each));
  const rules = [IN_ORDER, WAITS_FOR_NONE, ONE_ROW, ONE_ROW_TABLES];
  return locking.filter((each) => !rules.some((rule) => rule.test(each)));
}

test("every statement that locks several rows specifies their order", () => {
  const found = sources.flatMap(({ path, text }) => unordered(text).map((each) => `${path}: ${each.slice(0, 120)}`));
  assert.deepEqual(found, []);
});

test("the search for unordered locks finds a sample statement", () => {
  const bad = `const held = (tx: Tx) =>\n  tx.selectFrom("users").select("id").where("role", "=", "admin").forUpdate().execute();`;
  assert.equal(unordered(bad).length, 1);
  assert.equal(unordered(bad.replace(".forUpdate", '.orderBy("id").forUpdate')).length, 0);
});

test("no two advisory locks share a number", () => {
  const numbers = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/\b7_?305_?808_?\d{3}\b/g)].map(
      ([number]) => [Number(number.replaceAll("_", "")), path] as const,
    ),
  );
  assert.ok(numbers.length > 5, "the search finds nothing");
  const shared = numbers.filter(([number], index) => numbers.findIndex(([other]) => other === number) !== index);
  assert.deepEqual(shared, []);
});
