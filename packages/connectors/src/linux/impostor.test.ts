// Tests Linux over SSH against hostile servers: fakes made with ssh2's own server.
import assert from "node:assert/strict";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import ssh2, { type AuthContext, type Connection } from "ssh2";
import { assertResult, tryOut } from "../../testing/suite.ts";
import type { VerifyResult } from "../connector.ts";
import { linux } from "./linux.ts";

type OnAuthentication = (context: AuthContext, client: Connection) => void;

/**
 * Verifies `secret` against a server that calls `onAuthentication` for every request but the first, which asks for the
 * methods.
 */
async function against(
  t: TestContext,
  secret: string,
  onAuthentication: OnAuthentication,
  onReady?: (client: Connection) => void,
): Promise<VerifyResult> {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const hostKey = privateKey.export({ type: "pkcs1", format: "pem" }).toString();
  const server = new ssh2.Server({ hostKeys: [hostKey] }, (client) => {
    client.on("error", () => {});
    client.on("authentication", (context) => onAuthentication(context, client));
    client.on("ready", () => onReady?.(client));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const target = { type: "server", host: "127.0.0.1", port, username: "somebody" };
  return tryOut(linux, { target, secret }, { timeoutMs: 6_000 });
}

const aSecret = () => randomBytes(12).toString("base64url");

test("no message contains a password that the server echoes when it rejects the login", async (t) => {
  const secret = aSecret();
  const result = await against(t, secret, (context, client) => {
    if (context.method !== "password") {
      context.reject(["password"]);
      return;
    }
    (client as unknown as { _protocol: { disconnect(reason: number, text: string): void } })._protocol.disconnect(
      14,
      context.password,
    );
    context.reject([context.password as never]);
  });
  assertResult(result, { outcome: "rejected", code: "wrong-password" });
});

test("does not send the password to a prompt for a one-time code", async (t) => {
  const answers: string[] = [];
  const result = await against(t, aSecret(), (context) => {
    if (context.method !== "keyboard-interactive") context.reject(["keyboard-interactive"]);
    else context.prompt([{ prompt: "Verification code: ", echo: false }], (given) => void answers.push(...given));
  });
  assertResult(result, { outcome: "misconfigured", code: "second-factor" });
  assert.deepEqual(answers, []);
});

test("does not send the password to a prompt that echoes its input", async (t) => {
  const answers: string[] = [];
  const result = await against(t, aSecret(), (context) => {
    if (context.method !== "keyboard-interactive") context.reject(["keyboard-interactive"]);
    else context.prompt([{ prompt: "Password: ", echo: true }], (given) => void answers.push(...given));
  });
  assertResult(result, { outcome: "misconfigured", code: "second-factor" });
  assert.deepEqual(answers, []);
});

test("a one-time code requested after the password is a second factor", async (t) => {
  const secret = aSecret();
  const answers: string[] = [];
  const result = await against(t, secret, (context) => {
    if (context.method !== "keyboard-interactive") {
      context.reject(["keyboard-interactive"]);
      return;
    }
    context.prompt([{ prompt: "Password: ", echo: false }], (first) => {
      answers.push(...first);
      context.prompt([{ prompt: "Code from your phone: ", echo: false }], (second) => void answers.push(...second));
    });
  });
  assertResult(result, { outcome: "misconfigured", code: "second-factor" });
  assert.deepEqual(answers, [secret]);
});

test("a second prompt for the same password counts as a rejected login", async (t) => {
  const answers: string[] = [];
  const result = await against(t, aSecret(), (context) => {
    if (context.method !== "keyboard-interactive") {
      context.reject(["keyboard-interactive"]);
      return;
    }
    const ask = () =>
      context.prompt([{ prompt: "Password: ", echo: false }], (given) => (answers.push(...given), ask()));
    ask();
  });
  assertResult(result, { outcome: "rejected", code: "wrong-password" });
  assert.equal(answers.length, 1);
});

test("verifies a network device that refuses to run commands, based on the login alone", async (t) => {
  const secret = aSecret();
  const result = await against(
    t,
    secret,
    (context) => {
      if (context.method === "password" && context.password === secret) context.accept();
      else context.reject(["password"]);
    },
    (client) => client.on("session", (_accept, reject) => reject()),
  );
  assertResult(result, { outcome: "verified" });
  assert.match(result.message, /cannot run commands/);
});

test("verifies a device that never answers the command, based on the login alone and within the time limit", async (t) => {
  const secret = aSecret();
  const result = await against(
    t,
    secret,
    (context) => {
      if (context.method === "password" && context.password === secret) context.accept();
      else context.reject(["password"]);
    },
    (client) => client.on("session", (accept) => accept().on("exec", (run) => void run())),
  );
  assertResult(result, { outcome: "verified" });
});

test("reports a lost connection when the server closes it before the secret is sent", async (t) => {
  const result = await against(t, aSecret(), (_context, client) => client.end());
  assertResult(result, { outcome: "unreachable", code: "connection-lost" });
});
