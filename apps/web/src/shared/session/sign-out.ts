// Ending a session: here, on the server and in every other tab of this browser.
import { logout } from "@strongroom/contract";
import { call } from "#shared/api/call.ts";
import {
  currentSession,
  endSession,
  restoreSession,
  subscribeToSession,
  type ProviderLeft,
  type SignedOutBy,
} from "./session-store.ts";
import { TOKEN_KEY } from "./token-storage.ts";

/** Written when a session ends, so that the other tabs hear of it (also those whose token is their own). */
export const SIGNED_OUT_KEY = "strongroom.signed-out";

interface Farewell {
  by: SignedOutBy;
  /** Ends only tabs with this session; null ends all. */
  sessionId: string | null;
}

function tellOtherTabs(farewell: Farewell): void {
  localStorage.setItem(SIGNED_OUT_KEY, JSON.stringify({ ...farewell, at: Date.now() }));
}

/** While a person signs out, the server's word that the session has ended is no news, and must not win over their wish. */
let isSigningOut = false;

/**
 * Signs out everywhere in this browser. Token and user are cleared even if the logout call fails (AUTH-33);
 * the call is made only with a token (AUTH-34) and its failure is ignored (AUTH-35).
 * Throws only when the browser refuses to clear its storage.
 */
export async function signOut(by: "person" | "inactivity"): Promise<void> {
  const { status } = currentSession();
  isSigningOut = true;
  let provider: ProviderLeft | null = null;
  try {
    // Before the server tells them that the session has ended, so that they know why.
    tellOtherTabs({ by, sessionId: null });
  } finally {
    if (status === "signed-in") provider = (await call(logout).catch(() => undefined))?.provider ?? null;
    isSigningOut = false;
    endSession(by, provider);
  }
}

/** The server does not know the session any more: no call, and only the tabs that share it end with this one. */
export function leaveEndedSession(by: "server" | "expiry", token: string | null = null): void {
  const session = currentSession();
  if (session.status !== "signed-in" || isSigningOut) return;
  // A late answer to a call of an earlier session must not end this one.
  if (token !== null && token !== session.token) return;
  endSession(by);
  tellOtherTabs({ by, sessionId: session.decoded.sessionId });
}

function onFarewell(text: string): void {
  const session = currentSession();
  if (session.status !== "signed-in") return;
  const { by, sessionId } = JSON.parse(text) as Farewell;
  if (sessionId === null || sessionId === session.decoded.sessionId) endSession(by);
}

/** Follows sign-out and remembered sign-in in other tabs. Returns how to stop. */
export function followOtherTabs(): () => void {
  const onStorage = (event: StorageEvent) => {
    if (event.key === SIGNED_OUT_KEY && event.newValue !== null) onFarewell(event.newValue);
    const isSignIn = event.key === TOKEN_KEY && event.newValue !== null;
    if (isSignIn && currentSession().status === "signed-out") restoreSession();
  };
  window.addEventListener("storage", onStorage);
  return () => window.removeEventListener("storage", onStorage);
}

/** Ends the session at the moment its token expires. Returns how to stop. */
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
    // Browsers hold a timer's delay in 32 bits: a longer one would fire at once.
    timer = setTimeout(arm, Math.min(left + 1, 2 ** 31 - 1));
  };
  const unsubscribe = subscribeToSession(arm);
  arm();
  return () => {
    clearTimeout(timer);
    unsubscribe();
  };
}
