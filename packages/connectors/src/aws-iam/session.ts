// AWS clients that send every request over a connection allowed by the network policy.
import { Readable } from "node:stream";
import { IAMClient } from "@aws-sdk/client-iam";
import { S3Client } from "@aws-sdk/client-s3";
import { STSClient } from "@aws-sdk/client-sts";
import { request as send, type Agent } from "undici";
import type { Attempt } from "../attempt.ts";
import { MAX_LISTED_BYTES, TooMuchData } from "../bounded-stream.ts";
import { connectionFailure, dial, nameOf } from "../dial.ts";
import { NoAnswer, agentOf, agentOver } from "../http-over-stream.ts";
import { startTls } from "../start-tls.ts";
import type { AccessKey, AwsAccess } from "./access-key.ts";

export function stsClient(access: AwsAccess, attempt: Attempt, key: AccessKey = access.key): STSClient {
  return new STSClient({ ...settings(access, attempt, key), ...access.sts });
}

export function iamClient(access: AwsAccess, attempt: Attempt): IAMClient {
  return new IAMClient({ ...settings(access, attempt, access.key), ...access.iam });
}

/** More than the longest page of a list. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/** A client for S3 that keeps its connections; objects may have up to `maxObjectBytes`. */
export function openBuckets(
  access: AwsAccess,
  attempt: Attempt,
  maxObjectBytes: number,
): { client: S3Client; close: () => void } {
  const limit = Math.max(maxObjectBytes, MAX_PAGE_BYTES);
  const agent = agentOf(attempt, access.tls);
  const client = new S3Client({
    ...settings(access, attempt, access.key),
    ...access.s3,
    requestHandler: { handle: (request: SdkRequest) => exchangeOver(agent, request, attempt, limit) },
    // Its hash covers the content, which TLS protects already.
    responseChecksumValidation: "WHEN_REQUIRED",
    followRegionRedirects: true,
  });
  return { client, close: () => void agent.destroy() };
}

async function exchangeOver(agent: Agent, request: SdkRequest, attempt: Attempt, maxBytes: number) {
  const endpoint = endpointOf(request);
  try {
    const answer = await sendWith(agent, request, attempt);
    const parts: Buffer[] = [];
    let length = 0;
    for await (const part of answer.body as AsyncIterable<Buffer>) {
      length += part.length;
      if (length > maxBytes) throw new TooMuchData(maxBytes);
      parts.push(part);
    }
    const headers = answer.headers as Record<string, string>;
    return { response: { statusCode: answer.statusCode, headers, body: Readable.from([Buffer.concat(parts)]) } };
  } catch (error) {
    throw error instanceof NoAnswer ? error : new NoAnswer(connectionFailure(error, endpoint));
  }
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
  query?: Record<string, string | string[] | null>;
  headers: Record<string, string>;
  body?: unknown;
}

const endpointOf = ({ hostname, port }: SdkRequest) => ({
  host: hostname.replace(/^\[(.*)\]$/, "$1"),
  port: port ?? 443,
});

/** With the encoding of RFC 3986, which signatures require. */
function queryText(query: NonNullable<SdkRequest["query"]>): string {
  const encoded = (text: string) =>
    encodeURIComponent(text).replaceAll(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value ?? ""].flat().map((each) => `${encoded(name)}=${encoded(each)}`),
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function sendWith(agent: Agent, request: SdkRequest, attempt: Attempt) {
  const { method, headers, path, query = {}, body } = request;
  return send(`https://${nameOf(endpointOf(request))}${path}${queryText(query)}`, {
    dispatcher: agent,
    method: method === "GET" || method === "HEAD" ? method : "POST",
    headers,
    body: typeof body === "string" || body instanceof Uint8Array ? body : null,
    signal: attempt.signal,
  });
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
  const endpoint = endpointOf(request);
  const dialled = await dial(endpoint, attempt, MAX_LISTED_BYTES);
  if ("failure" in dialled) throw new NoAnswer(dialled.failure);
  try {
    attempt.waitFor(`${nameOf(endpoint)} to answer`);
    const secured = await startTls(dialled.stream, access.tls, endpoint, ["http/1.1"]);
    if ("failure" in secured) throw new NoAnswer(secured.failure);
    const answer = await sendWith(agentOver(secured.stream), request, attempt);
    const content = Buffer.from(await answer.body.arrayBuffer());
    return { statusCode: answer.statusCode, headers: answer.headers as Record<string, string>, content };
  } catch (error) {
    throw error instanceof NoAnswer ? error : new NoAnswer(connectionFailure(error, endpoint));
  } finally {
    dialled.stream.destroy();
  }
}
