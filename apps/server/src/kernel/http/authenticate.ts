// From a request to who makes it. The feature that knows sessions provides the look-up.
import type { FastifyRequest } from "fastify";
import type { Actor } from "../authz/actor.ts";
import { clientAddress } from "./client-address.ts";

export interface Proof {
  /** From `Authorization: Bearer …`. */
  bearer: string | null;
  /** From the HttpOnly cookie that serves only the event stream. */
  streamCookie: string | null;
  /** A call that the page makes by itself does not count as the person's activity. */
  isBackground: boolean;
  /** Where the call comes from. */
  ip: string;
}

/** Returns null when the proof is missing; throws a 401 refusal when it is there and not good. */
export type Authenticator = (proof: Proof) => Promise<Actor | null>;

export const STREAM_COOKIE = "strongroom_stream";

export const nobody: Authenticator = async () => null;

export function proofOf(request: FastifyRequest, acceptsCookie: boolean): Proof {
  const header = request.headers.authorization;
  return {
    bearer: header !== undefined && /^bearer /i.test(header) ? header.slice(7).trim() : null,
    streamCookie: acceptsCookie ? cookieOf(request.headers.cookie, STREAM_COOKIE) : null,
    isBackground: request.headers["x-background"] === "1",
    ip: clientAddress(request),
  };
}

/** Null when the header has no cookie of this name, or an empty one. */
export function cookieOf(header: string | undefined, name: string): string | null {
  for (const part of header?.split(";") ?? []) {
    const [key, ...value] = part.trim().split("=");
    if (key === name) return value.join("=") || null;
  }
  return null;
}
