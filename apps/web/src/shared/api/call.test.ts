import { z } from "zod";
import {
  endpoint,
  listCredentials,
  login,
  logout,
  readCredential,
  readHealth,
  revealCredential,
} from "@strongroom/contract";
import type { CredentialId } from "@strongroom/contract";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { problem, startApi, type TestApi } from "#app/testing/api-server.ts";
import { CallError } from "./call-error.ts";
import { TIMEOUT_MS, call, configureCalls, isDeployedAt } from "./call.ts";
import { wait } from "./retry.ts";

const id = "33333333-3333-4333-8333-333333333333" as CredentialId;
const HEALTH = { status: "healthy", summary: "All systems operational", version: "1", uptime: 1, checks: [] };

let api: TestApi;
let waits: number[];

beforeEach(async () => {
  api = await startApi({ "GET /api/v1/health": { json: HEALTH } });
  waits = [];
  configureCalls({
    token: () => null,
    onUnauthorized: () => undefined,
    onSealed: () => undefined,
    timeoutMs: TIMEOUT_MS,
    wait: (ms) => {
      waits.push(ms);
      return Promise.resolve();
    },
  });
});
afterEach(() => api.close());

async function failureOf(promise: Promise<unknown>): Promise<CallError> {
  try {
    await promise;
  } catch (error) {
    expect(error).toBeInstanceOf(CallError);
    return error as CallError;
  }
  throw new Error("the call succeeded");
}

describe("requests", () => {
  test("HTTP-02, OPEN-65: requests carry JSON content-type and accept headers and no-cache headers", async () => {
    await call(readHealth);
    const { headers } = api.requests[0]!;
    expect(headers["content-type"]).toBe("application/json");
    expect(headers.accept).toBe("application/json");
    expect(headers["cache-control"]).toBe("no-cache");
    expect(headers.pragma).toBe("no-cache");
  });

  test("HTTP-03: requests include cookies, even to a different origin", async () => {
    const sent = vi.spyOn(globalThis, "fetch");
    await call(readHealth);
    expect(sent.mock.calls.map(([, init]) => init?.credentials)).toEqual(["include"]);
    sent.mockRestore();
  });

  test("HTTP-04 to HTTP-06: an authenticated request adds the stored token as Bearer, and a visitor's request does not", async () => {
    await call(readHealth);
    configureCalls({ token: () => "the-token" });
    await call(readHealth);
    expect(api.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, "Bearer the-token"]);
  });

  test("HTTP-01: the path comes from the contract, with encoded parameters and without empty query values", async () => {
    api.on("GET /api/v1/credentials", { json: { data: [], next_cursor: null } });
    await call(listCredentials, { query: { search: "db & co", type: undefined, limit: 5 } });
    expect(api.requests[0]).toMatchObject({ method: "GET", path: "/api/v1/credentials" });
    expect(api.requests[0]!.query.toString()).toBe("search=db+%26+co&limit=5");
  });

  test("a background call is marked, so that the server does not count it as user activity", async () => {
    await call(readHealth, {}, { isBackground: true });
    await call(readHealth);
    expect(api.requests.map(({ headers }) => headers["x-background"])).toEqual(["1", undefined]);
  });

  test("API-04: sign-out sends the token and no body", async () => {
    api.on("POST /api/v1/auth/logout", { json: { message: "ok", provider: null } });
    configureCalls({ token: () => "t" });
    await call(logout);
    expect(api.requests[0]!.body).toBeUndefined();
  });
});

describe("replies", () => {
  test("a reply is parsed by the contract, which drops unknown fields", async () => {
    api.on("GET /api/v1/health", { json: { ...HEALTH, password: "hunter22" } });
    expect(await call(readHealth)).toEqual(HEALTH);
  });

  test("a reply that does not match the contract is rejected", async () => {
    api.on("GET /api/v1/health", { json: { status: "fine" } });
    expect(await failureOf(call(readHealth))).toMatchObject({ kind: "unreadable", status: 200 });
  });

  test("a problem's code, message and errors are properties of the error", async () => {
    const errors = [{ path: "email", msg: "is odd" }];
    api.on("POST /api/v1/auth/login", problem(400, "validation", "Check your input.", { errors }));
    const error = await failureOf(call(login, { body: { email: "a@b.c", password: "x" } }));
    expect(error).toMatchObject({
      kind: "http",
      status: 400,
      code: "validation",
      message: "Check your input.",
      errors,
    });
  });

  test("ERR-01: a response without a message becomes its status and status text", async () => {
    api.on("GET /api/v1/health", { status: 418, text: "" });
    expect((await failureOf(call(readHealth))).message).toBe("418 I'm a Teapot");
  });

  test("ERR-04: 502 and 503 say that the backend may be starting up", async () => {
    for (const status of [502, 503]) {
      api.on("GET /api/v1/health", { status, text: "<html>" });
      expect((await failureOf(call(readHealth))).message).toBe(
        "Service temporarily unavailable - backend may be starting up. Please try again in a moment.",
      );
    }
  });

  test("ERR-05: a 404 that is not JSON names the endpoint", async () => {
    api.on(`GET /api/v1/credentials/${id}`, { status: 404, text: "Cannot GET" });
    expect((await failureOf(call(readCredential, { params: { id } }))).message).toBe(
      `Endpoint not found: /api/v1/credentials/${id}. This feature may not be implemented yet.`,
    );
  });

  test("ERR-06: a cut connection is a network error with status 0", async () => {
    api.on("POST /api/v1/auth/login", { isCut: true });
    const error = await failureOf(call(login, { body: { email: "a@b.c", password: "x" } }));
    expect(error).toMatchObject({
      kind: "network",
      status: 0,
      message: "Network error: Unable to connect to the server. Please check your connection.",
    });
  });

  test("a 401 reports the refused token to the session; a visitor's 401 does not", async () => {
    const refused: string[] = [];
    configureCalls({ onUnauthorized: (token) => refused.push(token) });
    api.on("POST /api/v1/auth/login", problem(401, "sign-in.refused", "Invalid credentials"));
    await failureOf(call(login, { body: { email: "a@b.c", password: "x" } }));
    configureCalls({ token: () => "mine" });
    api.on("GET /api/v1/credentials", problem(401, "session.ended", "Sign In Again"));
    await failureOf(call(listCredentials));
    expect(refused).toEqual(["mine"]);
  });

  test("a 503 with the code sealed redirects to the unseal page", async () => {
    let sealed = 0;
    configureCalls({ onSealed: () => (sealed += 1), isDeployed: true });
    api.on("GET /api/v1/credentials", problem(503, "sealed", "The vault is sealed."));
    const error = await failureOf(call(listCredentials));
    expect([sealed, error.message, api.requests.length]).toEqual([1, "The vault is sealed.", 1]);
  });
});

describe("retries", () => {
  const flaky = (failures: number, failure: () => object) => {
    let asked = 0;
    return () => (asked++ < failures ? failure() : { json: HEALTH });
  };

  test("HTTP-13, OPEN-68: a GET is retried up to 5 times on network errors", async () => {
    api.on(
      "GET /api/v1/health",
      flaky(5, () => ({ isCut: true })),
    );
    expect((await call(readHealth)).status).toBe("healthy");
    expect(api.requests.length).toBe(6);
    expect(waits).toEqual([2000, 4000, 8000, 16_000, 32_000]);
  });

  test("HTTP-12: the sixth 429 is thrown after five retries", async () => {
    api.on("GET /api/v1/health", { status: 429, json: {} });
    const error = await failureOf(call(readHealth));
    expect(api.requests.length).toBe(6);
    expect(error.message).toBe("Rate limit exceeded. Please try again later.");
  });

  test("HTTP-14: a retry after a 429 waits for the Retry-After seconds", async () => {
    api.on(
      "GET /api/v1/health",
      flaky(2, () => ({ status: 429, headers: { "retry-after": "7" }, json: {} })),
    );
    await call(readHealth);
    expect(waits).toEqual([7000, 7000]);
  });

  test("a GET is retried while the database is failing, after the server's Retry-After", async () => {
    configureCalls({ isDeployed: true });
    const away = () => ({ ...problem(503, "database.unavailable", "Away."), headers: { "retry-after": "3" } });
    api.on("GET /api/v1/health", flaky(2, away));
    expect((await call(readHealth)).status).toBe("healthy");
    expect([api.requests.length, waits]).toEqual([3, [3000, 3000]]);
  });

  test("a write is not retried while the database is failing, and its error is the server's message", async () => {
    const path = `POST /api/v1/credentials/${id}/reveal`;
    api.on(path, problem(503, "database.outcome-unknown", "It may or may not have been made."));
    const error = await failureOf(call(revealCredential, { params: { id } }));
    expect([api.requests.length, error.message]).toEqual([1, "It may or may not have been made."]);
  });

  test("OPEN-67: a write is not retried, and its 429 says when to try again", async () => {
    api.on(`POST /api/v1/credentials/${id}/reveal`, { status: 429, headers: { "retry-after": "9" }, json: {} });
    const error = await failureOf(call(revealCredential, { params: { id } }));
    expect(api.requests.length).toBe(1);
    expect(error.message).toBe("Rate limit exceeded. Retry in 9 seconds.");
  });

  test("OPEN-67: a write with an idempotency key is retried with the same key", async () => {
    let asked = 0;
    api.on(`POST /api/v1/credentials/${id}/reveal`, () => (asked++ === 0 ? { isCut: true } : { json: { value: "v" } }));
    await call(revealCredential, { params: { id } }, { idempotencyKey: "k1" });
    expect(api.requests.map(({ headers }) => headers["idempotency-key"])).toEqual(["k1", "k1"]);
  });

  test("ERR-08, OPEN-148: a timeout has its own message and is not retried", async () => {
    configureCalls({ timeoutMs: 40 });
    api.on("GET /api/v1/health", () => new Promise<never>(() => undefined));
    const error = await failureOf(call(readHealth));
    expect(error.message).toBe("Request timeout after 40ms - this may be due to backend cold start.");
    expect(api.requests.length).toBe(1);
  });

  test("HTTP-11: the limit is 60 seconds", () => expect(TIMEOUT_MS).toBe(60_000));

  test("an aborted call stops waiting for its next retry immediately", async () => {
    configureCalls({ wait });
    api.on("GET /api/v1/health", { status: 429, headers: { "retry-after": "3600" }, json: {} });
    const aborter = new AbortController();
    const pending = call(readHealth, {}, { signal: aborter.signal });
    await expect.poll(() => api.requests.length).toBe(1);
    aborter.abort(new Error("left"));
    await expect(pending).rejects.toThrow("left");
  });

  test("HTTP-16: the client wakes a sleeping deployed server, waits 3 seconds and retries once", async () => {
    configureCalls({ isDeployed: true });
    let asked = 0;
    api.on("GET /api/v1/credentials", () =>
      asked++ === 0 ? { status: 503, text: "" } : { json: { data: [], next_cursor: null } },
    );
    await call(listCredentials);
    expect(api.requests.map(({ path }) => path)).toEqual([
      "/api/v1/credentials",
      "/api/v1/health",
      "/api/v1/credentials",
    ]);
    expect(waits).toEqual([3000]);
  });

  test.each([
    ["localhost", false],
    ["127.0.0.1", false],
    ["[::1]", false],
    ["vault.example.com", true],
    ["localhost.example.com", true],
  ])("OPEN-75: whether %s is a deployed environment: %s", (hostname, isDeployed) =>
    expect(isDeployedAt(hostname)).toBe(isDeployed),
  );

  test("HTTP-17: any other error is thrown immediately", async () => {
    configureCalls({ isDeployed: true });
    api.on("GET /api/v1/credentials", problem(500, "internal", "Broken"));
    expect((await failureOf(call(listCredentials))).message).toBe("Broken");
    expect(api.requests.length).toBe(1);
  });
});

test("an empty path parameter throws before a request is sent", async () => {
  const odd = endpoint({
    method: "GET",
    path: "/api/v1/things/:id",
    summary: "",
    params: z.object({ id: z.string() }),
    reply: z.object({}),
    needs: "public",
    audit: "none",
  });
  await expect(call(odd, { params: { id: "" } })).rejects.toThrow("needs id");
  expect(api.requests.length).toBe(0);
});
