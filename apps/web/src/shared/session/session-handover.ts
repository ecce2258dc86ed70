// Signs in a new tab of the same browser session by requesting the token from other tabs, the only places that have
// it (decision 0036).
import { currentSession, restoreSession, startSession, subscribeToSession } from "./session-store.ts";
import { SIGNED_OUT_KEY } from "./sign-out.ts";
import { isRemembered, storedToken } from "./token-storage.ts";
import { decodeToken, isExpired } from "./token.ts";

const CHANNEL_NAME = "strongroom.session";
/**
 * The time at which the token of an open tab expires, in milliseconds since 1970. Without it, a new tab sends no
 * request and does not wait.
 */
export const TAB_SESSION_KEY = "strongroom.tab-session";
/** Milliseconds. Browsers run the timers of hidden tabs once a second, but deliver messages immediately. */
export const ANSWER_WITHIN_MS = 1000;
/**
 * Milliseconds. After a hidden tab's answer, the visible tab that the user came from may still answer with another
 * user's session.
 */
const VISIBLE_ANSWER_WITHIN_MS = 150;

type Message =
  | { kind: "request"; id: string }
  /** `id` is that of the request. */
  | { kind: "token"; id: string; token: string; isVisible: boolean };

/** The part of the browser's BroadcastChannel in use. */
export interface HandoverChannel {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage: (message: Message) => void;
  close: () => void;
}
type OpenChannel = () => HandoverChannel | null;

const openBrowserChannel: OpenChannel = () =>
  typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(CHANNEL_NAME);

/** This tab's token if it is only in this tab's storage, else null. */
function tokenOfThisTab(): string | null {
  const session = currentSession();
  return session.status === "signed-in" && !isRemembered() ? session.token : null;
}

function announce(): void {
  const session = currentSession();
  if (session.status === "signed-out") localStorage.removeItem(TAB_SESSION_KEY);
  if (session.status !== "signed-in" || isRemembered()) return;
  localStorage.setItem(TAB_SESSION_KEY, String(session.decoded.expiresAt));
}

/** Answers new tabs while this one is signed in. Returns a function that stops answering. */
export function answerNewTabs(openChannel: OpenChannel = openBrowserChannel): () => void {
  const channel = openChannel();
  if (channel === null) return () => undefined;
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    const token = tokenOfThisTab();
    if (data.kind !== "request" || token === null) return;
    // INVARIANT: the token leaves this tab only by the channel, which reaches tabs of this origin and browser profile alone.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target origin: it is its own
    channel.postMessage({ kind: "token", id: data.id, token, isVisible: document.visibilityState === "visible" });
  };
  // Another tab ended its own session, or gave up waiting for this busy tab.
  const onStorage = ({ key, newValue }: StorageEvent) => {
    if (key === TAB_SESSION_KEY && newValue === null && tokenOfThisTab() !== null) announce();
  };
  window.addEventListener("storage", onStorage);
  const unsubscribe = subscribeToSession(announce);
  announce();
  return () => {
    unsubscribe();
    window.removeEventListener("storage", onStorage);
    channel.close();
  };
}

/** The token of another tab, or null when no tab answers in time. */
function askOtherTabs(channel: HandoverChannel): Promise<string | null> {
  const id = crypto.randomUUID();
  const signedOutBefore = localStorage.getItem(SIGNED_OUT_KEY);
  return new Promise((resolve) => {
    let answer: string | null = null;
    const end = () => {
      clearTimeout(timer);
      channel.close();
      // A tab signed out after answering, so its session has ended.
      resolve(localStorage.getItem(SIGNED_OUT_KEY) === signedOutBefore ? answer : null);
    };
    let timer = setTimeout(end, ANSWER_WITHIN_MS);
    channel.onmessage = ({ data }: MessageEvent<Message>) => {
      if (data.kind !== "token" || data.id !== id) return;
      const decoded = decodeToken(data.token);
      if (decoded === null || isExpired(decoded, Date.now())) return;
      if (answer !== null && !data.isVisible) return;
      const isFirst = answer === null;
      answer = data.token;
      if (data.isVisible) return end();
      if (!isFirst) return;
      clearTimeout(timer);
      timer = setTimeout(end, VISIBLE_ANSWER_WITHIN_MS);
    };
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target origin: it is its own
    channel.postMessage({ kind: "request", id });
  });
}

/**
 * Like `restoreSession`; without a stored token, continues the session of another open tab. The session is "loading"
 * until then.
 */
export async function restoreSessionOfBrowser(openChannel: OpenChannel = openBrowserChannel): Promise<void> {
  const mayBeAnswered = Number(localStorage.getItem(TAB_SESSION_KEY)) > Date.now();
  const channel = storedToken() === null && mayBeAnswered ? openChannel() : null;
  if (channel === null) {
    restoreSession();
    return;
  }
  const token = await askOtherTabs(channel);
  // Another tab may have stored a remembered sign-in in the meantime.
  if (token === null || storedToken() !== null) restoreSession();
  else startSession(token, false);
}
