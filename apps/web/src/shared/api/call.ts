// The one door to the server: sends what an endpoint of the contract takes and returns its parsed reply.
import {
  pathOf,
  readHealth,
  type Endpoint,
  type InputOf,
  type PeopleGainingAccess,
  type ReplyOf,
} from "@strongroom/contract";
import type { z } from "zod";
import { CallError } from "./call-error.ts";
import { noteFailure, noteSuccess } from "./database-trouble.ts";
import { fetchFailureText, timeoutText } from "./error-texts.ts";
import { failureOf, replyOf } from "./read-reply.ts";
import { wait, withRetries, withWakeUp, type Wait } from "./retry.ts";

export const TIMEOUT_MS = 60_000;

/** What calls need from the app around them. The session fills it in at start. */
export interface CallSettings {
  /** Where the server is; empty for this page's own origin. */
  baseUrl: string;
  token: () => string | null;
  /** A call that carried this token was answered 401. */
  onUnauthorized: (token: string) => void;
  /** A call was answered 503 because the vault is sealed. */
  onSealed: () => void;
  /** A call needs a fresh proof of who sits there: asks for it, and answers whether it was given. */
  proveAgain: () => Promise<boolean>;
  /** Shows the people to whom a call would give access, and returns whether the user agrees. */
  confirmPeople: (people: PeopleGainingAccess) => Promise<boolean>;
  /** A deployment that may sleep, as opposed to a server on this machine (OPEN-75). */
  isDeployed: boolean;
  timeoutMs: number;
  wait: Wait;
}

const LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

const settings: CallSettings = {
  baseUrl: "",
  token: () => null,
  onUnauthorized: () => undefined,
  onSealed: () => undefined,
  proveAgain: () => Promise.resolve(false),
  confirmPeople: () => Promise.resolve(false),
  isDeployed: !LOCAL_HOSTS.includes(globalThis.location?.hostname ?? "localhost"),
  timeoutMs: TIMEOUT_MS,
  wait,
};

export function configureCalls(changed: Partial<CallSettings>): void {
  Object.assign(settings, changed);
}

export interface CallOptions {
  signal?: AbortSignal;
  /** The person did not ask for it (a poll, a ping): the server must not take it as a sign of life. */
  isBackground?: boolean;
  /** Makes a write safe to send twice, and so to retry. */
  idempotencyKey?: string;
}

function headersOf(token: string | null, options: CallOptions): Headers {
  const headers = new Headers({
    "Content-Type": "application/json",
    Accept: "application/json",
    "Cache-Control": "no-cache",
    Pragma: "no-cache",
  });
  if (token !== null) headers.set("Authorization", `Bearer ${token}`);
  if (options.isBackground === true) headers.set("X-Background", "1");
  if (options.idempotencyKey !== undefined) headers.set("Idempotency-Key", options.idempotencyKey);
  return headers;
}

function queryText(query: unknown): string {
  const given = Object.entries((query ?? {}) as Record<string, unknown>).filter(
    ([, value]) => value !== undefined && value !== null && value !== "",
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** The response of one try. Throws `network` or `timeout`; an abort by the caller is thrown on as it is. */
async function fetchOnce(url: string, init: RequestInit, signal: AbortSignal | undefined): Promise<Response> {
  const clock = new AbortController();
  const limit = settings.timeoutMs;
  const timer = setTimeout(() => clock.abort(), limit);
  const stop = () => clock.abort();
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted) stop();
  try {
    const response = await fetch(url, { ...init, signal: clock.signal });
    // The limit covers the body too, so it is read before the timer is put away.
    const body = await response.arrayBuffer();
    return new Response(response.status === 204 ? null : body, {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (clock.signal.aborted) throw new CallError({ kind: "timeout", message: timeoutText(limit), cause: error });
    throw new CallError({ kind: "network", message: fetchFailureText(error), cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

async function send<E extends Endpoint>(endpoint: E, input: InputOf<E>, options: CallOptions): Promise<Response> {
  const token = settings.token();
  const path = pathOf(endpoint.path, input.params ?? {});
  const response = await fetchOnce(
    `${settings.baseUrl}${path}${queryText(input.query)}`,
    {
      method: endpoint.method,
      headers: headersOf(token, options),
      credentials: "include",
      cache: "no-store",
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
    },
    options.signal,
  );
  if (!response.ok) throw await refusalOf(response, path, token);
  noteSuccess(endpoint);
  return response;
}

/** Like `sendProved`; if people would gain access, the user is asked, and asked again when others have joined. */
async function sendConfirmed<E extends Endpoint>(
  endpoint: E,
  input: InputOf<E>,
  options: CallOptions,
): Promise<Response> {
  try {
    return await sendProved(endpoint, input, options);
  } catch (error) {
    const people = error instanceof CallError ? error.peopleGainingAccess : null;
    if (people === null || options.isBackground === true || !(await settings.confirmPeople(people))) throw error;
    return sendConfirmed(endpoint, withConfirmation(endpoint, input, people.confirmation), options);
  }
}

/** A DELETE has no body, and takes it in its address. */
function withConfirmation<E extends Endpoint>(endpoint: E, input: InputOf<E>, confirmation: string): InputOf<E> {
  const part = endpoint.method === "DELETE" ? "query" : "body";
  return { ...input, [part]: { ...(input[part] as object | undefined), confirmation } };
}

/** Asks for a fresh proof in advance; false when the user declines. */
export const proveAgain = (): Promise<boolean> => settings.proveAgain();

/**
 * As `send`; where the server asks for a fresh proof, the person is asked for it and the call is sent again: it had no effect.
 * Nobody is asked because of a call that the page makes by itself.
 */
async function sendProved<E extends Endpoint>(endpoint: E, input: InputOf<E>, options: CallOptions): Promise<Response> {
  try {
    return await send(endpoint, input, options);
  } catch (error) {
    const isAsked = error instanceof CallError && error.code === "step-up.required" && options.isBackground !== true;
    if (!isAsked || !(await settings.proveAgain())) throw error;
    return send(endpoint, input, options);
  }
}

/** What a refusal says, once the session and the seal have heard of it. */
async function refusalOf(response: Response, path: string, token: string | null): Promise<CallError> {
  const failure = await failureOf(response, path);
  if (failure.status === 401 && token !== null) settings.onUnauthorized(token);
  if (failure.status === 503 && failure.code === "sealed") settings.onSealed();
  noteFailure(failure);
  return failure;
}

/**
 * Opens an endpoint that streams, in the background: no retries and no time limit, which are its reader's. Throws
 * `CallError` when it is refused; an abort is thrown on as it is.
 */
export async function openStream(
  endpoint: Endpoint,
  { headers, signal }: { headers: Record<string, string>; signal: AbortSignal },
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const token = settings.token();
  const response = await fetch(`${settings.baseUrl}${endpoint.path}`, {
    headers: { ...Object.fromEntries(headersOf(token, { isBackground: true })), ...headers },
    credentials: "include",
    cache: "no-store",
    signal,
  });
  if (!response.ok) throw await refusalOf(response, endpoint.path, token);
  return response.body ?? new ReadableStream();
}

const knock = () => fetchOnce(`${settings.baseUrl}${readHealth.path}`, { cache: "no-store" }, undefined);

/**
 * Calls an endpoint and returns its reply, parsed by the contract.
 *
 * Throws `CallError`. GETs, and writes that carry an idempotency key, are retried on 429, network errors and while the server's
 * database is in trouble.
 */
export async function call<E extends Endpoint>(
  endpoint: E,
  input: InputOf<E> = {},
  options: CallOptions = {},
): Promise<ReplyOf<E>> {
  const once = () => sendConfirmed(endpoint, input, options);
  const isRepeatable = endpoint.method === "GET" || options.idempotencyKey !== undefined;
  const patiently = () => withRetries(once, settings.wait, options.signal);
  const response = !isRepeatable
    ? await once()
    : settings.isDeployed
      ? await withWakeUp(patiently, knock, settings.wait, options.signal)
      : await patiently();
  return (await replyOf(response, endpoint.reply as z.ZodType)) as ReplyOf<E>;
}

/** A download (an endpoint whose reply is a stream) as a blob. Throws `CallError`. */
export async function download<E extends Endpoint>(
  endpoint: E,
  input: InputOf<E> = {},
  options: CallOptions = {},
): Promise<Blob> {
  return (await sendProved(endpoint, input, options)).blob();
}
