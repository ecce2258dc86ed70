// The cookie that authenticates EventSources and WebSockets, which cannot send a header, and nothing else (OPEN-138).
import { STREAM_COOKIE } from "#kernel/http/authenticate.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { SessionsTable } from "./sessions.store.ts";

/** Returns the value of `Set-Cookie`. A remembered session's cookie survives closing the browser; others do not. */
export function streamCookie(kernel: Pick<Kernel, "publicUrl">, secret: string, session: SessionsTable): string {
  const life = session.expires_at.getTime() - session.created_at.getTime();
  return cookie(kernel, secret, session.is_remembered ? Math.floor(life / 1000) : null);
}

/** Returns the value of `Set-Cookie` that removes the cookie. */
export const noStreamCookie = (kernel: Pick<Kernel, "publicUrl">): string => cookie(kernel, "", 0);

function cookie(kernel: Pick<Kernel, "publicUrl">, value: string, maxAgeSeconds: number | null): string {
  return [
    `${STREAM_COOKIE}=${value}`,
    "Path=/api/v1",
    "HttpOnly",
    "SameSite=Strict",
    ...(kernel.publicUrl().startsWith("https:") ? ["Secure"] : []),
    ...(maxAgeSeconds === null ? [] : [`Max-Age=${maxAgeSeconds}`]),
  ].join("; ");
}
