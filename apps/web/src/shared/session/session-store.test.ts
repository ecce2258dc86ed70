import { beforeEach, describe, expect, test, vi } from "vitest";
import { testToken } from "#app/testing/sign-in.ts";
import { currentSession, endSession, restoreSession, startSession } from "./session-store.ts";
import { AUTH_KEY, TOKEN_KEY } from "./token-storage.ts";
import { decodeToken } from "./token.ts";

beforeEach(() => {
  vi.spyOn(globalThis, "fetch").mockRejectedValue(new Error("no call is expected"));
});

describe("the sign-in token", () => {
  test("AUTH-22, AUTH-23: the session user comes from the payload", () => {
    const decoded = decodeToken(
      testToken({ email: "mia@example.test", name: "Mía Łuk", role: "manager", exp: 2_000_000_000 }),
    );
    expect(decoded?.user).toMatchObject({ email: "mia@example.test", name: "Mía Łuk", role: "manager" });
    expect(decoded?.expiresAt).toBe(2_000_000_000_000);
  });

  test("AUTH-24: the name defaults to the part of the email before the @", () => {
    expect(decodeToken(testToken({ name: undefined, email: "mia.luk@example.test" }))?.user.name).toBe("mia.luk");
  });

  test.each(["", "x", "a.b.c", "a.bm90IGpzb24.c", `a.${btoa(JSON.stringify({ id: "1" }))}.c`])(
    "an invalid token (%j) decodes to null",
    (text) => expect(decodeToken(text)).toBeNull(),
  );
});

describe("restoring a session", () => {
  test("AUTH-29: without a stored token the user is signed out", () => {
    restoreSession();
    expect(currentSession()).toMatchObject({ status: "signed-out", by: "start" });
  });

  test("AUTH-30: a token that cannot be decoded is removed", () => {
    localStorage.setItem(TOKEN_KEY, "garbage");
    restoreSession();
    expect(currentSession().status).toBe("signed-out");
    expect(localStorage.getItem(TOKEN_KEY)).toBeNull();
  });

  test("AUTH-31: an expired token is removed", () => {
    localStorage.setItem(TOKEN_KEY, testToken({ exp: Math.floor(Date.now() / 1000) - 1 }));
    restoreSession();
    expect(currentSession()).toMatchObject({ status: "signed-out", by: "expiry" });
    expect(localStorage.getItem(TOKEN_KEY)).toBeNull();
  });

  test("AUTH-32: a valid token signs in without a server call", () => {
    localStorage.setItem(TOKEN_KEY, testToken({ name: "Mia" }));
    restoreSession();
    expect(currentSession()).toMatchObject({ status: "signed-in", user: { name: "Mia" } });
    expect(fetch).not.toHaveBeenCalled();
  });
});

describe("signing in", () => {
  test("OPEN-08: stores a remembered token and auth state in local storage, each under one key", () => {
    const token = testToken();
    startSession(token, true);
    expect(localStorage.getItem(TOKEN_KEY)).toBe(token);
    expect(Object.keys(JSON.parse(localStorage.getItem(AUTH_KEY)!))).toEqual(["user", "token"]);
    expect(sessionStorage.getItem(TOKEN_KEY)).toBeNull();
  });

  test("OPEN-08: stores them only in this tab's session storage otherwise", () => {
    const token = testToken();
    startSession(token, false);
    expect(sessionStorage.getItem(TOKEN_KEY)).toBe(token);
    expect(localStorage.length).toBe(0);
  });

  test('AUTH-19: rejects a token that cannot be decoded with "Invalid token received" and stores nothing', () => {
    expect(() => startSession("garbage", true)).toThrow("Invalid token received");
    expect(localStorage.length).toBe(0);
  });

  test("ending a session clears token and user from both storages", () => {
    startSession(testToken(), true);
    endSession("person");
    expect([localStorage.length, sessionStorage.length, currentSession().user]).toEqual([0, 0, null]);
  });
});
