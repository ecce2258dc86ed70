// Clients of AWS that send every request over a connection which the network policy has allowed.
import { Readable } from "node:stream";
import { IAMClient } from "@aws-sdk/client-iam";
import { STSClient } from "@aws-sdk/client-sts";
import { request as send } from "undici";
import type { Attempt } from "../attempt.ts";
import { MAX_LISTED_BYTES } from "../bounded-stream.ts";
import type { Failure } from "../connector.ts";
import { connectionFailure, dial, nameOf } from "../dial.ts";
import { agentOver } from "../http-over-stream.ts";
import { startTls } from "../start-tls.ts";
import type { AccessKey, Place } from "./access-key.ts";

/** The request did not come to an answer. */
export class NoAnswer extends Error {
  failure: Failure;
  constructor(failure: Failure) {
    super("no answer");
    this.failure = failure;
  }
}

export function stsClient(place: Place, attempt: Attempt, key: AccessKey = place.key): STSClient {
  return new STSClient({ ...settings(place, attempt, key), ...place.sts });
}

export function iamClient(place: Place, attempt: Attempt): IAMClient {
  return new IAMClient({ ...settings(place, attempt, place.key), ...place.iam });
}

/** Everything that the SDK would otherwise look for in the environment, in files and at metadata services. */
function settings(place: Place, attempt: Attempt, key: AccessKey) {
  return {
    credentials: { accessKeyId: key.id, secretAccessKey: key.secret },
    requestHandler: { handle: (request: SdkRequest) => exchange(request, place, attempt) },
    // A repeated CreateAccessKey would make a further key.
    maxAttempts: 1,
    retryMode: "standard",
    defaultsMode: "standard" as const,
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    logger: SILENT,
  };
}

const nothing = () => {};
const SILENT = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };

interface SdkRequest {
  method: string;
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  headers: Record<string, string>;
  body?: unknown;
}

async function exchange(request: SdkRequest, place: Place, attempt: Attempt) {
  const endpoint = { host: request.hostname.replace(/^\[(.*)\]$/, "$1"), port: request.port ?? 443 };
  const dialled = await dial(endpoint, attempt, MAX_LISTED_BYTES);
  if ("failure" in dialled) throw new NoAnswer(dialled.failure);
  try {
    attempt.waitFor(`${nameOf(endpoint)} to answer`);
    const secured = await startTls(dialled.stream, place.tls, endpoint, ["http/1.1"]);
    if ("failure" in secured) throw new NoAnswer(secured.failure);
    const agent = agentOver(secured.stream);
    const { method, headers, path, body } = request;
    const answer = await send(`https://${nameOf(endpoint)}${path}`, {
      dispatcher: agent,
      method: method === "GET" ? "GET" : "POST",
      headers,
      body: typeof body === "string" || body instanceof Uint8Array ? body : null,
      signal: attempt.signal,
    });
    const content = Buffer.from(await answer.body.arrayBuffer());
    return {
      response: {
        statusCode: answer.statusCode,
        headers: answer.headers as Record<string, string>,
        body: Readable.from([content]),
      },
    };
  } catch (error) {
    throw error instanceof NoAnswer ? error : new NoAnswer(connectionFailure(error, endpoint));
  } finally {
    dialled.stream.destroy();
  }
}
