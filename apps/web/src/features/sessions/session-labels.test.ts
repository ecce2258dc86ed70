import { SESSION_END_REASONS } from "@strongroom/contract";
import { expect, test } from "vitest";
import { endText } from "./session-labels.ts";

test("every end reason has its own sentence and none shows its code", () => {
  const texts = SESSION_END_REASONS.map((reason) => endText({ reason, detail: null }));
  expect(new Set(texts).size).toBe(SESSION_END_REASONS.length);
  for (const text of texts) expect(text).toMatch(/^[A-Z][a-z ,]+\.$/);
});

test("a detail replaces the sentence of the reason", () => {
  expect(endText({ reason: "failed", detail: "The host key has changed." })).toBe("The host key has changed.");
  expect(endText({ reason: null, detail: null })).toBe("The session did not begin.");
});
