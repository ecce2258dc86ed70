import { describe, expect, test } from "vitest";
import { aVerifyReply } from "../testing/a-credential.ts";
import { noticeOfFailedCall, noticeOfReply } from "./verify-credential.ts";

describe("the toast after a verification", () => {
  test("VAULT-28: names the credential after a success in the list", () => {
    const notice = noticeOfReply("db", aVerifyReply({ success: true, outcome: "verified" }), "list");
    expect(notice).toEqual({ kind: "success", text: 'Verification successful for "db"' });
  });

  test("VAULT-29: does not name the credential after a success on the detail page", () => {
    const notice = noticeOfReply("db", aVerifyReply({ success: true, outcome: "verified" }), "detail");
    expect(notice).toEqual({ kind: "success", text: "Verification completed successfully" });
  });

  test.each(["list", "detail"] as const)("VAULT-30: gives the reason of a failure (%s)", (place) => {
    const notice = noticeOfReply("db", aVerifyReply({ message: "The password is wrong." }), place);
    expect(notice).toEqual({ kind: "error", text: 'Verification failed for "db": The password is wrong.' });
  });

  test("API-13: takes the reason from data.error, data.message, error or message, in this order", () => {
    const reply = aVerifyReply({ error: "a", message: "b" });
    const withReply = (error: string | null, message: string) =>
      noticeOfReply("db", { ...reply, error: "c", message: "d", data: { ...reply.data, error, message } }, "list").text;
    expect(withReply("a", "b")).toMatch(/: a$/);
    expect(withReply(null, "b")).toMatch(/: b$/);
    expect(withReply(null, "")).toMatch(/: c$/);
  });

  test('VAULT-31: gives "Unknown error" when there is no reason', () => {
    const reply = aVerifyReply({ error: null, message: "" });
    const silent = { ...reply, error: null, message: " " };
    expect(noticeOfReply("db", silent, "list").text).toBe('Verification failed for "db": Unknown error');
  });

  test('VAULT-31: returns the message of a failed call, or else "Verification failed"', () => {
    expect(noticeOfFailedCall("db", new Error("Too slow")).text).toBe('Verification failed for "db": Too slow');
    expect(noticeOfFailedCall("db", undefined).text).toBe('Verification failed for "db": Verification failed');
    expect(noticeOfFailedCall("db", new Error("")).kind).toBe("error");
  });

  test("does not report a failure for a type without a connector", () => {
    const reply = aVerifyReply({ outcome: "unsupported", message: "Oracle cannot be verified yet.", error: null });
    expect(noticeOfReply("erp", reply, "list")).toEqual({
      kind: "custom",
      text: '"erp" was not verified: Oracle cannot be verified yet.',
    });
  });
});
