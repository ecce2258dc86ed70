// A `fetch` for libraries that set no limits. It uses connections allowed by the network policy.
import { inTime, type Attempt } from "./attempt.ts";
import type { Failure, VerifyContext } from "./connector.ts";
import { misconfigured } from "./finding.ts";
import type { HttpAnswer } from "./http-exchange.ts";
import type { TlsSettings } from "./tls-settings.ts";

export interface FetchContext {
  /** PEM certificates to trust instead of Node's list. */
  ca: string | null;
  context: VerifyContext;
  /** The size limit of the response. */
  maxReceivedBytes?: number;
}

/** The request failed; the message is one plain sentence. */
export class FetchFailed extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

type FetchOptions = Pick<RequestInit, "method"> & { headers?: Record<string, string>; body?: unknown };

const MAX_RECEIVED_BYTES = 1024 * 1024;
const HERE = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Follows no redirect, keeps no cookies, and checks the certificate. Allows unencrypted requests only to this machine. Rejects with
 * `FetchFailed`.
 */
export function fetchWithin(
  fetchContext: FetchContext,
): (address: string, options?: FetchOptions) => Promise<Response> {
  return async (address, options = {}) => {
    const answer = await inTime<Exchanged>(
      fetchContext.context,
      (attempt) => ask(address, options, fetchContext, attempt),
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
  options: FetchOptions,
  { ca, maxReceivedBytes = MAX_RECEIVED_BYTES }: FetchContext,
  attempt: Attempt,
): Promise<Exchanged> {
  const url = URL.parse(address);
  const isHttps = url?.protocol === "https:";
  if (url === null || !(isHttps || (url.protocol === "http:" && HERE.has(url.hostname)))) {
    return { failure: misconfigured("bad-input", "Only https URLs are allowed. Nothing was sent.") };
  }
  const tls: TlsSettings = { mode: isHttps ? "verify-full" : "disable", ca, name: null };
  const body =
    typeof options.body === "string" || options.body instanceof URLSearchParams
      ? { body: options.body.toString() }
      : {};
  const method = options.method === "POST" ? "POST" : "GET";
  const headers = { ...options.headers };
  // Loads undici on the first call, to keep startup fast.
  const { exchange } = await import("./http-exchange.ts");
  return exchange({ url, method, headers, readsBody: true, maxReceivedBytes, ...body }, tls, attempt);
}
