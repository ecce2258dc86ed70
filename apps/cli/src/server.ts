// Calls a running server through the contract.
import { pathOf } from "@strongroom/contract";
import type { Endpoint, InputOf, ReplyOf } from "@strongroom/contract";
import { CommandError, UsageError } from "./command-error.ts";

export const DEFAULT_URL = "http://127.0.0.1:3000";

const ANSWER_WITHIN_MS = 30_000;
const OURSELVES = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Throws UsageError for an invalid server URL. */
export function serverUrl(given: string): URL {
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(`"${given}" is not a server URL such as ${DEFAULT_URL}.`);
  return url;
}

/** INVARIANT: a secret is sent to this machine or encrypted. Throws UsageError. */
export function requirePrivate(url: URL, what = "The passphrase"): void {
  if (url.protocol === "https:" || OURSELVES.has(url.hostname)) return;
  throw new UsageError(
    `${what} would be sent to ${url.host} unencrypted. Use https, or run this command on that machine.`,
  );
}

/** Throws CommandError with the server's own message when it refuses, and with ours when it does not answer. */
export async function callServer<E extends Endpoint>(
  url: URL,
  endpoint: E,
  input: InputOf<E> = {},
  token: string | null = null,
): Promise<ReplyOf<E>> {
  const answer = await send(url, endpoint, input, token);
  const body: unknown = await answer.json().catch(() => null);
  if (!answer.ok)
    throw new CommandError(sentenceIn(body) ?? `The server at ${url.origin} answered with status ${answer.status}.`);
  const { reply } = endpoint;
  if ("stream" in reply) throw new Error(`${endpoint.path} did not return JSON`);
  const parsed = reply.safeParse(body);
  if (!parsed.success)
    throw new CommandError(`The server at ${url.origin} is not Strongroom, or runs a different version.`);
  return parsed.data as ReplyOf<E>;
}

async function send(
  url: URL,
  endpoint: Endpoint,
  { params, query, body }: InputOf<Endpoint>,
  token: string | null,
): Promise<Response> {
  const address = new URL(pathOf(endpoint.path, params as Record<string, unknown>), url);
  for (const [name, value] of Object.entries(query ?? {})) address.searchParams.set(name, String(value));
  try {
    return await fetch(address, {
      method: endpoint.method,
      // A secret in the body is sent to its destination and nowhere else.
      redirect: "error",
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch (error) {
    throw new CommandError(`Cannot reach Strongroom at ${url.origin}. Check that the server is running.`, {
      cause: error,
    });
  }
}

function sentenceIn(body: unknown): string | null {
  const message = typeof body === "object" && body !== null && "message" in body ? body.message : null;
  return typeof message === "string" ? message : null;
}
