import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { signInForTest, signOutForTest, testToken } from "#app/testing/sign-in.ts";
import { configureCalls } from "#shared/api/call.ts";
import { currentSession, startSession } from "./session-store.ts";
import { SIGNED_OUT_KEY, followExpiry, followOtherTabs, leaveEndedSession, signOut } from "./sign-out.ts";
import { TOKEN_KEY } from "./token-storage.ts";

let api: TestApi;
let unfollow: () => void;
beforeEach(async () => {
  api = await startApi({ "POST /api/v1/auth/logout": { json: { message: "Signed out", provider: null } } });
  configureCalls({ token: () => currentSession().token });
  unfollow = followOtherTabs();
});
afterEach(async () => {
  unfollow();
  signOutForTest();
  await api.close();
});

/** Simulates a write by another tab. */
const otherTabWrote = (key: string, newValue: string) =>
  window.dispatchEvent(new StorageEvent("storage", { key, newValue }));

describe("signing out", () => {
  test("AUTH-34: sends the logout call with the token", async () => {
    signInForTest();
    const { token } = currentSession();
    await signOut("person");
    expect(api.requests[0]?.headers.authorization).toBe(`Bearer ${token}`);
    expect(currentSession()).toMatchObject({ status: "signed-out", by: "person" });
  });

  test("AUTH-34: sends no call without a token", async () => {
    signOutForTest();
    await signOut("person");
    expect(api.requests).toHaveLength(0);
  });

  test("SHELL-27: a session end reported by the server does not replace the user's own sign-out", async () => {
    signInForTest();
    const leaving = signOut("person");
    leaveEndedSession("server");
    expect(currentSession().status).toBe("signed-in");
    await leaving;
    expect(currentSession()).toMatchObject({ status: "signed-out", by: "person" });
  });

  test("AUTH-33, AUTH-35: clears token and user even if the logout call fails", async () => {
    api.on("POST /api/v1/auth/logout", problem(500, "internal", "Broken"));
    signInForTest();
    await signOut("person");
    expect(currentSession().status).toBe("signed-out");
    expect(localStorage.getItem(TOKEN_KEY)).toBeNull();
  });
});

describe("several tabs", () => {
  test("signing out in one tab signs out the others", () => {
    signInForTest();
    otherTabWrote(SIGNED_OUT_KEY, JSON.stringify({ by: "person", sessionId: null, at: 1 }));
    expect(currentSession()).toMatchObject({ status: "signed-out", by: "person" });
  });

  test("a session ended by the server signs out only the tabs that share it", () => {
    signInForTest({ sid: "44444444-4444-4444-8444-444444444444" });
    otherTabWrote(SIGNED_OUT_KEY, JSON.stringify({ by: "server", sessionId: "55555555-5555-4555-8555-555555555555" }));
    expect(currentSession().status).toBe("signed-in");
    otherTabWrote(SIGNED_OUT_KEY, JSON.stringify({ by: "server", sessionId: "44444444-4444-4444-8444-444444444444" }));
    expect(currentSession()).toMatchObject({ status: "signed-out", by: "server" });
  });

  test("a remembered sign-in in one tab signs in the others", () => {
    signOutForTest();
    const token = testToken();
    localStorage.setItem(TOKEN_KEY, token);
    otherTabWrote(TOKEN_KEY, token);
    expect(currentSession().status).toBe("signed-in");
  });
});

test("a late 401 for an earlier token does not end the current session", () => {
  signInForTest();
  leaveEndedSession("server", "an older token");
  expect(currentSession().status).toBe("signed-in");
  leaveEndedSession("server", currentSession().token);
  expect(currentSession()).toMatchObject({ status: "signed-out", by: "server" });
});

test("a session ends when its token expires", () => {
  vi.useFakeTimers();
  const stop = followExpiry();
  try {
    startSession(testToken({ exp: Math.floor(Date.now() / 1000) + 40 * 86_400 }), true);
    vi.advanceTimersByTime(39 * 86_400_000);
    expect(currentSession().status).toBe("signed-in");
    vi.advanceTimersByTime(86_400_000 + 1000);
    expect(currentSession()).toMatchObject({ status: "signed-out", by: "expiry" });
  } finally {
    stop();
    vi.useRealTimers();
  }
});
