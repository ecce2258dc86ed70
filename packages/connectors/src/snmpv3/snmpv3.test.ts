// SNMPv3 against a real snmpd. The shared suite speaks of TCP; its promises are asserted here over UDP.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import { after, before, describe, test, type TestContext } from "node:test";
import fc from "fast-check";
import { assertResult, tryOut } from "../../testing/suite.ts";
import { needs } from "../../testing/targets/availability.ts";
import { snmpdAvailable, startSnmpd, type Snmpd, type SnmpUser } from "../../testing/targets/snmpd.ts";
import type { Target } from "../connector.ts";
import { networkPolicy } from "../network-policy.ts";
import { securityFlags } from "./allowed-socket.ts";
import { snmpv3 } from "./snmpv3.ts";

const aSecret = () => randomBytes(12).toString("base64url");
const verified = { outcome: "verified" } as const;
const wrong = { outcome: "rejected", code: "wrong-password" } as const;
const silent = { outcome: "unreachable", code: "timeout" } as const;

const [both, strong, signed]: SnmpUser[] = [
  { name: "both", auth: "SHA", password: aSecret() },
  { name: "strong", auth: "SHA-256", password: aSecret(), priv: { protocol: "AES", password: aSecret() } },
  { name: "signed", auth: "SHA-512", password: aSecret() },
] as [SnmpUser, SnmpUser, SnmpUser];
both!.priv = { protocol: "AES", password: both!.password };

const at = (
  place: { host: string; port: number },
  username: string,
  additionalParams: object = {},
): Partial<Target> => ({
  type: "password",
  host: place.host,
  port: place.port,
  username,
  additionalParams: { protocol: "snmpv3", ...additionalParams },
});

describe("SNMPv3 against a real snmpd", { ...needs(snmpdAvailable()), concurrency: 1 }, () => {
  let agent: Snmpd;
  before(async () => {
    agent = await startSnmpd([both!, strong!, signed!]);
  });
  after(() => agent?.stop());
  const verify = (target: Partial<Target>, secret: string, timeoutMs = 4_000) =>
    tryOut(snmpv3, { target, secret }, { timeoutMs });
  const pair = (auth: string, priv: string) => JSON.stringify({ auth, priv });

  test("one password for both, two passwords, and authentication alone are verified, again and again", async () => {
    assertResult(await verify(at(agent, "both"), both!.password), verified);
    assertResult(await verify(at(agent, "both"), both!.password), verified);
    const two = pair(strong!.password, strong!.priv!.password);
    assertResult(await verify(at(agent, "strong", { auth_protocol: "SHA256" }), two), verified);
    const alone = { auth_protocol: "sha512", priv_protocol: "none" };
    assertResult(await verify(at(agent, "signed", alone), signed!.password), verified);
  });

  test("a wrong password and an unknown user are told", async () => {
    assertResult(await verify(at(agent, "both"), "not-the-password"), wrong);
    assertResult(await verify(at(agent, "nobody"), both!.password), wrong);
    assertResult(await verify(at(agent, "both", { auth_protocol: "sha512" }), both!.password), wrong);
  });

  test("a wrong privacy password is silence, and the message says that it may be that", async () => {
    const target = at(agent, "strong", { auth_protocol: "sha256" });
    const result = await verify(target, pair(strong!.password, aSecret()), 1_000);
    assertResult(result, silent);
    assert.match(result.message, /privacy password/);
  });

  test("a user without privacy that is asked for it is told apart", async () => {
    const result = await verify(at(agent, "signed", { auth_protocol: "sha512" }), signed!.password);
    assertResult(result, { outcome: "misconfigured", code: "method-not-offered" });
  });

  test("what cannot be is refused before anything is sent", async () => {
    const bad = { outcome: "misconfigured", code: "bad-input" } as const;
    assertResult(await verify(at(agent, "both"), "short-1"), bad);
    assertResult(await verify(at(agent, ""), both!.password), bad);
    assertResult(await verify(at(agent, "x".repeat(33)), both!.password), bad);
    for (const more of [
      { auth_protocol: "none" },
      { auth_protocol: "toString" },
      { priv_protocol: "des" },
      { context: 7 },
    ])
      assertResult(await verify(at(agent, "both", more), both!.password), bad);
  });

  test("INVARIANT: no result of a connector holds the secret, nor does the log, whatever the secret is", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 12, maxLength: 40, unit: "binary" }), async (secret) => {
        if (!secret.isWellFormed() || new Set(secret).size < 4) return;
        const result = await verify(at(agent, "both"), secret, 1_000);
        assert.notEqual(result.outcome, "verified");
      }),
      { numRuns: 20 },
    );
  });
});

describe("SNMPv3: where nothing good answers", { concurrency: 4 }, () => {
  const secret = aSecret();
  const verify = (place: { host: string; port: number }, context: object = {}) =>
    tryOut(snmpv3, { target: at(place, "both"), secret }, { timeoutMs: 600, ...context });

  async function impostor(t: TestContext, behave: (datagram: Buffer, from: RemoteInfo, socket: Socket) => void) {
    const socket = createSocket("udp4").bind(0, "127.0.0.1");
    await once(socket, "listening");
    let heard = Buffer.alloc(0);
    socket.on("message", (datagram, from) => {
      heard = Buffer.concat([heard, datagram]);
      behave(datagram, from, socket);
    });
    t.after(() => void socket.close());
    return { host: "127.0.0.1", port: socket.address().port, heard: () => heard };
  }

  test("a port on which nothing listens is refused", async (t) => {
    const gone = createSocket("udp4").bind(0, "127.0.0.1");
    await once(gone, "listening");
    const { port } = gone.address();
    gone.close();
    t.diagnostic(`port ${port}`);
    assertResult(await verify({ host: "127.0.0.1", port }), { outcome: "unreachable", code: "refused" });
  });

  test("an agent that is silent, echoes, or sends garbage holds neither time nor memory", async (t) => {
    const quiet = await impostor(t, () => {});
    const startedAt = performance.now();
    assertResult(await verify(quiet), silent);
    assert.ok(performance.now() - startedAt < 2_000);
    const echo = await impostor(t, (datagram, from, socket) => socket.send(datagram, from.port));
    const garbage = await impostor(t, (_, from, socket) => {
      for (let index = 0; index < 200; index += 1) socket.send(randomBytes(1_400), from.port);
    });
    for (const place of [echo, garbage]) {
      const result = await verify(place);
      assert.ok(["unreachable", "misconfigured"].includes(result.outcome), result.message);
      assert.ok(!place.heard().includes(secret));
    }
  });

  test("INVARIANT: an answer that is not signed with the user's key verifies nothing", async (t) => {
    // A report that names the engine, then an answer to the question without authentication (net-snmp's agent, flags taken away).
    const place = await impostor(t, (datagram, from, socket) => {
      const isDiscovery = securityFlags(datagram) % 4 === 0;
      socket.send(isDiscovery ? report(datagram) : plainAnswer(datagram), from.port);
    });
    const target = at(place, "both", { priv_protocol: "none" });
    const result = await tryOut(snmpv3, { target, secret }, { timeoutMs: 600 });
    assertResult(result, { outcome: "misconfigured", code: "password-not-checked" });
  });

  test("forbidden addresses and names that do not resolve are sent nothing", async () => {
    assertResult(await verify({ host: "169.254.169.254", port: 161 }), {
      outcome: "misconfigured",
      code: "address-forbidden",
    });
    assertResult(await verify({ host: "127.0.0.1", port: 161 }, { network: networkPolicy() }), {
      outcome: "misconfigured",
      code: "address-forbidden",
    });
    const lookup = async () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
    const result = await verify({ host: "router.nowhere.example", port: 161 }, { network: networkPolicy({ lookup }) });
    assertResult(result, { outcome: "unreachable", code: "dns-failure" });
  });

  test("a cancelled attempt ends at once", async (t) => {
    const quiet = await impostor(t, () => {});
    const abort = new AbortController();
    const running = verify(quiet, { signal: abort.signal, timeoutMs: 20_000 });
    setTimeout(() => abort.abort(), 50);
    assertResult(await running, { outcome: "unreachable", code: "cancelled" });
  });
});

const ber = (tag: number, ...parts: (Buffer | number[])[]): Buffer => {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
};
const whole = (value: number) => ber(2, [value >> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255]);
const ENGINE = Buffer.from("80001f8880aabbccdd11223344", "hex");
const UP_TIME = Buffer.from("2b06010201010300", "hex");

/** The first whole numbers of a message: its id, and that of the request in a plain PDU. */
function idOf(datagram: Buffer): Buffer {
  // SEQUENCE, version, SEQUENCE, then msgID with its tag and length.
  const at = datagram.indexOf(Buffer.from([2, 1, 3])) + 3;
  const start = at + 2;
  return datagram.subarray(start, start + 2 + (datagram[start + 1] ?? 0));
}

function message(datagram: Buffer, pdu: Buffer): Buffer {
  const parameters = ber(0x30, ber(4, ENGINE), whole(1), whole(100), ber(4, Buffer.from("both")), ber(4), ber(4));
  const header = ber(0x30, idOf(datagram), whole(65_507), ber(4, [0]), ber(2, [3]));
  return ber(0x30, ber(2, [3]), header, ber(4, parameters), ber(0x30, ber(4, ENGINE), ber(4), pdu));
}

/** usmStatsUnknownEngineIDs, as an agent answers the first question. */
function report(datagram: Buffer): Buffer {
  const counter = ber(0x30, ber(6, Buffer.from("2b060106030f01010400", "hex")), ber(0x41, [1]));
  return message(datagram, ber(0xa8, whole(0), ber(2, [0]), ber(2, [0]), ber(0x30, counter)));
}

function plainAnswer(datagram: Buffer): Buffer {
  // The GET stands in the clear: its request id is the first whole number in it.
  const at = datagram.lastIndexOf(0xa0);
  const request = datagram.subarray(at + 2, at + 4 + (datagram[at + 3] ?? 0));
  const upTime = ber(0x30, ber(6, UP_TIME), ber(0x43, [1, 2, 3]));
  return message(datagram, ber(0xa2, request, ber(2, [0]), ber(2, [0]), ber(0x30, upTime)));
}
