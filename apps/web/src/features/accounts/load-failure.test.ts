import { expect, test } from "vitest";
import { CallError } from "#shared/api/call-error.ts";
import { loadFailureText } from "./load-failure.ts";

const failure = (status: number) => new CallError({ kind: "http", status, message: "no" });

test("ACC-36: text for a call without authorization", () =>
  expect(loadFailureText(failure(401), false)).toBe("Please log in to view accounts"));
test("ACC-37: text for an expired authorization", () =>
  expect(loadFailureText(failure(401), true)).toBe("Session expired. Please login again."));
test.each([403, 500])("ACC-38: text for any other status, such as %i", (status) =>
  expect(loadFailureText(failure(status), true)).toBe("Failed to fetch accounts"),
);
