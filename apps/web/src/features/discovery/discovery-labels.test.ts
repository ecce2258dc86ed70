// Tests of the labels and numbers of discovery.
import { describe, expect, test } from "vitest";
import { estimateOf, factLabel, factText, numberOr } from "./discovery-labels.ts";

describe("SCAN-17, OPEN-115: the expected duration", () => {
  test.each([
    [5_000, "about 1 minute"],
    [30_000, "about 1 minute"],
    [60_000, "1 to 2 minutes"],
    [90_000, "2 to 3 minutes"],
    [300_000, "5 to 10 minutes"],
  ])("of a timeout of %d ms is %s", (timeout, text) => {
    expect(estimateOf(timeout)).toBe(text);
  });
});

test.each([
  ["22", 22],
  ["0", 0],
  ["2222x", 22],
  ["", 22],
  ["  ", 22],
])("DISC-22: the text %j is the number %d", (text, number) => {
  expect(numberOr(text, 22)).toBe(number);
});

test("facts of a system become readable lines", () => {
  expect(factLabel("passwordStatus")).toBe("Password status");
  expect(factLabel("uid")).toBe("User ID");
  expect([[], ["sudo", "adm"], true, null, 0, { limit: 5 }].map(factText)).toEqual([
    "None",
    "sudo, adm",
    "Yes",
    "None",
    "0",
    '{"limit":5}',
  ]);
});
