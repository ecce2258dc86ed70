import { describe, expect, test } from "vitest";
import { CallError } from "#shared/api/call-error.ts";
import { fieldErrorsOf, saveFailureText } from "./save-credential.ts";

const FALLBACK = "Failed to create credential";

describe("saveFailureText", () => {
  test("CRED-39: returns the server's message", () => {
    const error = new CallError({ kind: "http", status: 409, code: "x", message: "A credential of that name exists." });
    expect(saveFailureText(error, FALLBACK)).toBe("A credential of that name exists.");
  });

  test("CRED-39: returns the fallback when there is no message", () => {
    const error = new CallError({ kind: "http", status: 500, message: "500 Internal Server Error" });
    expect(saveFailureText(error, FALLBACK)).toBe(FALLBACK);
    expect(saveFailureText(new TypeError("x is undefined"), FALLBACK)).toBe(FALLBACK);
  });

  test("CRED-40: returns the status and the start of the text of a reply that is not JSON", () => {
    const text = "<html>Bad gateway</html>";
    const error = new CallError({ kind: "http", status: 502, message: "Service temporarily unavailable", text });
    expect(saveFailureText(error, FALLBACK)).toBe("Server error: 502 - <html>Bad gateway</html>");
  });

  test("names a network failure", () => {
    const error = new CallError({ kind: "network", message: "Network error: Unable to connect to the server." });
    expect(saveFailureText(error, FALLBACK)).toBe("Network error: Unable to connect to the server.");
  });
});

describe("fieldErrorsOf", () => {
  test("maps errors to form fields", () => {
    const errors = [
      { path: "name", msg: "Too short" },
      { path: "additional_params.x", msg: "Too long" },
    ];
    const error = new CallError({ kind: "http", status: 400, message: "name: Too short", errors });
    expect(fieldErrorsOf(error)).toEqual({ name: "Too short", additional_params: "Too long" });
  });

  test("ignores paths that are not fields of the form", () => {
    const error = new CallError({ kind: "http", status: 400, message: "x", errors: [{ path: "toString", msg: "?" }] });
    expect(fieldErrorsOf(error)).toEqual({});
    expect(fieldErrorsOf(new Error("x"))).toEqual({});
  });
});
