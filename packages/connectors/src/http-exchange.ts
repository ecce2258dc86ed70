// One HTTP request to an address checked beforehand, without redirects or cookies and with a limited body (undici).
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
  /** The size limit of the response, including headers and TLS. The default is the limit of a login. */
  maxReceivedBytes?: number;
  /** When false, only the status counts and the body is not read. */
  readsBody?: boolean;
  /** Called when the connection is open and the request is about to be sent. */
  sending?: () => void;
}

export interface HttpAnswer {
  status: number;
  contentType: string | null;
  /** The body as text; empty when it was not read. */
  body: string;
}

export async function exchange(
  httpRequest: HttpRequest,
  tls: TlsSettings,
  attempt: Attempt,
): Promise<HttpAnswer | { failure: Failure }> {
  const endpoint = endpointOf(httpRequest.url);
  const dialled = await dial(endpoint, attempt, httpRequest.maxReceivedBytes);
  if ("failure" in dialled) return dialled;
  const { stream } = dialled;
  try {
    attempt.waitFor(`${nameOf(endpoint)} to answer the request`);
    const secured = tls.mode === "disable" ? dialled : await startTls(stream, tls, endpoint, ["http/1.1"]);
    if ("failure" in secured) return secured;
    const agent = agentOver(secured.stream);
    try {
      return await ask(httpRequest, agent, attempt);
    } catch (error) {
      return { failure: exchangeFailure(error, stream, endpoint) };
    } finally {
      void agent.destroy();
    }
  } finally {
    stream.destroy();
  }
}

async function ask(
  httpRequest: HttpRequest,
  dispatcher: ReturnType<typeof agentOver>,
  attempt: Attempt,
): Promise<HttpAnswer> {
  httpRequest.sending?.();
  const { statusCode, headers, body } = await request(httpRequest.url, {
    dispatcher,
    method: httpRequest.method,
    signal: attempt.signal,
    headers: { "user-agent": "Strongroom", accept: "*/*", ...httpRequest.headers },
    body: httpRequest.body ?? null,
  });
  const contentType = headers["content-type"]?.toString() ?? null;
  if (httpRequest.readsBody === true) return { status: statusCode, contentType, body: await body.text() };
  // Only the status counts: drop the connection.
  body.on("error", () => {}).destroy();
  return { status: statusCode, contentType, body: "" };
}

function endpointOf(url: URL): Endpoint {
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  return { host: url.hostname.replace(/^\[(.*)\]$/, "$1"), port };
}

function exchangeFailure(error: unknown, stream: BoundedStream, endpoint: Endpoint): Failure {
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError) {
    return misconfigured("protocol-error", `${nameOf(endpoint)} sent an invalid HTTP response. Check the port.`);
  }
  return connectionFailure(stream.errored instanceof TooMuchData ? stream.errored : error, endpoint);
}
