import { expect, test } from "vitest";
import { responseTimeText } from "./response-time.ts";

test.each([
  [0, "0ms"],
  [999, "999ms"],
  [1000, "1.00s"],
  [1503, "1.50s"],
])("ACC-85: %i ms reads %s", (ms, text) => expect(responseTimeText(ms)).toBe(text));
