// Signs a user in for a test, with a token shaped like the server's (unsigned: the browser only reads it).
import type { Role } from "@strongroom/contract";
import { cleanup } from "@testing-library/react";
import { restoreSession, startSession } from "#shared/session/session-store.ts";

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

export const TEST_USER = {
  id: "11111111-1111-4111-8111-111111111111",
  email: "dana@example.test",
  role: "user" as Role,
  name: "Dana Test",
};

export interface TokenClaims {
  id?: string;
  email?: string;
  role?: Role;
  name?: string | undefined;
  /** Seconds since 1970. */
  exp?: number;
  sid?: string;
}

export function testToken(claims: TokenClaims = {}): string {
  const now = Math.floor(Date.now() / 1000);
  const payload = { ...TEST_USER, iat: now, exp: now + 3600, sid: "22222222-2222-4222-8222-222222222222", ...claims };
  return `${base64url({ alg: "EdDSA", typ: "JWT" })}.${base64url(payload)}.test`;
}

export function signInForTest(claims: TokenClaims = {}): void {
  startSession(testToken(claims), true);
}

/** Signs out, as on a first visit. It unmounts the screen first, which may need a user. */
export function signOutForTest(): void {
  cleanup();
  localStorage.clear();
  sessionStorage.clear();
  restoreSession();
}
