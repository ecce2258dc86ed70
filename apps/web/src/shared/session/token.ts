// Decodes the sign-in token in the browser: user and expiry. The server verifies it at every call.
import { TokenPayload } from "@strongroom/contract";
import type { Role } from "@strongroom/contract";

export interface SessionUser {
  id: string;
  email: string;
  role: Role;
  name: string;
}

export interface DecodedToken {
  user: SessionUser;
  /** Milliseconds since 1970. */
  expiresAt: number;
  sessionId: string;
}

export const INVALID_TOKEN = "Invalid token received";

/** AUTH-24: defaults to the part of the email before the "@". */
const nameOf = (payload: TokenPayload): string =>
  payload.name?.trim() || (payload.email.split("@")[0] ?? payload.email);

/** The payload of a JWT (RFC 7519 §3), or null when the text does not match the contract. */
export function decodeToken(token: string): DecodedToken | null {
  const [, payload] = token.split(".");
  if (payload === undefined) return null;
  let claims: unknown;
  try {
    const bytes = Uint8Array.from(atob(payload.replace(/-/g, "+").replace(/_/g, "/")), (char) => char.charCodeAt(0));
    claims = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    // Not base64url or not JSON, so not a token of this server.
    return null;
  }
  const parsed = TokenPayload.safeParse(claims);
  if (!parsed.success) return null;
  const { id, email, role, exp, sid } = parsed.data;
  return { user: { id, email, role, name: nameOf(parsed.data) }, expiresAt: exp * 1000, sessionId: sid };
}

/** AUTH-31: `exp` earlier than now. */
export const isExpired = (token: DecodedToken, now: number): boolean => token.expiresAt < now;
