// The shared suite: the guarantees of every connector. It asserts unsupported features too.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Secret } from "@strongroom/keys";
import fc from "fast-check";
import type { Connector, Target, VerifyContext, VerifyResult } from "../src/connector.ts";
import { networkPolicy } from "../src/network-policy.ts";
import { secretTexts } from "../src/private-key/json-secret.ts";
import { capabilityTests, type CapabilityRows } from "./capabilities.ts";
import { aContext, aTarget } from "./factories.ts";
import { withoutLeak } from "./leak-watch.ts";
import { freePort } from "./targets/server-process.ts";
import { MISBEHAVIOURS, startHostile, type HostileServer, type Misbehaviour } from "./targets/hostile.ts";

export interface Trial {
  target: Partial<Target>;
  secret: string;
  /** Members that the result must have. */
  expect: { outcome: VerifyResult["outcome"]; code?: string; reason?: string };
}

/**
 * The real target and its expected results. A row that a system does not have holds the actual result, explained in
 * `note`; capabilities that a connector lacks have no rows.
 */
export interface Rows extends CapabilityRows {
  good: Trial;
  wrong: Trial;
  locked: Trial & { note?: string };
  expired: Trial & { note?: string };
  /** If the protocol uses TLS: at least an untrusted certificate and one that was issued for a different name. */
  encryption: (Trial & { name: string })[];
  /** The working target at a different address. */
  elsewhere(host: string, port: number): Partial<Target>;
  stop(): Promise<void>;
}

export interface SuiteOptions {
  connector: Connector;
  needs: { skip?: string };
  /** Misbehaving servers for a protocol that is not over TCP. */
  hostiles?: Hostiles;
  start: () => Promise<Rows>;
}

/** Starts misbehaving servers, by the kind of misbehaviour. */
export interface Hostiles {
  start(misbehaviour: Misbehaviour): Promise<HostileServer>;
  kinds: readonly Misbehaviour[];
}

const OVER_TCP: Hostiles = { start: startHostile, kinds: Object.keys(MISBEHAVIOURS) as Misbehaviour[] };

/** How long a hostile server may delay an attempt. */
const PATIENCE_MS = 400;
/** Allowance for scheduling on a busy machine. */
const SLACK_MS = 5_000;
/** The most that a hostile server can send: the connector's limit plus the system buffers on both sides. */
const MAX_SENT_BYTES = 16 * 1024 * 1024;

/** One attempt, asserting that its result does not contain the secret. */
export async function tryOut(
  connector: Connector,
  trial: Pick<Trial, "target" | "secret">,
  context: Partial<VerifyContext> = {},
): Promise<VerifyResult> {
  return withoutLeak(secretTexts(trial.secret), () =>
    connector.verify(aTarget(trial.target), Secret.fromText(trial.secret), aContext(context)),
  );
}

/** Asserts that the result has the members of `expected` and the promised shape. */
export function assertResult(result: VerifyResult, expected: Trial["expect"]): void {
  const { outcome, ...rest } = result;
  const code = "code" in rest ? rest.code : undefined;
  const reason = "reason" in rest ? rest.reason : undefined;
  const shown = { outcome, ...(code === undefined ? {} : { code }), ...(reason === undefined ? {} : { reason }) };
  assert.deepEqual(shown, expected, result.message);
  assert.ok(Number.isInteger(result.durationMs) && result.durationMs >= 0);
  assert.match(result.message, /^\S.*[.?]$/s, "a message is a sentence");
}

export function connectorSuite({ connector, needs, hostiles = OVER_TCP, start }: SuiteOptions): void {
  describe(`${connector.name}: the shared suite`, { ...needs, concurrency: 1 }, () => {
    let rows: Rows;
    before(async () => {
      rows = await start();
    });
    after(() => rows?.stop());

    const check = async (trial: Trial, context: Partial<VerifyContext> = {}) =>
      assertResult(await tryOut(connector, trial, context), trial.expect);

    test("verifies a working secret", () => check(rows.good));
    test("does not verify a wrong secret", () => check(rows.wrong));
    test("reports a locked account if the system reveals it", () => check(rows.locked));
    test("reports an expired account or secret if the system reveals it", () => check(rows.expired));
    test("TLS: names every fault of the server, and never falls back to clear text", async (t) => {
      for (const trial of rows.encryption) await t.test(trial.name, () => check(trial));
    });
    test("verifies the same secret a second time: an attempt leaves nothing behind", async () => {
      await check(rows.good);
      await check(rows.good);
    });
    test("a cancelled attempt sends nothing", async () => {
      const signal = AbortSignal.abort();
      assertResult(await tryOut(connector, rows.good, { signal }), { outcome: "unreachable", code: "cancelled" });
    });

    networkTests(connector, () => rows, hostiles);
    capabilityTests(connector, () => rows);
  });
}

function networkTests(connector: Connector, rows: () => Rows, hostiles: Hostiles): void {
  const goodAt = (host: string, port: number) => ({ target: rows().elsewhere(host, port), secret: rows().good.secret });

  test("a closed port is reported as refused, not as failed", async () => {
    const result = await tryOut(connector, goodAt("127.0.0.1", await freePort()));
    assertResult(result, { outcome: "unreachable", code: "refused" });
  });

  test("an unresolvable name is reported as a DNS failure", async () => {
    const lookup = async () => Promise.reject(Object.assign(new Error("not found"), { code: "ENOTFOUND" }));
    const network = networkPolicy({ lookup });
    const result = await tryOut(connector, goodAt("db.nowhere.example", 1), { network });
    assertResult(result, { outcome: "unreachable", code: "dns-failure" });
  });

  test("connects only to the address that was checked, even if the name changes in between", async (t) => {
    const server = await hostiles.start("black-hole");
    t.after(() => server.stop());
    let lookups = 0;
    const lookup = async () => [++lookups === 1 ? "169.254.169.254" : "127.0.0.1"];
    const network = networkPolicy({ allowLoopback: true, lookup });
    const result = await tryOut(connector, goodAt("rebinding.example", server.port), { network });
    assertResult(result, { outcome: "misconfigured", code: "address-forbidden" });
    assert.equal(lookups, 1);
    assert.equal(server.connections(), 0);
  });

  for (const host of ["169.254.169.254", "[fe80::1]", "metadata.google.internal", "0.0.0.0"]) {
    test(`does not connect to the forbidden address ${host}`, async () => {
      assertResult(await tryOut(connector, goodAt(host, 80)), { outcome: "misconfigured", code: "address-forbidden" });
    });
  }

  test("forbids loopback unless allowed", async (t) => {
    const server = await hostiles.start("black-hole");
    t.after(() => server.stop());
    const result = await tryOut(connector, goodAt("127.0.0.1", server.port), { network: networkPolicy() });
    assertResult(result, { outcome: "misconfigured", code: "address-forbidden" });
    assert.equal(server.connections(), 0);
  });

  test("cancelling ends an attempt immediately and closes its connection", async (t) => {
    const server = await hostiles.start("black-hole");
    t.after(() => server.stop());
    const abort = new AbortController();
    const attempt = tryOut(connector, goodAt(server.host, server.port), { signal: abort.signal });
    setTimeout(() => abort.abort(), 50);
    assertResult(await attempt, { outcome: "unreachable", code: "cancelled" });
    await server.idle();
  });

  for (const misbehaviour of hostiles.kinds) {
    test(`limits the time and memory that a hostile server can use: ${misbehaviour}`, async (t) => {
      const server = await hostiles.start(misbehaviour);
      t.after(() => server.stop());
      const startedAt = performance.now();
      // A server that ends the connection ends the attempt too: only the others need a deadline.
      const isEndless = misbehaviour !== "closes" && misbehaviour !== "resets";
      const timeoutMs = isEndless ? PATIENCE_MS : 10 * PATIENCE_MS;
      const result = await tryOut(connector, goodAt(server.host, server.port), { timeoutMs });
      assert.ok(performance.now() - startedAt < timeoutMs + SLACK_MS, "took too long");
      assert.ok(["unreachable", "misconfigured"].includes(result.outcome), `${result.outcome}: ${result.message}`);
      if (misbehaviour === "black-hole") assertResult(result, { outcome: "unreachable", code: "timeout" });
      if (misbehaviour === "closes") assertResult(result, { outcome: "unreachable", code: "connection-lost" });
      await server.idle();
      assert.ok(server.sent() < MAX_SENT_BYTES, `took ${server.sent()} bytes`);
      assert.ok(!server.received().includes(rows().good.secret), "the secret went out in clear text");
    });
  }

  test("INVARIANT: neither the result of a connector nor the log contains the secret, whatever the secret is", async (t) => {
    const kinds = (["garbage", "echo", "closes", "resets"] as const).filter((kind) => hostiles.kinds.includes(kind));
    const servers = await Promise.all(kinds.map(hostiles.start));
    t.after(() => Promise.all(servers.map((server) => server.stop())));
    const closed = await freePort();
    const ports = [closed, ...servers.map(({ port }) => port)];
    await fc.assert(
      fc.asyncProperty(anySecret, fc.constantFrom(...ports), async (secret, port) => {
        const { target } = goodAt("127.0.0.1", port);
        const result = await tryOut(connector, { target, secret }, { timeoutMs: 150 });
        assert.notEqual(result.outcome, "verified");
      }),
      { numRuns: 40 },
    );
  });
}

/** Secrets of 12 characters and more (shorter ones may be in a message by chance), including awkward ones. */
const anySecret = fc
  .oneof(
    fc.string({ minLength: 12, maxLength: 60 }),
    fc.string({ minLength: 12, maxLength: 60, unit: "binary" }),
    fc.base64String({ minLength: 16, maxLength: 64 }),
    fc.string({ minLength: 12 }).map((text) => JSON.stringify({ private_key: text, passphrase: text })),
    fc
      .base64String({ minLength: 64 })
      .map((text) => `-----BEGIN OPENSSH PRIVATE KEY-----\n${text}\n-----END OPENSSH PRIVATE KEY-----\n`),
    fc
      .base64String({ minLength: 64 })
      .map((text) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`),
    fc.string({ minLength: 12 }).map((text) => `postgres://u:${text}@h/'";%00\\`),
  )
  .filter((text) => text.isWellFormed() && text.trim().length >= 12 && new Set(text).size > 3);
