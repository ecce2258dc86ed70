// Tests SNMPv3 against a real snmpd.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { assertResult, connectorSuite, tryOut, type Rows } from "../../testing/suite.ts";
import { needs } from "../../testing/targets/availability.ts";
import { HOSTILE_UDP, startUdp } from "../../testing/targets/hostile-udp.ts";
import { snmpdAvailable, startSnmpd, type Snmpd } from "../../testing/targets/snmpd.ts";
import { VERIFIED, WRONG_PASSWORD } from "../../testing/trials.ts";
import type { Target } from "../connector.ts";
import { securityFlags } from "./allowed-socket.ts";
import { snmpv3 } from "./snmpv3.ts";

const aSecret = () => randomBytes(12).toString("base64url");
const silent = { outcome: "unreachable", code: "timeout" } as const;

const shared = aSecret();
const both = { name: "both", auth: "SHA", password: shared, priv: { protocol: "AES", password: shared } };
const strong = { name: "strong", auth: "SHA-256", password: aSecret(), priv: { protocol: "AES", password: aSecret() } };
const signed = { name: "signed", auth: "SHA-512", password: aSecret() };

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

async function rows(): Promise<Rows> {
  const agent = await startSnmpd([both]);
  const target = at(agent, both.name);
  return {
    good: { target, secret: both.password, expect: VERIFIED },
    wrong: { target, secret: aSecret(), expect: WRONG_PASSWORD },
    locked: { target: at(agent, "nobody"), secret: aSecret(), expect: WRONG_PASSWORD, note: "SNMP has no lockout" },
    expired: { target: at(agent, "nobody"), secret: aSecret(), expect: WRONG_PASSWORD, note: "SNMP has no expiry" },
    encryption: [
      {
        name: "SNMPv3 has its own: ssl_enabled changes nothing",
        target: { ...target, sslEnabled: true },
        secret: both.password,
        expect: VERIFIED,
      },
    ],
    elsewhere: (host, port) => at({ host, port }, both.name),
    stop: () => agent.stop(),
  };
}

connectorSuite({
  connector: snmpv3,
  needs: needs(snmpdAvailable()),
  hostiles: HOSTILE_UDP,
  start: rows,
});

describe("SNMPv3 against a real snmpd", { ...needs(snmpdAvailable()), concurrency: 1 }, () => {
  let agent: Snmpd;
  before(async () => {
    agent = await startSnmpd([both, strong, signed]);
  });
  after(() => agent?.stop());
  const verify = (target: Partial<Target>, secret: string, timeoutMs = 10_000) =>
    tryOut(snmpv3, { target, secret }, { timeoutMs });
  const pair = (auth: string, priv: string) => JSON.stringify({ auth, priv });

  test("repeatedly verifies one password for both keys, two passwords, and authentication alone", async () => {
    assertResult(await verify(at(agent, "both"), both.password), VERIFIED);
    assertResult(await verify(at(agent, "both"), both.password), VERIFIED);
    const two = pair(strong.password, strong.priv.password);
    assertResult(await verify(at(agent, "strong", { auth_protocol: "SHA256" }), two), VERIFIED);
    const alone = { auth_protocol: "sha512", priv_protocol: "none" };
    assertResult(await verify(at(agent, "signed", alone), signed.password), VERIFIED);
  });

  test("reports a wrong password and an unknown user", async () => {
    assertResult(await verify(at(agent, "both"), "not-the-password"), WRONG_PASSWORD);
    assertResult(await verify(at(agent, "nobody"), both.password), WRONG_PASSWORD);
    assertResult(await verify(at(agent, "both", { auth_protocol: "sha512" }), both.password), WRONG_PASSWORD);
  });

  test("a wrong privacy password gets no answer, and the message mentions that possibility", async () => {
    const target = at(agent, "strong", { auth_protocol: "sha256" });
    const result = await verify(target, pair(strong.password, aSecret()), 1_000);
    assertResult(result, silent);
    assert.match(result.message, /privacy password/);
  });

  test("reports a user without privacy when the entry requires it", async () => {
    const result = await verify(at(agent, "signed", { auth_protocol: "sha512" }), signed.password);
    assertResult(result, { outcome: "misconfigured", code: "method-not-offered" });
  });

  test("refuses invalid settings before sending anything", async () => {
    const bad = { outcome: "misconfigured", code: "bad-input" } as const;
    assertResult(await verify(at(agent, "both"), "short-1"), bad);
    assertResult(await verify(at(agent, ""), both.password), bad);
    assertResult(await verify(at(agent, "x".repeat(33)), both.password), bad);
    for (const more of [
      { auth_protocol: "none" },
      { auth_protocol: "toString" },
      { priv_protocol: "des" },
      { context: 7 },
    ])
      assertResult(await verify(at(agent, "both", more), both.password), bad);
  });
});

test("INVARIANT: an answer that is not signed with the user's key verifies nothing", async (t) => {
  // A report that names the engine, then an unauthenticated answer to the request.
  const impostor = await startUdp((socket, from, datagram) => {
    const isDiscovery = securityFlags(datagram) % 4 === 0;
    socket.send(isDiscovery ? report(datagram) : plainAnswer(datagram), from.port);
  });
  t.after(() => impostor.stop());
  const target = at(impostor, "both", { priv_protocol: "none" });
  const result = await tryOut(snmpv3, { target, secret: aSecret() }, { timeoutMs: 8_000 });
  assertResult(result, { outcome: "misconfigured", code: "password-not-checked" });
});

const ber = (tag: number, ...parts: (Buffer | number[])[]): Buffer => {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
};
const whole = (value: number) => ber(2, [value >> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255]);
const ENGINE = Buffer.from("80001f8880aabbccdd11223344", "hex");
const UP_TIME = Buffer.from("2b06010201010300", "hex");

/** The first integer of a message: the message id, or in a plain PDU the request id. */
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

/** usmStatsUnknownEngineIDs, an agent's answer to the first request. */
function report(datagram: Buffer): Buffer {
  const counter = ber(0x30, ber(6, Buffer.from("2b060106030f01010400", "hex")), ber(0x41, [1]));
  return message(datagram, ber(0xa8, whole(0), ber(2, [0]), ber(2, [0]), ber(0x30, counter)));
}

function plainAnswer(datagram: Buffer): Buffer {
  // The GET is unencrypted: its request id is the first integer in it.
  const at = datagram.lastIndexOf(0xa0);
  const request = datagram.subarray(at + 2, at + 4 + (datagram[at + 3] ?? 0));
  const upTime = ber(0x30, ber(6, UP_TIME), ber(0x43, [1, 2, 3]));
  return message(datagram, ber(0xa2, request, ber(2, [0]), ber(2, [0]), ber(0x30, upTime)));
}
