// Stores the token and the auth state between page loads: in local storage when remembered, else in this tab's
// session storage (OPEN-08).
import type { SessionUser } from "./token.ts";

/** The token under its own key (AUTH-27). */
export const TOKEN_KEY = "strongroom.token";
/** User and token together (AUTH-26). */
export const AUTH_KEY = "strongroom.auth";

function read(storage: Storage, key: string): string | null {
  try {
    return storage.getItem(key);
  } catch {
    // The browser may forbid storage; then no sign-in is remembered.
    return null;
  }
}

/** The stored token; this tab's own takes precedence. */
export function storedToken(): string | null {
  return read(sessionStorage, TOKEN_KEY) ?? read(localStorage, TOKEN_KEY);
}

/** Whether the stored token is kept after this tab closes. */
export const isRemembered = (): boolean =>
  read(sessionStorage, TOKEN_KEY) === null && read(localStorage, TOKEN_KEY) !== null;

export function storeToken(token: string, user: SessionUser, isRemembered: boolean): void {
  clearStoredToken();
  const storage = isRemembered ? localStorage : sessionStorage;
  storage.setItem(TOKEN_KEY, token);
  storage.setItem(AUTH_KEY, JSON.stringify({ user, token }));
}

export function clearStoredToken(): void {
  for (const storage of [sessionStorage, localStorage]) {
    storage.removeItem(TOKEN_KEY);
    storage.removeItem(AUTH_KEY);
  }
}
