// Identifies the caller of a request. The sign-in feature provides the look-up.
import type { FastifyRequest } from "fastify";
import type { Actor } from "../authz/actor.ts";
import { clientAddress } from "./client-address.ts";

export interface Proof {
  /** From `Authorization: Bearer …`. */
  bearer: string | null;
  /** From the HttpOnly cookie that serves only event streams and WebSockets. */
  streamCookie: string | null;
  /** True for calls that the page makes automatically; they do not count as user activity. */
  isBackground: boolean;
  /** The client's address. */
  ip: string;
}

/** Returns null without credentials. Throws a 401 refusal for invalid credentials. */
export type Authenticator = (proof: Proof) => Promise<Actor | null>;

export const STREAM_COOKIE = "strongroom_stream";

export const anonymous: Authenticator = async () => null;

export function proofOf(request: FastifyRequest, acceptsCookie: boolean): Proof {
  const header = request.headers.authorization;
  return {
    bearer: header !== undefined && /^bearer /i.test(header) ? header.slice(7).trim() : null,
    streamCookie: acceptsCookie ? cookieOf(request.headers.cookie, STREAM_COOKIE) : null,
    isBackground: request.headers["x-background"] === "1",
    ip: clientAddress(request),
  };
}

/** Null if the header has no cookie of this name, or only an empty one. */
export function cookieOf(header: string | undefined, name: string): string | null {
  for (const part of header?.split(";") ?? []) {
    const [key, ...value] = part.trim().split("=");
    if (key === name) return value.join("=") || null;
  }
  return null;
}
