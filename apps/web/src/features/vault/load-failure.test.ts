import { expect, test } from "vitest";
import { CallError } from "#shared/api/call-error.ts";
import { loadFailureText } from "./load-failure.ts";

test('VAULT-40: status 404, or a message with "404" or "Not found", means not found', () => {
  expect(loadFailureText(new Error("404 Not Found"))).toBe("Credential not found");
  expect(loadFailureText(new Error("Not found"))).toBe("Credential not found");
  expect(loadFailureText(new CallError({ kind: "http", status: 404, message: "Gone" }))).toBe("Credential not found");
});

test("VAULT-41: any other error is a failed load", () => {
  expect(loadFailureText(new CallError({ kind: "http", status: 500, message: "Oops" }))).toBe(
    "Failed to load credential",
  );
  expect(loadFailureText("?")).toBe("Failed to load credential");
});
