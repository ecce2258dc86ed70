// AWS clients that send every request over a connection allowed by the network policy.
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
import type { AccessKey, AwsAccess } from "./access-key.ts";

/** The request got no response. */
export class NoAnswer extends Error {
  failure: Failure;
  constructor(failure: Failure) {
    super("no answer");
    this.failure = failure;
  }
}

export function stsClient(access: AwsAccess, attempt: Attempt, key: AccessKey = access.key): STSClient {
  return new STSClient({ ...settings(access, attempt, key), ...access.sts });
}

export function iamClient(access: AwsAccess, attempt: Attempt): IAMClient {
  return new IAMClient({ ...settings(access, attempt, access.key), ...access.iam });
}

/** Replaces everything that the SDK would otherwise read from the environment, files and metadata services. */
function settings(access: AwsAccess, attempt: Attempt, key: AccessKey) {
  return {
    credentials: { accessKeyId: key.id, secretAccessKey: key.secret },
    requestHandler: { handle: (request: SdkRequest) => exchange(request, access, attempt) },
    // A retried CreateAccessKey would create another key.
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

async function exchange(request: SdkRequest, access: AwsAccess, attempt: Attempt) {
  const { statusCode, headers, content } = await sendOver(request, access, attempt);
  return { response: { statusCode, headers, body: Readable.from([content]) } };
}

/** Sends a signed request. Throws `NoAnswer`. */
export async function sendOver(
  request: SdkRequest,
  access: AwsAccess,
  attempt: Attempt,
): Promise<{ statusCode: number; headers: Record<string, string>; content: Buffer }> {
  const endpoint = { host: request.hostname.replace(/^\[(.*)\]$/, "$1"), port: request.port ?? 443 };
  const dialled = await dial(endpoint, attempt, MAX_LISTED_BYTES);
  if ("failure" in dialled) throw new NoAnswer(dialled.failure);
  try {
    attempt.waitFor(`${nameOf(endpoint)} to answer`);
    const secured = await startTls(dialled.stream, access.tls, endpoint, ["http/1.1"]);
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
    return { statusCode: answer.statusCode, headers: answer.headers as Record<string, string>, content };
  } catch (error) {
    throw error instanceof NoAnswer ? error : new NoAnswer(connectionFailure(error, endpoint));
  } finally {
    dialled.stream.destroy();
  }
}
