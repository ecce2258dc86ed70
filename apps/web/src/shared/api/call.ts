// The only HTTP client of the app: sends an endpoint's input as the contract defines it and returns the parsed reply.
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
import { REPORT_AFTER_MS, recordResponse, recordNoResponse, recordSlowCall } from "./server-contact.ts";
import { wait, withRetries, withWakeUp, type Wait } from "./retry.ts";

export const TIMEOUT_MS = 60_000;

/** Callbacks and settings that calls need from the app. The session sets them at startup. */
export interface CallSettings {
  /** The server's address; empty for this page's own origin. */
  baseUrl: string;
  token: () => string | null;
  /** Called when a request with this token received a 401. */
  onUnauthorized: (token: string) => void;
  /** Called when a request received a 503 because the vault is sealed. */
  onSealed: () => void;
  /** Asks the user to re-authenticate; resolves with whether they did. */
  proveAgain: () => Promise<boolean>;
  /** Shows the users who would gain access by a call; resolves with whether the user agrees. */
  confirmPeople: (people: PeopleGainingAccess) => Promise<boolean>;
  /** A deployment that may sleep, not a local server (OPEN-75). */
  isDeployed: boolean;
  timeoutMs: number;
  wait: Wait;
}

const LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

/** A page that is served from a host other than this computer belongs to a deployment. */
export const isDeployedAt = (hostname: string): boolean => !LOCAL_HOSTS.includes(hostname);

const settings: CallSettings = {
  baseUrl: "",
  token: () => null,
  onUnauthorized: () => undefined,
  onSealed: () => undefined,
  proveAgain: () => Promise.resolve(false),
  confirmPeople: () => Promise.resolve(false),
  isDeployed: isDeployedAt(globalThis.location?.hostname ?? "localhost"),
  timeoutMs: TIMEOUT_MS,
  wait,
};

export function configureCalls(changed: Partial<CallSettings>): void {
  Object.assign(settings, changed);
}

/** The address of a WebSocket of the API, for a path such as `/api/v1/sessions/…/terminal`. */
export function socketUrl(path: string): string {
  const url = new URL(path, settings.baseUrl === "" ? location.href : settings.baseUrl);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** Not caused by the user (a poll or a ping): the server must not count it as user activity. */
  isBackground?: boolean;
  /** Makes a write idempotent, so that it can be retried. */
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

/** The response of one attempt. Throws `network` or `timeout`; rethrows an abort by the caller unchanged. */
async function fetchOnce(url: string, init: RequestInit, signal: AbortSignal | undefined): Promise<Response> {
  const clock = new AbortController();
  const limit = settings.timeoutMs;
  const timer = setTimeout(() => clock.abort(), limit);
  const slowTimer = setTimeout(recordSlowCall, REPORT_AFTER_MS);
  const stop = () => clock.abort();
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted) stop();
  try {
    const response = await fetch(url, { ...init, signal: clock.signal });
    // The time limit covers the body too, so read it before clearing the timer.
    const body = await response.arrayBuffer();
    recordResponse();
    return new Response(response.status === 204 ? null : body, {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    recordNoResponse();
    if (clock.signal.aborted) throw new CallError({ kind: "timeout", message: timeoutText(limit), cause: error });
    throw new CallError({ kind: "network", message: fetchFailureText(error), cause: error });
  } finally {
    clearTimeout(timer);
    clearTimeout(slowTimer);
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

/**
 * Like `sendProved`; if users would gain access, asks for a confirmation, and asks again when that set of users has
 * grown.
 */
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

/** A DELETE has no body, so its confirmation goes into the query. */
function withConfirmation<E extends Endpoint>(endpoint: E, input: InputOf<E>, confirmation: string): InputOf<E> {
  const part = endpoint.method === "DELETE" ? "query" : "body";
  return { ...input, [part]: { ...(input[part] as object | undefined), confirmation } };
}

/** Asks the user to re-authenticate in advance; false when the user declines. */
export const onStepUpRequired = (): Promise<boolean> => settings.proveAgain();

/**
 * Like `send`; when the server requires re-authentication, asks the user for it and sends the call again (the
 * refused one had no effect). Background calls never ask the user.
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

/** Builds the error of a refusal, after notifying the session and the seal. */
async function refusalOf(response: Response, path: string, token: string | null): Promise<CallError> {
  const failure = await failureOf(response, path);
  if (failure.status === 401 && token !== null) settings.onUnauthorized(token);
  if (failure.status === 503 && failure.code === "sealed") settings.onSealed();
  noteFailure(failure);
  return failure;
}

/**
 * Opens a streaming endpoint in the background, without retries or time limit: its reader has those. Throws
 * `CallError` when it is refused; rethrows an abort unchanged.
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

/** Milliseconds. A healthy server answers the health endpoint faster than this. */
const PROBE_LIMIT_MS = 2000;

/** Checks whether the server responds. Never rejects: `useServerContact` returns the result. */
export async function probeServer(): Promise<void> {
  try {
    await fetchOnce(
      `${settings.baseUrl}${readHealth.path}`,
      { cache: "no-store" },
      AbortSignal.timeout(PROBE_LIMIT_MS),
    );
  } catch {
    // This timeout is not an abort by the caller.
    recordNoResponse();
  }
}

const knock = () => fetchOnce(`${settings.baseUrl}${readHealth.path}`, { cache: "no-store" }, undefined);

/**
 * Calls an endpoint and returns its reply, parsed by the contract.
 *
 * Throws `CallError`. GETs, and writes with an idempotency key, are retried on 429, on network errors and while the
 * server's database is failing.
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

/** Downloads an endpoint whose reply is a stream, as a blob. Throws `CallError`. */
export async function download<E extends Endpoint>(
  endpoint: E,
  input: InputOf<E> = {},
  options: CallOptions = {},
): Promise<Blob> {
  return (await sendProved(endpoint, input, options)).blob();
}
