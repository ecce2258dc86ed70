import { expect, test } from "vitest";
import { afterFailedCall, statusAfterValidation, validatedNotice } from "./validate-account.ts";

test.each([
  ["valid", "valid"],
  ["invalid", "invalid"],
  ["unreachable", "unreachable"],
  ["misconfigured", "misconfigured"],
  ["pending", "pending"],
  ["untested", "untested"],
  ["anything else", "untested"],
])("ACC-29: shows the server's %s as %s", (given, shown) => expect(statusAfterValidation(given)).toBe(shown));

test("ACC-30: a failed call marks the account unreachable with the message and the time", () => {
  const now = new Date("2026-11-21T10:00:00.000Z");
  expect(afterFailedCall(new Error("No answer"), now)).toEqual({
    last_validation_status: "unreachable",
    last_validated_at: now.toISOString(),
    validation_message: "No answer",
  });
  expect(afterFailedCall(null, now).validation_message).toBe("Failed to validate account credentials");
});

test.each([
  ["valid", "success", "Verified"],
  ["invalid", "error", "Rejected"],
  ["unreachable", "error", "Unreachable"],
  ["untested", "custom", "Untested"],
] as const)("ACC-43: the toast contains the account and status, in the colour of %s", (status, kind, word) =>
  expect(
    validatedNotice("root on db1", { outcome: "unsupported", validation_message: "", validation_status: status }),
  ).toEqual({
    kind,
    text: `Validation completed for account root on db1 with status: ${word}`,
  }),
);

test("an aborted validation is not reported as a result of the account", () =>
  expect(
    validatedNotice("root on db1", {
      outcome: "aborted",
      validation_message: "The vault was sealed.",
      validation_status: "valid",
    }),
  ).toEqual({ kind: "error", text: "root on db1 was not validated: The vault was sealed." }));
