// Ends a session: in this tab, on the server and in the other tabs of this browser.
import { logout } from "@strongroom/contract";
import { call } from "#shared/api/call.ts";
import {
  currentSession,
  endSession,
  restoreSession,
  subscribeToSession,
  type ProviderSession,
  type SignedOutBy,
} from "./session-store.ts";
import { TOKEN_KEY } from "./token-storage.ts";

/** Written when a session ends, to notify the other tabs (including those with their own token). */
export const SIGNED_OUT_KEY = "strongroom.signed-out";

interface Farewell {
  by: SignedOutBy;
  /** Ends only tabs with this session; null ends all. */
  sessionId: string | null;
}

function notifyOtherTabs(farewell: Farewell): void {
  localStorage.setItem(SIGNED_OUT_KEY, JSON.stringify({ ...farewell, at: Date.now() }));
}

/** True during a sign-out by the user: a session end reported by the server must not replace that reason. */
let isSigningOut = false;

/**
 * Signs out everywhere in this browser. Token and user are cleared even if the logout call fails (AUTH-33); the call
 * is sent only with a token (AUTH-34) and its failure is ignored (AUTH-35). Throws only when the browser refuses to
 * clear its storage.
 */
export async function signOut(by: "person" | "inactivity"): Promise<void> {
  const { status } = currentSession();
  isSigningOut = true;
  let provider: ProviderSession | null = null;
  try {
    // Notifies the other tabs before the server does, so that they have the correct reason.
    notifyOtherTabs({ by, sessionId: null });
  } finally {
    if (status === "signed-in") provider = (await call(logout).catch(() => undefined))?.provider ?? null;
    isSigningOut = false;
    endSession(by, provider);
  }
}

/** For a session that the server has ended: sends no call, and ends only the tabs that share it. */
export function leaveEndedSession(by: "server" | "expiry", token: string | null = null): void {
  const session = currentSession();
  if (session.status !== "signed-in" || isSigningOut) return;
  // A late reply to a call of an earlier session must not end this one.
  if (token !== null && token !== session.token) return;
  endSession(by);
  notifyOtherTabs({ by, sessionId: session.decoded.sessionId });
}

function onFarewell(text: string): void {
  const session = currentSession();
  if (session.status !== "signed-in") return;
  const { by, sessionId } = JSON.parse(text) as Farewell;
  if (sessionId === null || sessionId === session.decoded.sessionId) endSession(by);
}

/** Follows sign-outs and remembered sign-ins in other tabs. Returns a function that stops following. */
export function followOtherTabs(): () => void {
  const onStorage = (event: StorageEvent) => {
    if (event.key === SIGNED_OUT_KEY && event.newValue !== null) onFarewell(event.newValue);
    const isSignIn = event.key === TOKEN_KEY && event.newValue !== null;
    if (isSignIn && currentSession().status === "signed-out") restoreSession();
  };
  window.addEventListener("storage", onStorage);
  return () => window.removeEventListener("storage", onStorage);
}

/** Ends the session when its token expires. Returns a function that cancels the timer. */
export function followExpiry(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const arm = () => {
    clearTimeout(timer);
    const session = currentSession();
    if (session.status !== "signed-in") return;
    const left = session.decoded.expiresAt - Date.now();
    if (left <= 0) {
      leaveEndedSession("expiry");
      return;
    }
    // Browsers store a timer's delay in 32 bits; a longer one would fire immediately.
    timer = setTimeout(arm, Math.min(left + 1, 2 ** 31 - 1));
  };
  const unsubscribe = subscribeToSession(arm);
  arm();
  return () => {
    clearTimeout(timer);
    unsubscribe();
  };
}
