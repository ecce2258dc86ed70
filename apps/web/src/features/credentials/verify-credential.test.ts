import { describe, expect, test } from "vitest";
import { aVerifyReply } from "./testing/a-credential.ts";
import { noticeOfFailedCall, noticeOfReply } from "./verify-credential.ts";

describe("what is told after a verification", () => {
  test("VAULT-28: success in the list names the credential", () => {
    const notice = noticeOfReply("db", aVerifyReply({ success: true, outcome: "verified" }), "list");
    expect(notice).toEqual({ kind: "success", text: 'Verification successful for "db"' });
  });

  test("VAULT-29: success on the detail page does not", () => {
    const notice = noticeOfReply("db", aVerifyReply({ success: true, outcome: "verified" }), "detail");
    expect(notice).toEqual({ kind: "success", text: "Verification completed successfully" });
  });

  test.each(["list", "detail"] as const)("VAULT-30: failure in the %s says why", (place) => {
    const notice = noticeOfReply("db", aVerifyReply({ message: "The password is wrong." }), place);
    expect(notice).toEqual({ kind: "error", text: 'Verification failed for "db": The password is wrong.' });
  });

  test("API-13: the reason is the first of data.error, data.message, error and message", () => {
    const reply = aVerifyReply({ error: "a", message: "b" });
    const withReply = (error: string | null, message: string) =>
      noticeOfReply("db", { ...reply, error: "c", message: "d", data: { ...reply.data, error, message } }, "list").text;
    expect(withReply("a", "b")).toMatch(/: a$/);
    expect(withReply(null, "b")).toMatch(/: b$/);
    expect(withReply(null, "")).toMatch(/: c$/);
  });

  test('VAULT-31: without any reason it is "Unknown error"', () => {
    const reply = aVerifyReply({ error: null, message: "" });
    const silent = { ...reply, error: null, message: " " };
    expect(noticeOfReply("db", silent, "list").text).toBe('Verification failed for "db": Unknown error');
  });

  test('VAULT-31: a failed call is told by its message, else "Verification failed"', () => {
    expect(noticeOfFailedCall("db", new Error("Too slow")).text).toBe('Verification failed for "db": Too slow');
    expect(noticeOfFailedCall("db", undefined).text).toBe('Verification failed for "db": Verification failed');
    expect(noticeOfFailedCall("db", new Error("")).kind).toBe("error");
  });

  test("a type without a connector was not tried, so it did not fail", () => {
    const reply = aVerifyReply({ outcome: "unsupported", message: "Oracle cannot be verified yet.", error: null });
    expect(noticeOfReply("erp", reply, "list")).toEqual({
      kind: "custom",
      text: '"erp" was not verified: Oracle cannot be verified yet.',
    });
  });
});
