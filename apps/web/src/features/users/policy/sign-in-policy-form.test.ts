import { expect, test } from "vitest";
import { boundsOf, checkPolicy, policyOf, valuesOf } from "./sign-in-policy-form.ts";
import { usualPolicy } from "../testing/a-policy.ts";

/** In the form's representation. */
const policy = { ...usualPolicy, allowed_networks: "", sign_up_domains: "" };

test("the default policy is valid", () => {
  expect(checkPolicy(policy)).toEqual({});
});

test("uses the contract's bounds", () => {
  expect(boundsOf("timeout_minutes")).toEqual({ min: 5, max: 1440 });
  expect(boundsOf("session_hours")).toEqual({ min: 1, max: 12 });
});

test.each([Number.NaN, 0, 13, 1.5])("OPEN-08: rejects a session of %d hours and shows the bounds", (session_hours) => {
  expect(checkPolicy({ ...policy, session_hours })).toEqual({ session_hours: "Enter a whole number from 1 to 12" });
});

test("OPEN-03: the warning must come before the timeout", () => {
  expect(checkPolicy({ ...policy, warning_minutes: 30 })).toEqual({
    warning_minutes: "The warning must come before the timeout.",
  });
});

test("networks are entered one per line, and a single address is a network of one", () => {
  const typed = { ...policy, allowed_networks: " 10.0.0.0/8\n192.0.2.7, 2001:db8::1\n\n10.0.0.0/8 " };
  const { allowed_networks } = policyOf(typed);
  expect(allowed_networks).toEqual(["10.0.0.0/8", "192.0.2.7/32", "2001:db8::1/128"]);
  expect(checkPolicy(typed)).toEqual({});
  expect(valuesOf(policyOf(typed)).allowed_networks).toBe("10.0.0.0/8\n192.0.2.7/32\n2001:db8::1/128");
});

test("an invalid network is named in the error", () => {
  expect(checkPolicy({ ...policy, allowed_networks: "10.0.0.0/8\noffice" })).toEqual({
    allowed_networks: '"office/32": Must be a network such as 10.0.0.0/8 or 2001:db8::/32.',
  });
});

test("domains are separated by commas, and are sent only with the rule that uses them", () => {
  const typed = {
    ...policy,
    sign_up: "domains" as const,
    sign_up_domains: "@Corp.example, corp.example other.example",
  };
  expect(policyOf(typed).sign_up_domains).toEqual(["corp.example", "other.example"]);
  expect(policyOf({ ...typed, sign_up: "open" }).sign_up_domains).toEqual([]);
  expect(checkPolicy({ ...typed, sign_up_domains: "" })).toEqual({
    sign_up_domains: "Please enter at least one domain.",
  });
});
