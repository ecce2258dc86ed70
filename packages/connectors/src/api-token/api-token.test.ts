// Tests API tokens against a real HTTPS server (node:https).
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import {
  makeAuthority,
  makeSelfSigned,
  opensslAvailable,
  type Authority,
  type ServerCertificate,
} from "../../testing/certificates.ts";
import { assertResult, connectorSuite, tryOut, type Rows, type Trial } from "../../testing/suite.ts";
import { needs } from "../../testing/targets/availability.ts";
import { startTcp } from "../../testing/targets/hostile.ts";
import { startTokenApi, type TokenApi, type TokenApiOptions } from "../../testing/targets/token-api.ts";
import type { Target } from "../connector.ts";
import { networkPolicy } from "../network-policy.ts";
import { apiToken } from "./api-token.ts";

const aToken = () => randomBytes(18).toString("base64url");
const at = (api: TokenApi, path: string, more: Record<string, unknown> = {}): Partial<Target> => ({
  type: "api_token",
  additionalParams: { check_url: `${api.origin}${path}`, ...more },
});

async function rows(): Promise<Rows> {
  const authority = await makeAuthority();
  const token = aToken();
  const ca = authority.certificate;
  const serve = async (certificate: ServerCertificate) => startTokenApi({ token, certificate });
  const api = await serve(await authority.issue(["127.0.0.1"]));
  const expired = await serve(await authority.issue(["127.0.0.1"], { fromDay: -9, untilDay: -1 }));
  const otherName = await serve(await authority.issue(["other.example"]));
  const selfSigned = await serve(await makeSelfSigned(["127.0.0.1"]));
  const trial = (target: Partial<Target>, secret: string, expect: Trial["expect"]): Trial => ({
    target,
    secret,
    expect,
  });
  const failed = (reason: string) => ({ outcome: "misconfigured", code: "tls-failure", reason }) as const;
  return {
    good: trial(at(api, "/me", { ca }), token, { outcome: "verified" }),
    wrong: trial(at(api, "/me", { ca }), aToken(), { outcome: "rejected", code: "wrong-password" }),
    locked: trial(at(api, "/blocked", { ca }), token, { outcome: "rejected", code: "no-permission" }),
    expired: {
      ...trial(at(api, "/me", { ca }), aToken(), { outcome: "rejected", code: "wrong-password" }),
      note: "HTTP answers 401 for an expired token and a wrong one alike",
    },
    encryption: [
      { name: "expired", ...trial(at(expired, "/me", { ca }), token, failed("expired")) },
      { name: "other name", ...trial(at(otherName, "/me", { ca }), token, failed("name-mismatch")) },
      {
        name: "other name, expected",
        ...trial(at(otherName, "/me", { ca, servername: "other.example" }), token, { outcome: "verified" }),
      },
      { name: "self-signed", ...trial(at(selfSigned, "/me"), token, failed("self-signed")) },
      {
        name: "unchecked",
        ...trial(at(api, "/me", { sslmode: "require" }), token, {
          outcome: "misconfigured",
          code: "insecure-authentication",
        }),
      },
    ],
    elsewhere: (host, port) => ({
      type: "api_token",
      additionalParams: { check_url: `https://${host}:${port}/me`, ca },
    }),
    stop: async () => {
      await Promise.all([api, expired, otherName, selfSigned].map((each) => each.stop()));
    },
  };
}

connectorSuite({ connector: apiToken, needs: needs(opensslAvailable()), start: rows });

describe("API tokens: meaning of responses", needs(opensslAvailable()), () => {
  let authority: Authority;
  let api: TokenApi;
  const token = aToken();
  before(async () => {
    authority = await makeAuthority();
    api = await startTokenApi({ token, certificate: await authority.issue(["127.0.0.1"]) });
  });
  after(() => api?.stop());
  const verify = (path: string, more: Record<string, unknown> = {}, secret = token) =>
    tryOut(apiToken, { target: at(api, path, { ca: authority.certificate, ...more }), secret });

  test("a page that needs no token proves nothing", async () => {
    assertResult(await verify("/open"), { outcome: "misconfigured", code: "password-not-checked" });
  });

  test("does not follow a redirect, so that the token reaches no other host", async () => {
    assertResult(await verify("/moved"), { outcome: "misconfigured", code: "redirected" });
  });

  test("a busy or broken server is reported as unreachable, a missing page as misconfigured", async () => {
    assertResult(await verify("/busy"), { outcome: "unreachable", code: "rate-limited" });
    assertResult(await verify("/broken"), { outcome: "unreachable", code: "server-error" });
    assertResult(await verify("/nowhere"), { outcome: "misconfigured", code: "unexpected-status" });
  });

  test("`expect_status` sets the status that a valid token returns", async () => {
    assertResult(await verify("/me", { expect_status: 200 }), { outcome: "verified" });
    assertResult(await verify("/me", { expect_status: "201-204" }), {
      outcome: "misconfigured",
      code: "unexpected-status",
    });
  });

  test("stops reading an endless body", async () => {
    const result = await verify("/endless");
    assertResult(result, { outcome: "verified" });
    assert.ok(result.durationMs < 5_000, `${result.durationMs} ms`);
  });

  test("sends the configured method, and repeats an accepted request without the token", async () => {
    const known = api.requests().length;
    assertResult(await verify("/me", { method: "head" }), { outcome: "verified" });
    assert.deepEqual(api.requests().slice(known), [
      { method: "HEAD", path: "/me", authorization: `Bearer ${token}` },
      { method: "HEAD", path: "/me", authorization: null },
    ]);
  });

  test("uses the configured header and scheme, and no scheme in a custom header", async (t) => {
    const serve = async (options: Partial<TokenApiOptions>) => {
      const own = await startTokenApi({ token, certificate: await authority.issue(["127.0.0.1"]), ...options });
      t.after(() => own.stop());
      return own;
    };
    const ca = authority.certificate;
    const tries: [Partial<TokenApiOptions>, Record<string, unknown>][] = [
      [{ header: "x-api-key", prefix: "" }, { header: "X-Api-Key" }],
      [
        { header: "x-api-key", prefix: "Key " },
        { header: "X-Api-Key", scheme: "Key" },
      ],
      [{ prefix: "token " }, { scheme: "token" }],
      [{ prefix: "" }, { scheme: "" }],
    ];
    for (const [options, params] of tries) {
      const own = await serve(options);
      assertResult(await tryOut(apiToken, { target: at(own, "/me", { ca, ...params }), secret: token }), {
        outcome: "verified",
      });
    }
    const basic = Buffer.from(`robot:${token}`).toString("base64");
    const own = await serve({ token: basic, prefix: "Basic " });
    const target = { ...at(own, "/me", { ca, scheme: "Basic" }), username: "robot" };
    assertResult(await tryOut(apiToken, { target, secret: token }), { outcome: "verified" });
  });

  test("checks the certificate against the host name although it connects to the checked address", async (t) => {
    const named = await startTokenApi({ token, certificate: await authority.issue(["api.example"]) });
    t.after(() => named.stop());
    const network = networkPolicy({ allowLoopback: true, lookup: async () => ["127.0.0.1"] });
    const target = {
      type: "api_token",
      additionalParams: { check_url: `https://api.example:${named.port}/me`, ca: authority.certificate },
    };
    assertResult(await tryOut(apiToken, { target, secret: token }, { network }), { outcome: "verified" });
  });

  test("allows http for loopback addresses only, and only when the policy allows loopback", async (t) => {
    const plain = await startTokenApi({ token, certificate: null });
    t.after(() => plain.stop());
    assertResult(await tryOut(apiToken, { target: at(plain, "/me"), secret: token }), { outcome: "verified" });
    const elsewhere = { type: "api_token", additionalParams: { check_url: `http://localhost:${plain.port}/me` } };
    assertResult(await tryOut(apiToken, { target: elsewhere, secret: token }), {
      outcome: "misconfigured",
      code: "insecure-authentication",
    });
    const forbidden = await tryOut(apiToken, { target: at(plain, "/me"), secret: token }, { network: networkPolicy() });
    assertResult(forbidden, { outcome: "misconfigured", code: "address-forbidden" });
  });

  test("distinguishes endless headers and non-HTTP responses from a lost connection", async (t) => {
    for (const answer of ["SSH-2.0-OpenSSH_9.2\r\n", `HTTP/1.1 200 OK\r\nx: ${"x".repeat(40_000)}\r\n\r\n`]) {
      const server = await startTcp((socket) => socket.once("data", () => socket.write(answer)));
      t.after(() => server.stop());
      const target = { type: "api_token", additionalParams: { check_url: `http://127.0.0.1:${server.port}/me` } };
      const result = await tryOut(apiToken, { target, secret: token });
      assertResult(result, { outcome: "misconfigured", code: "protocol-error" });
    }
  });

  test("refuses an invalid check before sending anything", async () => {
    const known = api.requests().length;
    const bad: Record<string, unknown>[] = [
      { check_url: "ftp://127.0.0.1/" },
      { check_url: "127.0.0.1/me" },
      { check_url: 7 },
      { check_url: `https://robot:pass@127.0.0.1:${api.port}/me` },
      { method: "DELETE" },
      { header: "two words" },
      { header: "Host" },
      { scheme: "two words" },
      { scheme: "Basic" },
      { expect_status: "2xx" },
      { expect_status: "299-200" },
      { ca: "not a certificate" },
    ];
    for (const more of bad) assertResult(await verify("/me", more), { outcome: "misconfigured", code: "bad-input" });
    for (const secret of ["two\r\nX-Evil: lines", "snowman \u2603 token", " space before", "null\0character"]) {
      assertResult(await verify("/me", {}, secret), { outcome: "misconfigured", code: "bad-input" });
    }
    assert.equal(api.requests().length, known);
  });
});
