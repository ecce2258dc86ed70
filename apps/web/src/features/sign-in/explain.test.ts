import { describe, expect, test } from "vitest";
import { CallError, type CallErrorInit } from "#shared/api/call-error.ts";
import { explainSignIn } from "./sign-in-page.tsx";
import { EMAIL_TAKEN, MAIL_FAILED, MAIL_LIMITED, explainSignUp } from "./sign-up/sign-up-page.tsx";

const failed = (parts: Partial<CallErrorInit>) => new CallError({ kind: "http", status: 400, message: "", ...parts });

describe("explaining a failed sign-in", () => {
  test.each([
    [
      "AUTH-41: a refusal is always Invalid credentials",
      failed({ status: 401, code: "sign-in.refused", message: "No such user" }),
      "Invalid credentials",
      false,
    ],
    [
      "AUTH-40: so is one without a message",
      failed({ status: 400, message: "400 Bad Request" }),
      "Invalid credentials",
      false,
    ],
    ["AUTH-42: a body that is not JSON", failed({ status: 502, text: "<html>" }), "Server error: 502", false],
    [
      "AUTH-43, OPEN-71: no answer at all",
      new CallError({ kind: "network", message: "x" }),
      "Network error: Please check if the backend server is running and CORS is properly configured.",
      false,
    ],
    [
      "AUTH-19: an unreadable token",
      new CallError({ kind: "unreadable", message: "Invalid token received" }),
      "Invalid token received",
      false,
    ],
    [
      "OPEN-10: a disabled account is a step of its own",
      failed({ status: 403, code: "account.disabled", message: "This account is disabled." }),
      "This account is disabled.",
      true,
    ],
    [
      "OPEN-10: too many tries are a step of their own",
      failed({ status: 429, message: "Rate limit exceeded. Retry in 8 seconds." }),
      "Rate limit exceeded. Retry in 8 seconds.",
      true,
    ],
    [
      "a server that is busy says so",
      failed({ status: 503, code: "sign-in.busy", message: "Please try again." }),
      "Please try again.",
      false,
    ],
  ])("%s", (_, error, text, isStep) => expect(explainSignIn(error)).toEqual({ text, isStep }));
});

describe("explaining a failed sign-up", () => {
  test.each([
    ["SIGNUP-18: already exists", { message: "User already exists" }, EMAIL_TAKEN, false],
    ["SIGNUP-18: duplicate", { message: "duplicate key" }, EMAIL_TAKEN, false],
    [
      "OPEN-16: already exists is checked before email",
      { message: "An account with this email already exists" },
      EMAIL_TAKEN,
      false,
    ],
    ["SIGNUP-15: rate limit", { message: "email rate limit exceeded" }, MAIL_LIMITED, true],
    ["SIGNUP-16: sending", { message: "Error sending confirmation" }, MAIL_FAILED, true],
    ["SIGNUP-16: email", { message: "confirmation email failed" }, MAIL_FAILED, true],
    ["SIGNUP-19: any other message is shown itself", { message: "The moon is full" }, "The moon is full", false],
    ["SIGNUP-19: without one", { message: "" }, "Failed to create account", false],
    [
      "SIGNUP-19: the status alone is no message",
      { status: 500, message: "500 Internal Server Error" },
      "Failed to create account",
      false,
    ],
    ["OPEN-15: by code", { code: "account.exists", message: "x" }, EMAIL_TAKEN, false],
    [
      "OPEN-13: with a code the words decide nothing",
      { code: "request.too-many", status: 429, message: "Rate limit exceeded. Retry in 3 seconds." },
      "Rate limit exceeded. Retry in 3 seconds.",
      false,
    ],
    [
      "AUTH-46: validation errors are joined",
      {
        code: "request.invalid",
        message: "x",
        errors: [
          { path: "email", msg: "is odd" },
          { path: "role", msg: "is unknown" },
        ],
      },
      "Validation errors: email: is odd, role: is unknown",
      false,
    ],
  ] as const)("%s", (_, parts, text, mayExist) =>
    expect(explainSignUp(failed({ ...parts, errors: "errors" in parts ? [...parts.errors] : [] }))).toEqual({
      text,
      mayExist,
    }),
  );
});
