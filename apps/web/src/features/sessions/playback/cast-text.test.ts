import { expect, test } from "vitest";
import type { CastEvent } from "@strongroom/recordings/asciicast";
import { CastText, marksOf } from "./cast-text.ts";

const output = (data: string): CastEvent => ({ at: 0, code: "o", data });

test("marks have their kind and position, and a label without a kind is a note", () => {
  const mark = (data: string): CastEvent => ({ at: 0, code: "m", data });
  expect(marksOf([output("x"), mark("privilege: sudo -i"), mark("lunch: break")])).toEqual([
    { index: 1, kind: "privilege", text: "sudo -i" },
    { index: 2, kind: "note", text: "lunch: break" },
  ]);
});

test("text is found ignoring case and colours, and across events", () => {
  const text = new CastText([output("one\r\n"), output("\u001b[1;31mNee\u001b[0m"), output("dle two"), output("end")]);
  expect(text.next("needle", -1)).toBe(2);
  expect(text.next("31m", -1)).toBe(null);
});

test("the next match follows the current one, and the first follows the last", () => {
  const text = new CastText([output("a hit "), output("none "), output("a hit ")]);
  expect(text.next("hit", -1)).toBe(0);
  expect(text.next("hit", 0)).toBe(2);
  expect(text.next("hit", 2)).toBe(0);
  expect(text.next("missing", 0)).toBe(null);
  expect(text.next("", 0)).toBe(null);
});

test("the text of titles and clipboard sequences is not found", () => {
  const text = new CastText([output("\u001b]0;secret title\u0007shown\u001b]52;c;c2VjcmV0\u001b\\")]);
  expect(text.next("secret title", -1)).toBe(null);
  expect(text.next("c2Vj", -1)).toBe(null);
  expect(text.next("shown", -1)).toBe(0);
});

test("each line of recorded input is a mark where it begins, without erased characters", () => {
  const input = (data: string): CastEvent => ({ at: 0, code: "i", data });
  const mark: CastEvent = { at: 0, code: "m", data: "command: ls" };
  const events = [
    input("l"),
    output("l"),
    input("x\u007fs"),
    input("\r"),
    mark,
    input("[masked]"),
    input("\rid"),
    input("\u001b[A"),
  ];
  expect(marksOf(events)).toEqual([
    { index: 0, kind: "input", text: "ls" },
    { index: 4, kind: "command", text: "ls" },
    { index: 5, kind: "input", text: "[masked]" },
    { index: 6, kind: "input", text: "id" },
  ]);
});
