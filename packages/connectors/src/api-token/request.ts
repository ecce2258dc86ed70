// One HTTP request to an address that was checked before: no redirects, no cookies, no body kept.
import { errors, request, type Agent } from "undici";
import type { Attempt } from "../attempt.ts";
import type { Failure } from "../connector.ts";
import { connectionFailure, dial, nameOf, type Endpoint } from "../dial.ts";
import { misconfigured } from "../finding.ts";
import { agentOver } from "../http-over-stream.ts";
import { startTls } from "../start-tls.ts";
import type { TlsSettings } from "../tls-settings.ts";
import type { TokenCheck } from "./check.ts";

/** The status of the answer. `authorization` is the header's value; null sends the request without it. */
export async function statusOf(
  check: TokenCheck,
  authorization: string | null,
  tls: TlsSettings,
  attempt: Attempt,
): Promise<{ status: number } | { failure: Failure }> {
  const endpoint = endpointOf(check.url);
  const dialled = await dial(endpoint, attempt);
  if ("failure" in dialled) return dialled;
  try {
    attempt.waitFor(`${nameOf(endpoint)} to answer the request`);
    const secured = tls.mode === "disable" ? dialled : await startTls(dialled.stream, tls, endpoint, ["http/1.1"]);
    if ("failure" in secured) return secured;
    return await exchange(check, authorization, agentOver(secured.stream), attempt, endpoint);
  } finally {
    dialled.stream.destroy();
  }
}

function endpointOf(url: URL): Endpoint {
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  return { host: url.hostname.replace(/^\[(.*)\]$/, "$1"), port };
}

async function exchange(
  check: TokenCheck,
  authorization: string | null,
  agent: Agent,
  attempt: Attempt,
  endpoint: Endpoint,
): Promise<{ status: number } | { failure: Failure }> {
  try {
    const answer = await request(check.url, {
      dispatcher: agent,
      method: check.method,
      signal: attempt.signal,
      headers: {
        "user-agent": "Strongroom",
        accept: "*/*",
        ...(authorization === null ? {} : { [check.header]: authorization }),
      },
    });
    // Its status is all that counts: the body is not read, and the connection goes.
    answer.body.on("error", () => {}).destroy();
    return { status: answer.statusCode };
  } catch (error) {
    return { failure: exchangeFailure(error, endpoint) };
  } finally {
    void agent.destroy();
  }
}

function exchangeFailure(error: unknown, endpoint: Endpoint): Failure {
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError) {
    return misconfigured(
      "protocol-error",
      `${nameOf(endpoint)} does not speak HTTP as it should. Is it the right port?`,
    );
  }
  return connectionFailure(error, endpoint);
}
