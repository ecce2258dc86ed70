import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { signOutForTest, testToken } from "#app/testing/sign-in.ts";
import {
  ANSWER_WITHIN_MS,
  TAB_SESSION_KEY,
  answerNewTabs,
  restoreSessionOfBrowser,
  type HandoverChannel,
} from "./session-handover.ts";
import { currentSession, endSession, startSession } from "./session-store.ts";
import { SIGNED_OUT_KEY } from "./sign-out.ts";
import { AUTH_KEY, TOKEN_KEY } from "./token-storage.ts";

/** A channel that reaches every other channel of the test, as a BroadcastChannel reaches every other tab. */
const channels = new Set<HandoverChannel>();
const sent: unknown[] = [];
function openChannel(): HandoverChannel {
  const channel: HandoverChannel = {
    onmessage: null,
    postMessage(data) {
      sent.push(data);
      for (const other of channels) if (other !== channel) other.onmessage?.({ data } as MessageEvent);
    },
    close: () => channels.delete(channel),
  };
  channels.add(channel);
  return channel;
}

let stop: () => void = () => undefined;
beforeEach(() => {
  signOutForTest();
  vi.useFakeTimers();
});
afterEach(() => {
  stop();
  stop = () => undefined;
  channels.clear();
  sent.length = 0;
  vi.useRealTimers();
});

/** Another tab, which answers each request with these tokens. */
function anotherTab(...answers: { token: string; isVisible?: boolean }[]): void {
  localStorage.setItem(TAB_SESSION_KEY, String(Date.now() + 3_600_000));
  const channel = openChannel();
  channel.onmessage = ({ data }) => {
    if (data.kind !== "request") return;
    for (const { token, isVisible = true } of answers) {
      channel.postMessage({ kind: "token", id: data.id, token, isVisible });
    }
  };
}

test("OPEN-08: a new tab continues the session of another tab, in its own storage only", async () => {
  const token = testToken({ name: "Mia" });
  anotherTab({ token });
  await restoreSessionOfBrowser(openChannel);
  expect(currentSession()).toMatchObject({ status: "signed-in", user: { name: "Mia" } });
  expect(sessionStorage.getItem(TOKEN_KEY)).toBe(token);
  expect([TOKEN_KEY, AUTH_KEY].map((key) => localStorage.getItem(key))).toEqual([null, null]);
});

test("a signed-in tab answers, and announces when its token expires", async () => {
  stop = answerNewTabs(openChannel);
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const token = testToken({ exp });
  startSession(token, false);
  expect(localStorage.getItem(TAB_SESSION_KEY)).toBe(String(exp * 1000));
  openChannel().postMessage({ kind: "request", id: "a request" });
  expect(sent.at(-1)).toMatchObject({ kind: "token", id: "a request", token });
});

test("a signed-out tab and a tab with a remembered sign-in do not answer", () => {
  stop = answerNewTabs(openChannel);
  openChannel().postMessage({ kind: "request", id: "a request" });
  startSession(testToken(), true);
  openChannel().postMessage({ kind: "request", id: "another request" });
  expect(sent).toHaveLength(2);
  expect(localStorage.getItem(TAB_SESSION_KEY)).toBeNull();
});

test("without another signed-in tab no request is sent, and the user is signed out immediately", () => {
  void restoreSessionOfBrowser(openChannel);
  expect(currentSession()).toMatchObject({ status: "signed-out", by: "start" });
  expect(sent).toEqual([]);
});

test("AUTH-29: when no tab answers, the user is signed out after a second", async () => {
  localStorage.setItem(TAB_SESSION_KEY, String(Date.now() + 3_600_000));
  const restored = restoreSessionOfBrowser(openChannel);
  await vi.advanceTimersByTimeAsync(ANSWER_WITHIN_MS);
  await restored;
  expect(currentSession()).toMatchObject({ status: "signed-out", by: "start" });
});

test("ending the session withdraws the announcement", () => {
  stop = answerNewTabs(openChannel);
  startSession(testToken(), false);
  endSession("person");
  expect(localStorage.getItem(TAB_SESSION_KEY)).toBeNull();
});

test("a tab that is still signed in repeats an announcement that another tab withdrew", () => {
  stop = answerNewTabs(openChannel);
  startSession(testToken(), false);
  localStorage.removeItem(TAB_SESSION_KEY);
  window.dispatchEvent(new StorageEvent("storage", { key: TAB_SESSION_KEY, newValue: null }));
  expect(localStorage.getItem(TAB_SESSION_KEY)).not.toBeNull();
});

test.each([
  ["is not a token", "garbage"],
  ["has expired", testToken({ exp: 1 })],
])("an answer that %s is ignored", async (_, token) => {
  anotherTab({ token });
  const restored = restoreSessionOfBrowser(openChannel);
  await vi.advanceTimersByTimeAsync(ANSWER_WITHIN_MS);
  await restored;
  expect(currentSession().status).toBe("signed-out");
});

test("the visible tab's session takes precedence over a hidden tab's", async () => {
  anotherTab({ token: testToken({ name: "Hidden" }), isVisible: false }, { token: testToken({ name: "Visible" }) });
  await restoreSessionOfBrowser(openChannel);
  expect(currentSession().user?.name).toBe("Visible");
});

test("restores the session from a hidden tab if no visible tab answers", async () => {
  anotherTab({ token: testToken({ name: "Hidden" }), isVisible: false });
  const restored = restoreSessionOfBrowser(openChannel);
  await vi.advanceTimersByTimeAsync(200);
  await restored;
  expect(currentSession().user?.name).toBe("Hidden");
});

test("a sign-out while a new tab waits keeps that tab signed out", async () => {
  anotherTab({ token: testToken(), isVisible: false });
  const restored = restoreSessionOfBrowser(openChannel);
  localStorage.setItem(SIGNED_OUT_KEY, JSON.stringify({ by: "person", sessionId: null, at: 1 }));
  await vi.advanceTimersByTimeAsync(200);
  await restored;
  expect(currentSession().status).toBe("signed-out");
});
