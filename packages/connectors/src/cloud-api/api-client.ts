// Calls to the JSON APIs of clouds with a bearer token, over connections allowed by the network policy.
import { setTimeout as delay } from "node:timers/promises";
import { request as send } from "undici";
import type { Attempt } from "../attempt.ts";
import { MAX_LISTED_BYTES } from "../bounded-stream.ts";
import { connectionFailure } from "../dial.ts";
import { misconfigured } from "../finding.ts";
import { NoAnswer, agentOf } from "../http-over-stream.ts";
import type { TlsSettings } from "../tls-settings.ts";
import { objectOf, type Json } from "./json.ts";

interface ApiCall {
  url: string;
  method?: "GET" | "POST" | "DELETE";
  token?: string;
  /** Sent as `application/x-www-form-urlencoded`. */
  form?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: Json;
}

/** The API answered with an error. */
export class ApiError extends Error {
  readonly status: number;
  /** The API's own code, such as `PERMISSION_DENIED` or `invalid_client`; empty if it has none. */
  readonly code: string;
  readonly body: Json;

  constructor(status: number, body: Json) {
    super("The API refused the call");
    this.status = status;
    this.body = body;
    this.code = codeIn(body);
  }
}

export interface ApiClient {
  /** The JSON object of a successful answer, empty without one. Throws `ApiError` or `NoAnswer`. */
  ask(call: ApiCall): Promise<Json>;
  close(): void;
}

/** The longest wait that an API's answer "too many requests" can cause, and how often it is followed. */
const MAX_WAIT_MS = 20_000;
const MAX_REPEATS = 3;

export function openApi(attempt: Attempt, tls: TlsSettings): ApiClient {
  const agent = agentOf(attempt, tls);

  async function once({ url, method = "GET", token, form, body }: ApiCall) {
    const type = form === undefined ? "application/json" : "application/x-www-form-urlencoded";
    const content = form === undefined ? body && JSON.stringify(body) : new URLSearchParams({ ...form }).toString();
    const { host, port } = endpointOf(url);
    try {
      const answer = await send(url, {
        dispatcher: agent,
        method,
        headers: {
          "user-agent": "Strongroom",
          accept: "application/json",
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(content === undefined ? {} : { "content-type": type }),
        },
        body: content ?? null,
        signal: attempt.signal,
      });
      const parts: Buffer[] = [];
      let length = 0;
      for await (const part of answer.body as AsyncIterable<Buffer>) {
        length += part.length;
        if (length > MAX_LISTED_BYTES) throw tooLong(host);
        parts.push(part);
      }
      const waitMs = Number(answer.headers["retry-after"]) * 1000;
      return { status: answer.statusCode, body: objectIn(Buffer.concat(parts).toString("utf8")), waitMs };
    } catch (error) {
      throw error instanceof NoAnswer ? error : new NoAnswer(connectionFailure(error, { host, port }));
    }
  }

  async function ask(call: ApiCall): Promise<Json> {
    const isRepeatable = (call.method ?? "GET") === "GET";
    for (let repeats = 0; ; repeats += 1) {
      const { status, body, waitMs } = await once(call);
      if (status >= 200 && status < 300) return body;
      const isBusy = status === 429 || status === 503;
      const mayWait = waitMs > 0 && waitMs <= Math.min(MAX_WAIT_MS, attempt.remainingMs() / 2);
      if (!isRepeatable || !isBusy || !mayWait || repeats >= MAX_REPEATS) throw new ApiError(status, body);
      await delay(waitMs, undefined, { signal: attempt.signal }).catch(() => undefined);
    }
  }

  return { ask, close: () => void agent.destroy() };
}

const tooLong = (host: string) =>
  new NoAnswer(misconfigured("protocol-error", `${host} sent more than Strongroom reads in one answer.`));

function endpointOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port) || 443 };
}

/** `error` is a text (OAuth 2.0, RFC 6749 section 5.2) or an object with a code (Microsoft) and a status (Google). */
function codeIn(body: Json): string {
  const { error } = body;
  if (typeof error === "string") return error;
  const { status, code } = objectOf(error);
  return typeof status === "string" ? status : typeof code === "string" ? code : "";
}

function objectIn(text: string): Json {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    // The caller reports an answer without the expected fields.
    return {};
  }
}

/** An access token of OAuth 2.0 (RFC 6749, section 5.1). Throws `ApiError` or `NoAnswer`. */
export async function askToken(api: ApiClient, url: string, form: Readonly<Record<string, string>>): Promise<string> {
  const { access_token: token } = await api.ask({ url, method: "POST", form });
  if (typeof token !== "string" || !/^[\x21-\x7e]{1,16384}$/.test(token)) throw new ApiError(200, {});
  return token;
}
