import { describe, expect, test } from "vitest";
import { CallError } from "./call-error.ts";
import { answerText, fetchFailureText, timeoutText } from "./error-texts.ts";
import { secondsOf } from "./read-reply.ts";
import { isAsleep } from "./retry.ts";

const answer = { status: 500, statusText: "", path: "/x", message: null, isJson: true, retryAfter: null };

describe("messages of failed requests", () => {
  test.each([
    [
      "ERR-01: status and status text",
      { status: 500, statusText: "Internal Server Error" },
      "500 Internal Server Error",
    ],
    ["ERR-01: over HTTP/2, which sends no text", { status: 409 }, "409 Conflict"],
    [
      "ERR-02, OPEN-69: a 429 with its time",
      { status: 429, retryAfter: 12, message: "slow down" },
      "Rate limit exceeded. Retry in 12 seconds.",
    ],
    ["ERR-03, OPEN-69: a 429 without", { status: 429 }, "Rate limit exceeded. Please try again later."],
    [
      "ERR-04: what the server itself says of a 503 comes first",
      { status: 503, message: "The vault is sealed." },
      "The vault is sealed.",
    ],
    ["ERR-05: a 404 with a JSON body is not a missing endpoint", { status: 404 }, "404 Not Found"],
  ])("%s", (_, more, text) => expect(answerText({ ...answer, ...more })).toBe(text));

  test("ERR-07, OPEN-70, OPEN-71: the message mentions the origin when the browser's error does", () => {
    const cors = "CORS error: Cross-origin request blocked. Please check server configuration.";
    expect(fetchFailureText(new TypeError("Cross-Origin Request Blocked"))).toBe(cors);
    expect(fetchFailureText(new TypeError("Load failed due to access control checks"))).toBe(cors);
    expect(fetchFailureText(new TypeError("Failed to fetch"))).toMatch(/^Network error: Unable to connect/);
  });

  test("ERR-08: a timeout names the limit", () =>
    expect(timeoutText(60_000)).toBe("Request timeout after 60000ms - this may be due to backend cold start."));
});

test.each([
  [null, null],
  ["", null],
  ["7", 7],
  ["0.2", 1],
  ["-1", null],
  ["soon", null],
  ["Thu, 01 Jan 1970 00:01:30 GMT", 30],
  ["Thu, 01 Jan 1970 00:00:10 GMT", 0],
])("RFC 9110 §10.2.3: Retry-After %j is %j seconds from 00:01:00", (header, seconds) =>
  expect(secondsOf(header, 60_000)).toBe(seconds),
);

describe("HTTP-16: the deployed-environment handler recognises a sleeping server", () => {
  const failed = (status: number, message = "", code: string | null = null) =>
    new CallError({ kind: "http", status, message, code });
  test.each([
    ["a timeout", new CallError({ kind: "timeout", message: timeoutText(60_000) }), true],
    ["502", failed(502), true],
    ["503", failed(503), true],
    ["a message with ECONNRESET", new Error("read ECONNRESET"), true],
    ["500", failed(500, "Broken"), false],
    ["a sealed vault, which is awake", failed(503, "The vault is sealed.", "sealed"), false],
  ])("%s: %s", (_, error, isSleeping) => expect(isAsleep(error)).toBe(isSleeping));
});
