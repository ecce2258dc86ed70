// A `fetch` for libraries that bring none of their own limits: over connections that the network policy has seen.
import { inTime, type Attempt } from "./attempt.ts";
import type { Failure, VerifyContext } from "./connector.ts";
import { misconfigured } from "./finding.ts";
import type { HttpAnswer } from "./http-exchange.ts";
import type { TlsSettings } from "./tls-settings.ts";

export interface Fetching {
  /** PEM certificates to trust instead of Node's list. */
  ca: string | null;
  context: VerifyContext;
  /** What may come back at most. */
  maxReceivedBytes?: number;
}

/** Why nothing came back, in a plain sentence. */
export class FetchFailed extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

type Wish = Pick<RequestInit, "method"> & { headers?: Record<string, string>; body?: unknown };

const MAX_RECEIVED_BYTES = 1024 * 1024;
const HERE = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Follows no redirect, keeps no cookie, checks the certificate. Unencrypted to this machine alone. Rejects with `FetchFailed`.
 */
export function fetchWithin(fetching: Fetching): (address: string, wish?: Wish) => Promise<Response> {
  return async (address, wish = {}) => {
    const answer = await inTime<Exchanged>(
      fetching.context,
      (attempt) => ask(address, wish, fetching, attempt),
      (failure) => ({ failure }),
    );
    if ("failure" in answer) throw new FetchFailed(answer.failure);
    const headers: Record<string, string> = answer.contentType === null ? {} : { "content-type": answer.contentType };
    const isEmpty = answer.status === 204 || answer.status === 304;
    return new Response(isEmpty ? null : answer.body, { status: answer.status, headers });
  };
}

type Exchanged = HttpAnswer | { failure: Failure };

async function ask(
  address: string,
  wish: Wish,
  { ca, maxReceivedBytes = MAX_RECEIVED_BYTES }: Fetching,
  attempt: Attempt,
): Promise<Exchanged> {
  const url = URL.parse(address);
  const isHttps = url?.protocol === "https:";
  if (url === null || !(isHttps || (url.protocol === "http:" && HERE.has(url.hostname)))) {
    return { failure: misconfigured("bad-input", "Only https addresses are asked. Nothing was sent.") };
  }
  const tls: TlsSettings = { mode: isHttps ? "verify-full" : "disable", ca, name: null };
  const body =
    typeof wish.body === "string" || wish.body instanceof URLSearchParams ? { body: wish.body.toString() } : {};
  const method = wish.method === "POST" ? "POST" : "GET";
  const headers = { ...wish.headers };
  // With the first call: it brings undici along, which no start needs.
  const { exchange } = await import("./http-exchange.ts");
  return exchange({ url, method, headers, readsBody: true, maxReceivedBytes, ...body }, tls, attempt);
}
