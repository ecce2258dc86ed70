// The app's session state: loading, signed out or signed in (AUTH-25 to AUTH-33).
import { useSyncExternalStore } from "react";
import { CallError } from "#shared/api/call-error.ts";
import { clearStoredToken, isRemembered, storeToken, storedToken } from "./token-storage.ts";
import { INVALID_TOKEN, decodeToken, isExpired, type DecodedToken, type SessionUser } from "./token.ts";

/** Why the user is signed out; only `person` discards the page to return to. */
export type SignedOutBy = "start" | "person" | "inactivity" | "server" | "expiry";

/** The identity provider of the ended session, which may still have its own session in this browser. */
export interface ProviderSession {
  id: string;
  name: string;
}

export type Session =
  | { status: "loading"; user: null; token: null }
  | { status: "signed-out"; user: null; token: null; by: SignedOutBy; provider: ProviderSession | null }
  | { status: "signed-in"; user: SessionUser; token: string; decoded: DecodedToken };

let session: Session = { status: "loading", user: null, token: null };
const listeners = new Set<() => void>();

function set(next: Session): void {
  session = next;
  for (const listener of listeners) listener();
}

export const currentSession = (): Session => session;

export function subscribeToSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useSession = (): Session => useSyncExternalStore(subscribeToSession, currentSession);

/** The signed-in user. Throws outside a protected page, which is a bug. */
export function useUser(): SessionUser {
  const { user } = useSession();
  if (user === null) throw new Error("useUser outside a protected page");
  return user;
}

/**
 * Checks the stored token: a missing, unreadable or expired one means signed out, otherwise signed in without a call.
 */
export function restoreSession(now: number = Date.now()): void {
  const token = storedToken();
  const decoded = token === null ? null : decodeToken(token);
  if (token === null || decoded === null || isExpired(decoded, now)) {
    if (token !== null) clearStoredToken();
    set({ status: "signed-out", user: null, token: null, by: token === null ? "start" : "expiry", provider: null });
    return;
  }
  set({ status: "signed-in", user: decoded.user, token, decoded });
}

/**
 * Starts a session after a sign-in. Throws `CallError` "Invalid token received" when the token cannot be read
 * (AUTH-19).
 */
export function startSession(token: string, isRemembered: boolean): SessionUser {
  const decoded = decodeToken(token);
  if (decoded === null) throw new CallError({ kind: "unreadable", message: INVALID_TOKEN });
  storeToken(token, decoded.user, isRemembered);
  set({ status: "signed-in", user: decoded.user, token, decoded });
  return decoded.user;
}

/** Continues the session with a different token, such as one with a new name, in the same storage. */
export function renewToken(token: string): SessionUser {
  return startSession(token, isRemembered());
}

/** Deletes token and user in this tab. `signOut` also notifies the server. */
export function endSession(by: SignedOutBy, provider: ProviderSession | null = null): void {
  clearStoredToken();
  set({ status: "signed-out", user: null, token: null, by, provider });
}
