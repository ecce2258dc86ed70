import { expect, test } from "vitest";
import { boundsOf, checkPolicy } from "./sign-in-policy-form.ts";

const policy = {
  timeout_minutes: 30,
  warning_minutes: 5,
  privileged_timeout_minutes: 15,
  session_hours: 12,
  remembered_days: 30,
  sign_up_open: true,
};

test("the usual policy is fine", () => {
  expect(checkPolicy(policy)).toEqual({});
});

test("the bounds are the contract's", () => {
  expect(boundsOf("timeout_minutes")).toEqual({ min: 5, max: 1440 });
  expect(boundsOf("session_hours")).toEqual({ min: 1, max: 12 });
});

test.each([Number.NaN, 0, 13, 1.5])("OPEN-08: a session of %d hours is refused with its bounds", (session_hours) => {
  expect(checkPolicy({ ...policy, session_hours })).toEqual({ session_hours: "A whole number from 1 to 12" });
});

test("OPEN-03: the warning must come before the timeout", () => {
  expect(checkPolicy({ ...policy, warning_minutes: 30 })).toEqual({
    warning_minutes: "The warning must come before the timeout.",
  });
});
