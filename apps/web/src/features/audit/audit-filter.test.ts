import { expect, test } from "vitest";
import { EVENT_CHOICES, RESULT_CHOICES, filterOf, withFilter } from "./audit-filter.ts";

test("every event that a call records can be chosen, in words", () => {
  const labels = EVENT_CHOICES.map(({ label }) => label);
  expect(labels[0]).toBe("All events");
  expect(labels).toContain("Credential revealed");
  expect(labels).toContain("Credential host key accepted");
  expect(EVENT_CHOICES.map(({ value }) => value)).not.toContain("none");
});

test("every result can be chosen", () => {
  expect(RESULT_CHOICES.map(({ label }) => label)).toEqual(["All results", "Success", "Failure", "Warning", "Info"]);
});

test("the filter stands in the address", () => {
  expect(filterOf(new URLSearchParams("event=credential.revealed&result=failure"))).toEqual({
    event: "credential.revealed",
    result: "failure",
  });
  expect(filterOf(new URLSearchParams("result=perhaps"))).toEqual({});
  const params = new URLSearchParams("result=failure");
  expect(withFilter(params, "event", "seal.sealed").toString()).toBe("result=failure&event=seal.sealed");
  expect(withFilter(params, "result", "").toString()).toBe("");
});
