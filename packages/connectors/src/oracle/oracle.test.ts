// Tests Oracle without a real or fake server: failing connections, redirections, error numbers, quoting.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import { Secret } from "@strongroom/keys";
import fc from "fast-check";
import { assertChange, tryChange } from "../../testing/capabilities.ts";
import { aContext, aTarget } from "../../testing/factories.ts";
import { assertResult, tryOut } from "../../testing/suite.ts";
import { MISBEHAVIOURS, startHostile, startTcp, type Misbehaviour } from "../../testing/targets/hostile.ts";
import { freePort } from "../../testing/targets/server-process.ts";
import type { Target } from "../connector.ts";
import { changeRefusal, loginFailure } from "./failures.ts";
import { oracle } from "./oracle.ts";
import { watchForRedirect } from "./relay.ts";
import { alterUser, isName, isService, writtenName } from "./statements.ts";

const aSecret = () => randomBytes(12).toString("base64url");
const at = (host: string, port: number, more: Partial<Target> = {}): Partial<Target> => ({
  type: "oracle",
  host,
  port,
  username: "app",
  databaseName: "orclpdb1",
  ...more,
});
const packet = (type: number, content: Buffer) => {
  const head = Buffer.alloc(8);
  head.writeUInt16BE(content.length + 8);
  head[4] = type;
  return Buffer.concat([head, content]);
};

describe("Oracle: failing connections", { concurrency: 4 }, () => {
  const secret = aSecret();

  test("refuses a closed port, and does not connect to a forbidden address", async () => {
    const nowhere = await tryOut(oracle, { target: at("127.0.0.1", await freePort()), secret });
    assertResult(nowhere, { outcome: "unreachable", code: "refused" });
    const forbidden = await tryOut(oracle, { target: at("169.254.169.254", 80), secret });
    assertResult(forbidden, { outcome: "misconfigured", code: "address-forbidden" });
  });

  for (const misbehaviour of Object.keys(MISBEHAVIOURS) as Misbehaviour[]) {
    test(`limits the time and memory that a hostile server can use: ${misbehaviour}`, async (t) => {
      const server = await startHostile(misbehaviour);
      t.after(() => server.stop());
      const startedAt = performance.now();
      const result = await tryOut(oracle, { target: at(server.host, server.port), secret }, { timeoutMs: 500 });
      assert.ok(performance.now() - startedAt < 6_000, "took too long");
      assert.ok(["unreachable", "misconfigured"].includes(result.outcome), `${result.outcome}: ${result.message}`);
      if (misbehaviour === "black-hole") assertResult(result, { outcome: "unreachable", code: "timeout" });
      await server.idle();
      assert.ok(!server.received().includes(secret));
      const changing = { target: at(server.host, server.port), secret, candidate: aSecret() };
      const change = await tryChange(oracle, changing, { timeoutMs: 300 });
      assert.equal(change.outcome, "unsent", change.message);
    });
  }

  test("a cancelled attempt ends immediately and closes its connection", async (t) => {
    const server = await startHostile("black-hole");
    t.after(() => server.stop());
    const abort = new AbortController();
    const running = tryOut(oracle, { target: at(server.host, server.port), secret }, { signal: abort.signal });
    setTimeout(() => abort.abort(), 50);
    assertResult(await running, { outcome: "unreachable", code: "cancelled" });
    await server.idle();
  });

  test("INVARIANT: a redirection never reaches the driver, which would connect to whatever address the server names", async (t) => {
    const other = await startHostile("black-hole");
    const place = `(ADDRESS=(PROTOCOL=TCP)(HOST=127.0.0.1)(PORT=${other.port}))`;
    const data = Buffer.from(place);
    const length = Buffer.from([data.length >> 8, data.length & 255]);
    const listener = await startTcp((socket) => {
      socket.once("data", () => socket.write(packet(5, Buffer.concat([length, data]))));
    });
    t.after(() => Promise.all([other.stop(), listener.stop()]));
    const result = await tryOut(oracle, { target: at("127.0.0.1", listener.port), secret }, { timeoutMs: 8_000 });
    assertResult(result, { outcome: "misconfigured", code: "redirected" });
    assert.equal(other.connections(), 0);
  });

  test("reports a service that the listener does not know", async (t) => {
    const refusal = Buffer.from("(DESCRIPTION=(TMP=)(VSNNUM=0)(ERR=12514)(ERROR_STACK=(ERROR=(CODE=12514)(EMFI=4))))");
    const content = Buffer.concat([Buffer.from([0, 0, refusal.length >> 8, refusal.length & 255]), refusal]);
    const listener = await startTcp((socket) => socket.once("data", () => socket.write(packet(4, content))));
    t.after(() => listener.stop());
    const result = await tryOut(oracle, { target: at("127.0.0.1", listener.port), secret }, { timeoutMs: 8_000 });
    assertResult(result, { outcome: "misconfigured", code: "no-such-database" });
  });

  test("sends nothing that could be misread", async () => {
    const bad = { outcome: "misconfigured", code: "bad-input" } as const;
    for (const more of [
      { databaseName: "x)(ADDRESS=(HOST=evil)" },
      { databaseName: null },
      { username: 'a" IDENTIFIED BY "x' },
      { username: "" },
    ])
      assertResult(await tryOut(oracle, { target: at("127.0.0.1", 1, more), secret }), bad);
    const candidate = `${aSecret()}" ACCOUNT UNLOCK --`;
    const changing = { target: at("127.0.0.1", 1), secret, candidate };
    assertChange(await tryChange(oracle, changing), { outcome: "unsent", code: "bad-input" });
    const by = { username: "system", secret: Secret.fromText(secret) };
    const reset = await oracle.reconcile!(aTarget(at("127.0.0.1", 1)), by, Secret.fromText(candidate), aContext());
    assertChange(reset, { outcome: "unsent", code: "bad-input" });
  });
});

describe("Oracle: error numbers and names", () => {
  const address = { scheme: null, host: "db1", port: 1521, username: "app", database: "s", tlsMode: null };

  test("interprets the error numbers of a login and of a change", () => {
    const login = (number: number) => {
      const failure = loginFailure(number, address);
      return failure !== null && "code" in failure ? failure.code : null;
    };
    assert.deepEqual([1017, 28000, 28001, 1045, 12514, -518, 1034, 12519, 28040, 942].map(login), [
      "wrong-password",
      "account-locked",
      "password-expired",
      "no-permission",
      "no-such-database",
      "no-such-database",
      "not-ready",
      "too-many-connections",
      "method-not-offered",
      null,
    ]);
    const change = (number: number | null) => {
      const finding = changeRefusal(number, "db1:1521", "app");
      return "code" in finding ? finding.code : finding.outcome;
    };
    assert.deepEqual([28003, 28007, 1031, 1918, 28008, 3113, -500, null].map(change), [
      "password-rules",
      "reused",
      "no-permission",
      "no-such-account",
      "not-changeable",
      "unknown",
      "unknown",
      "unknown",
    ]);
  });

  test("a statement contains exactly one name and one password, whatever characters they contain", () => {
    assert.equal(writtenName("scott"), '"SCOTT"');
    assert.equal(writtenName("Mixed Case"), '"Mixed Case"');
    assert.equal(writtenName("müller"), "müller");
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (name, password) => {
        fc.pre(isName(name) && isName(password));
        const statement = alterUser(name, password);
        const [before = "", identifiedBy] = statement.split(` IDENTIFIED BY "${password}"`);
        assert.equal(identifiedBy, "");
        assert.match(before, /^ALTER USER (?:"[^"]+"|\p{L}[\p{L}\p{Nd}_$#]*)$/su);
      }),
    );
    assert.ok(isService("orcl.example.com") && !isService("a)b") && !isService("") && !isService("-a"));
  });

  test("finds a redirection however its bytes are split, and only before the connection is accepted", () => {
    const whole = Buffer.concat([packet(11, Buffer.alloc(0)), packet(5, Buffer.from("x"))]);
    for (let size = 1; size <= whole.length; size += 1) {
      const watch = watchForRedirect();
      let isFound = false;
      for (let at = 0; at < whole.length; at += size) isFound ||= watch(whole.subarray(at, at + size));
      assert.ok(isFound, `in pieces of ${size}`);
    }
    const watch = watchForRedirect();
    assert.ok(!watch(packet(2, Buffer.alloc(4))) && !watch(packet(5, Buffer.alloc(4))));
  });
});
