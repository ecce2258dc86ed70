// Tests the connector with fakes of MySQL 8 and of hostile servers: no MySQL 8 is available to test against.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { assertResult, tryOut } from "../../testing/suite.ts";
import { startTcp, type HostileServer } from "../../testing/targets/hostile.ts";
import type { VerifyResult } from "../connector.ts";
import { mysql } from "./mysql.ts";

/** CLIENT_LONG_PASSWORD, PROTOCOL_41, SECURE_CONNECTION, PLUGIN_AUTH, LOCAL_FILES … but not SSL. */
const CAPABILITIES = 0xffffffff & ~0x800;
const SALT = randomBytes(20).map((byte) => (byte % 126) + 1);
const OK = Buffer.from([0, 0, 0, 2, 0, 0, 0]);

function packet(sequence: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(4);
  header.writeUIntLE(payload.length, 0, 3);
  header[3] = sequence;
  return Buffer.concat([header, payload]);
}

/** Protocol::HandshakeV10. */
function greeting(plugin: string): Buffer {
  const capabilities = Buffer.alloc(4);
  capabilities.writeInt32LE(CAPABILITIES);
  return Buffer.concat([
    Buffer.from("\x0a8.4.0\0\x01\0\0\0", "latin1"),
    SALT.subarray(0, 8),
    Buffer.from([0]),
    capabilities.subarray(0, 2),
    Buffer.from([45, 2, 0]),
    capabilities.subarray(2),
    Buffer.from([21, ...Array<number>(10).fill(0)]),
    SALT.subarray(8),
    Buffer.from(`\0${plugin}\0`),
  ]);
}

/** Protocol::AuthSwitchRequest. */
const switchTo = (plugin: string) => Buffer.concat([Buffer.from(`\xfe${plugin}\0`, "latin1"), SALT, Buffer.from([0])]);

/** The time limit with servers that send nothing after their last reply. */
const IMPATIENT_MS = 700;

/** Sends the greeting, then answers the client's n-th packet with the n-th of `replies`. */
async function against(
  t: TestContext,
  plugin: string,
  replies: Buffer[],
  timeoutMs = 5_000,
): Promise<{ result: VerifyResult; secret: string; server: HostileServer }> {
  const left = [...replies];
  const server = await startTcp((socket: Socket) => {
    socket.write(packet(0, greeting(plugin)));
    socket.on("data", (data: Buffer) => {
      const reply = left.shift();
      if (reply !== undefined) socket.write(packet((data[3] ?? 0) + 1, reply));
    });
  });
  t.after(() => server.stop());
  const secret = randomBytes(12).toString("base64url");
  const target = { type: "mysql", host: server.host, port: server.port, username: "app" };
  const result = await tryOut(mysql, { target, secret }, { timeoutMs });
  await server.idle();
  return { result, secret, server };
}

const REFUSED = { outcome: "misconfigured", code: "insecure-authentication" } as const;

test("MySQL 8: an unencrypted login stops instead of sending a password that is not in the server's cache", async (t) => {
  const { result, secret, server } = await against(t, "caching_sha2_password", [
    switchTo("caching_sha2_password"),
    Buffer.from([1, 4]),
    Buffer.from("\x01-----BEGIN PUBLIC KEY-----"),
  ]);
  assertResult(result, REFUSED);
  assert.ok(!server.received().includes(secret));
  const requestForKey = packet(5, Buffer.from([2]));
  assert.ok(!server.received().includes(requestForKey), "the fake was asked for its key");
});

test("refuses sha256_password without TLS, which would encrypt the password with any key", async (t) => {
  for (const plugin of ["mysql_native_password", "sha256_password"]) {
    const { result, secret, server } = await against(t, plugin, [switchTo("sha256_password")]);
    assertResult(result, REFUSED);
    assert.ok(!server.received().includes(secret));
  }
});

test("never sends the password to a server that asks for clear text", async (t) => {
  for (const plugin of ["mysql_native_password", "mysql_clear_password"]) {
    const { result, secret, server } = await against(t, plugin, [switchTo("mysql_clear_password")]);
    assertResult(result, REFUSED);
    assert.ok(!server.received().includes(secret));
  }
});

test("interprets MySQL's error numbers where they differ from MariaDB's", async (t) => {
  const failures: [number, { outcome: VerifyResult["outcome"]; code: string }][] = [
    [3118, { outcome: "rejected", code: "account-locked" }],
    [3955, { outcome: "rejected", code: "account-locked" }],
    [3159, { outcome: "misconfigured", code: "tls-required" }],
    [1040, { outcome: "unreachable", code: "too-many-connections" }],
    [1053, { outcome: "unreachable", code: "not-ready" }],
    [1129, { outcome: "misconfigured", code: "no-permission" }],
    [4242, { outcome: "unreachable", code: "server-error" }],
  ];
  for (const [errno, expected] of failures) {
    const number = Buffer.alloc(2);
    number.writeUInt16LE(errno);
    const error = Buffer.concat([Buffer.from([0xff]), number, Buffer.from("#HY000whatever it says")]);
    const { result } = await against(t, "mysql_native_password", [error]);
    assertResult(result, expected);
    assert.ok(!result.message.includes("whatever"));
  }
});

test("sends no file to a server that asks for one", async (t) => {
  const { result, server } = await against(
    t,
    "mysql_native_password",
    [OK, Buffer.from("\xfb/etc/passwd", "latin1")],
    IMPATIENT_MS,
  );
  assert.notEqual(result.outcome, "verified");
  assert.ok(!server.received().includes("root:"));
});

test("packets truncated in the middle of a field do not end the process", async (t) => {
  for (const reply of ["", "\xfe", "\xff", "\xff\x15", "\x01", "\x02", "\0"]) {
    const bytes = Buffer.from(reply, "latin1");
    const { result } = await against(t, "mysql_native_password", [bytes, bytes], IMPATIENT_MS);
    assert.notEqual(result.outcome, "verified", JSON.stringify(reply));
  }
});
