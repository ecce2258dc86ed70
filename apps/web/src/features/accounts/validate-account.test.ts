import { expect, test } from "vitest";
import { afterFailedCall, statusAfterValidation, validatedText } from "./validate-account.ts";

test.each([
  ["valid", "valid"],
  ["invalid", "invalid"],
  ["pending", "pending"],
  ["untested", "untested"],
  ["anything else", "untested"],
])("ACC-29: the server's %s is shown as %s", (given, shown) => expect(statusAfterValidation(given)).toBe(shown));

test("ACC-30: a failed call marks the account invalid with the message and the time", () => {
  const now = new Date("2026-11-21T10:00:00.000Z");
  expect(afterFailedCall(new Error("No answer"), now)).toEqual({
    last_validation_status: "invalid",
    last_validated_at: now.toISOString(),
    validation_message: "No answer",
  });
  expect(afterFailedCall(null, now).validation_message).toBe("Failed to validate account credentials");
});

test("ACC-43: the sentence names account and status", () =>
  expect(validatedText("7", "valid")).toBe("Validation completed for account 7 with status: valid"));
