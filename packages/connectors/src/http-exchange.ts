// One HTTP request to an address that was checked before: no redirects, no cookies, a small body at most (undici).
import { errors, request } from "undici";
import type { Attempt } from "./attempt.ts";
import { TooMuchData, type BoundedStream } from "./bounded-stream.ts";
import type { Failure } from "./connector.ts";
import { connectionFailure, dial, nameOf, type Endpoint } from "./dial.ts";
import { misconfigured } from "./finding.ts";
import { agentOver } from "./http-over-stream.ts";
import { startTls } from "./start-tls.ts";
import type { TlsSettings } from "./tls-settings.ts";

export interface HttpRequest {
  url: URL;
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH";
  headers: Record<string, string>;
  body?: string;
  /** What may come back, head and TLS included; that of a log-in when left out. */
  maxReceivedBytes?: number;
  /** False: the status is all that counts, and what follows it is not read. */
  readsBody?: boolean;
  /** Called when the connection stands and the request is about to leave. */
  sending?: () => void;
}

export interface HttpAnswer {
  status: number;
  contentType: string | null;
  /** As text; empty when it was not to be read. */
  body: string;
}

export async function exchange(
  wish: HttpRequest,
  tls: TlsSettings,
  attempt: Attempt,
): Promise<HttpAnswer | { failure: Failure }> {
  const endpoint = endpointOf(wish.url);
  const dialled = await dial(endpoint, attempt, wish.maxReceivedBytes);
  if ("failure" in dialled) return dialled;
  const { stream } = dialled;
  try {
    attempt.waitFor(`${nameOf(endpoint)} to answer the request`);
    const secured = tls.mode === "disable" ? dialled : await startTls(stream, tls, endpoint, ["http/1.1"]);
    if ("failure" in secured) return secured;
    const agent = agentOver(secured.stream);
    try {
      return await ask(wish, agent, attempt);
    } catch (error) {
      return { failure: exchangeFailure(error, stream, endpoint) };
    } finally {
      void agent.destroy();
    }
  } finally {
    stream.destroy();
  }
}

async function ask(wish: HttpRequest, dispatcher: ReturnType<typeof agentOver>, attempt: Attempt): Promise<HttpAnswer> {
  wish.sending?.();
  const { statusCode, headers, body } = await request(wish.url, {
    dispatcher,
    method: wish.method,
    signal: attempt.signal,
    headers: { "user-agent": "Strongroom", accept: "*/*", ...wish.headers },
    body: wish.body ?? null,
  });
  const contentType = headers["content-type"]?.toString() ?? null;
  if (wish.readsBody === true) return { status: statusCode, contentType, body: await body.text() };
  // Its status is all that counts: the connection goes.
  body.on("error", () => {}).destroy();
  return { status: statusCode, contentType, body: "" };
}

function endpointOf(url: URL): Endpoint {
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  return { host: url.hostname.replace(/^\[(.*)\]$/, "$1"), port };
}

function exchangeFailure(error: unknown, stream: BoundedStream, endpoint: Endpoint): Failure {
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError) {
    return misconfigured(
      "protocol-error",
      `${nameOf(endpoint)} does not speak HTTP as it should. Is it the right port?`,
    );
  }
  return connectionFailure(stream.errored instanceof TooMuchData ? stream.errored : error, endpoint);
}
