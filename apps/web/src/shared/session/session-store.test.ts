import { beforeEach, describe, expect, test, vi } from "vitest";
import { testToken } from "#app/testing/sign-in.ts";
import { currentSession, endSession, restoreSession, startSession } from "./session-store.ts";
import { AUTH_KEY, TOKEN_KEY } from "./token-storage.ts";
import { decodeToken } from "./token.ts";

beforeEach(() => {
  vi.spyOn(globalThis, "fetch").mockRejectedValue(new Error("no call is expected"));
});

describe("the token", () => {
  test("AUTH-22, AUTH-23: the session user comes from the payload", () => {
    const decoded = decodeToken(
      testToken({ email: "mia@example.test", name: "Mía Łuk", role: "manager", exp: 2_000_000_000 }),
    );
    expect(decoded?.user).toMatchObject({ email: "mia@example.test", name: "Mía Łuk", role: "manager" });
    expect(decoded?.expiresAt).toBe(2_000_000_000_000);
  });

  test("AUTH-24: without a name it is the part of the email before the @", () => {
    expect(decodeToken(testToken({ name: undefined, email: "mia.luk@example.test" }))?.user.name).toBe("mia.luk");
  });

  test.each(["", "x", "a.b.c", "a.bm90IGpzb24.c", `a.${btoa(JSON.stringify({ id: "1" }))}.c`])(
    "a text that is no token of ours (%j) decodes to null",
    (text) => expect(decodeToken(text)).toBeNull(),
  );
});

describe("on start", () => {
  test("AUTH-29: without a stored token nobody is signed in", () => {
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

  test("AUTH-32: a valid token signs in with no server call", () => {
    localStorage.setItem(TOKEN_KEY, testToken({ name: "Mia" }));
    restoreSession();
    expect(currentSession()).toMatchObject({ status: "signed-in", user: { name: "Mia" } });
    expect(fetch).not.toHaveBeenCalled();
  });
});

describe("signing in", () => {
  test("OPEN-08: kept signed in, token and auth state are in local storage, each under one key", () => {
    const token = testToken();
    startSession(token, true);
    expect(localStorage.getItem(TOKEN_KEY)).toBe(token);
    expect(Object.keys(JSON.parse(localStorage.getItem(AUTH_KEY)!))).toEqual(["user", "token"]);
    expect(sessionStorage.getItem(TOKEN_KEY)).toBeNull();
  });

  test("OPEN-08: not kept, they are in this tab's session storage alone", () => {
    const token = testToken();
    startSession(token, false);
    expect(sessionStorage.getItem(TOKEN_KEY)).toBe(token);
    expect(localStorage.length).toBe(0);
  });

  test('AUTH-19: a token that cannot be decoded is "Invalid token received" and nothing is stored', () => {
    expect(() => startSession("garbage", true)).toThrow("Invalid token received");
    expect(localStorage.length).toBe(0);
  });

  test("ending a session clears token and user from both storages", () => {
    startSession(testToken(), true);
    endSession("person");
    expect([localStorage.length, sessionStorage.length, currentSession().user]).toEqual([0, 0, null]);
  });
});
