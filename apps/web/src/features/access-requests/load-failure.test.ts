import { expect, test } from "vitest";
import { CallError } from "#shared/api/call-error.ts";
import { createFailureTitle, loadFailureText } from "./load-failure.ts";

const http = (status: number, message: string) => new CallError({ kind: "http", status, message });

test.each([
  ["JIT-31", http(401, "x"), false, "Please log in to view JIT access requests"],
  ["JIT-32", http(401, "x"), true, "Authentication required. Please log in again."],
  ["JIT-33", http(500, "The database is away."), true, "The database is away."],
  ["JIT-33", http(500, "500 Internal Server Error"), true, "Error 500"],
  [
    "JIT-34, OPEN-71",
    new CallError({ kind: "network", message: "Network error" }),
    true,
    "Failed to fetch access requests. Please check your connection.",
  ],
])("%s: shows the text for %o", (_row, error, hasToken, text) => expect(loadFailureText(error, hasToken)).toBe(text));

test("JIT-35: the title of a failed creation contains the status", () =>
  expect(createFailureTitle(http(409, "x"))).toBe("Failed to create request (409)"));
