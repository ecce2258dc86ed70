import { describe, expect, test } from "vitest";
import { CallError } from "#shared/api/call-error.ts";
import { createFailureText, editFailureText } from "./save-account.ts";

const http = (status: number, message: string) => new CallError({ kind: "http", status, message });
const NETWORK = "Network error: Unable to connect to the server. Please check your connection and try again.";

describe("texts for an account that could not be saved", () => {
  test.each([
    ["ACC-76", new CallError({ kind: "network", message: "Network error: Unable to connect to the server." }), NETWORK],
    ["ACC-76, OPEN-71", new TypeError("Failed to fetch"), NETWORK],
    [
      "ACC-77, OPEN-70",
      new CallError({ kind: "network", message: "CORS error: Cross-origin request blocked." }),
      "CORS error: Cross-origin request blocked. Please check server configuration.",
    ],
    ["ACC-78", http(401, "Token expired"), "Authentication error: Please log in again."],
    ["ACC-79", http(403, "No"), "Permission denied: You don't have permission to create accounts."],
    ["ACC-80", http(422, "The platform is not in use"), "The platform is not in use"],
    ["ACC-80", new Error(""), "An error occurred while creating the account."],
    ["ACC-80", http(500, "500 Internal Server Error"), "An error occurred while creating the account."],
    ["ACC-81", "text", "An unexpected error occurred. Please try again."],
  ])("%s: returns the text for %o", (_row, error, text) => expect(createFailureText(error)).toBe(text));

  test("the text for a refused edit does not mention creating", () => {
    expect(editFailureText(http(403, "You may not change accounts here."))).toBe("You may not change accounts here.");
    expect(editFailureText(new Error(""))).toBe("An error occurred while saving the account.");
  });
});
