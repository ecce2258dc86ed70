// Tests RADIUS against a real FreeRADIUS server, and its packets against the examples of RFC 2865.
import assert from "node:assert/strict";
import { createHash, createHmac, randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { Secret } from "@strongroom/keys";
import fc from "fast-check";
import { aContext, aTarget } from "../../testing/factories.ts";
import { withoutLeak } from "../../testing/leak-watch.ts";
import { assertResult, connectorSuite, tryOut, type Rows } from "../../testing/suite.ts";
import { needs } from "../../testing/targets/availability.ts";
import { freeradiusAvailable, startFreeradius, type RadiusServer } from "../../testing/targets/freeradius.ts";
import { HOSTILE_UDP, startUdp } from "../../testing/targets/hostile-udp.ts";
import { BAD_INPUT, trial, VERIFIED, WRONG_PASSWORD } from "../../testing/trials.ts";
import type { Target } from "../connector.ts";
import { decodeAnswer, encodeRequest, hidePassword } from "./packet.ts";
import { radius } from "./radius.ts";

const NEEDS = needs(freeradiusAvailable());
const newPassword = () => randomBytes(12).toString("base64url");
const secretOf = (password: string, shared_secret: string) => JSON.stringify({ password, shared_secret });

const at = (server: Pick<RadiusServer, "host" | "port">, username: string, more = {}): Partial<Target> => ({
  type: "application",
  host: server.host,
  port: server.port,
  username,
  additionalParams: { protocol: "radius", ...more },
});

async function rows(): Promise<Rows> {
  const server = await startFreeradius();
  const { user, locked, sharedSecret } = server;
  const own = at(server, user.username);
  return {
    good: trial(own, secretOf(user.password, sharedSecret), VERIFIED),
    wrong: trial(own, secretOf(newPassword(), sharedSecret), WRONG_PASSWORD),
    locked: {
      ...trial(own, secretOf(locked.password, sharedSecret), WRONG_PASSWORD),
      target: at(server, locked.username),
      note: "RADIUS has one answer for every refusal",
    },
    expired: { ...trial(own, secretOf(newPassword(), sharedSecret), WRONG_PASSWORD), note: "as above" },
    // RADIUS over UDP has no TLS: the shared secret replaces it, as the tests below show.
    encryption: [],
    elsewhere: (host, port) => at({ host, port }, user.username),
    stop: () => server.stop(),
  };
}

connectorSuite({ connector: radius, needs: NEEDS, hostiles: HOSTILE_UDP, start: rows });

describe("RADIUS: trusted answers, and refusals", { ...NEEDS, concurrency: 1 }, () => {
  let server: RadiusServer;
  before(async () => {
    server = await startFreeradius({ isProtected: false });
  });
  after(() => server?.stop());
  const verify = (secret: string, more = {}, timeoutMs = 8_000) =>
    withoutLeak([server.user.password, server.sharedSecret], () =>
      radius.verify(aTarget(at(server, server.user.username, more)), Secret.fromText(secret), aContext({ timeoutMs })),
    );

  test("ignores an answer that could be forged, unless the entry allows it", async () => {
    const secret = secretOf(server.user.password, server.sharedSecret);
    assertResult(await verify(secret), { outcome: "misconfigured", code: "insecure-authentication" });
    assertResult(await verify(secret, { require_message_authenticator: false }), VERIFIED);
  });

  test("a wrong shared secret gets no answer, and the message says so", async () => {
    const result = await verify(secretOf(server.user.password, newPassword()), {}, 1_000);
    assertResult(result, { outcome: "unreachable", code: "timeout" });
    assert.match(result.message, /shared secret/);
  });

  test("refuses an incomplete or oversized secret before sending anything", async () => {
    const { sharedSecret } = server;
    for (const secret of [
      "plain",
      "null",
      secretOf("", sharedSecret),
      secretOf("x".repeat(129), sharedSecret),
      secretOf("a\0b", "s"),
    ])
      assertResult(await radius.verify(aTarget(at(server, "alice")), Secret.fromText(secret), aContext()), BAD_INPUT);
  });
});

/** An answer to `request` from a server with the shared secret. */
function answerTo(request: Buffer, code: number, sharedSecret: string): Buffer {
  const head = Buffer.from([code, request[1] ?? 0, 0, 38]);
  const empty = Buffer.from([80, 18, ...Buffer.alloc(16)]);
  const mac = createHmac("md5", sharedSecret).update(head).update(request.subarray(4, 20)).update(empty).digest();
  const attributes = Buffer.concat([empty.subarray(0, 2), mac]);
  const hash = createHash("md5").update(head).update(request.subarray(4, 20)).update(attributes).update(sharedSecret);
  return Buffer.concat([head, hash.digest(), attributes]);
}

test("distinguishes a server that asks for more than a password from one that refuses", async (t) => {
  const [shared, password] = [newPassword(), newPassword()];
  const server = await startUdp((socket, from, request) =>
    socket.send(answerTo(request, 11, shared), from.port, from.address),
  );
  t.after(() => server.stop());
  const result = await tryOut(radius, { target: at(server, "alice"), secret: secretOf(password, shared) });
  assertResult(result, { outcome: "misconfigured", code: "second-factor" });
});

test("hides a password as in the example of RFC 2865 §7.1, and accepts the example's answer", () => {
  const authenticator = Buffer.from("0f403f9473978057bd83d5cb98f4227a", "hex");
  const hidden = hidePassword(Buffer.from("arctangent"), "xyzzy5461", authenticator);
  assert.equal(hidden.toString("hex"), "0dbe708d93d413ce3196e43f782a0aee");
  const request = Buffer.concat([Buffer.from([1, 0, 0, 20]), authenticator]);
  const answer = Buffer.from("0200002686fe220e7624ba2a1005f6bf9b55e0b20606000000010f06000000000e06c0a80103", "hex");
  assert.deepEqual(decodeAnswer(answer, request, "xyzzy5461"), { code: 2, isProtected: false });
});

test("accepts an answer only if it is unchanged and answers its own request", () => {
  const login = { username: "alice", password: newPassword(), sharedSecret: newPassword(), id: 7 };
  const request = encodeRequest({ ...login, authenticator: randomBytes(16) });
  const answer = answerTo(request, 2, login.sharedSecret);
  assert.deepEqual(decodeAnswer(answer, request, login.sharedSecret), { code: 2, isProtected: true });
  assert.equal(
    decodeAnswer(answer, encodeRequest({ ...login, authenticator: randomBytes(16) }), login.sharedSecret),
    null,
  );
  fc.assert(
    fc.property(fc.nat(answer.length - 1), fc.nat(7), (index, bit) => {
      const changed = Buffer.from(answer);
      changed.writeUInt8(changed.readUInt8(index) ^ (1 << bit), index);
      assert.equal(decodeAnswer(changed, request, login.sharedSecret), null);
    }),
    { numRuns: 200 },
  );
  fc.assert(fc.property(fc.uint8Array(), (bytes) => decodeAnswer(Buffer.from(bytes), request, "s") === null));
});
