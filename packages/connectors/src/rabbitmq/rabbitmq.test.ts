// Tests RabbitMQ against a real server, with AMQP and the management interface over TLS.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { tryReconcile, type CapabilityRows, type Changeable } from "../../testing/capabilities.ts";
import { makeAuthority, opensslAvailable, type Authority } from "../../testing/certificates.ts";
import { assertLostChange } from "../../testing/lost-change.ts";
import { assertResult, connectorSuite, tryOut, type Rows } from "../../testing/suite.ts";
import { needs } from "../../testing/targets/availability.ts";
import { startTcp } from "../../testing/targets/hostile.ts";
import { rabbitmqAvailable, startRabbitmq, type RabbitmqServer } from "../../testing/targets/rabbitmq.ts";
import { clearTextOverTls, trial, VERIFIED, WRONG_PASSWORD } from "../../testing/trials.ts";
import type { Target } from "../connector.ts";
import { amqpLogin } from "./amqp-login.ts";
import { rabbitmq } from "./rabbitmq.ts";

const NEEDS = needs(rabbitmqAvailable(), opensslAvailable());
const newPassword = () => randomBytes(12).toString("base64url");

let authority: Authority;
let server: RabbitmqServer;
before(async () => {
  if (NEEDS.skip !== undefined) return;
  authority = await makeAuthority();
  server = await startRabbitmq(await authority.issue(["127.0.0.1"]));
});
after(() => server?.stop());

const at = (username: string, more: Record<string, unknown> = {}): Partial<Target> => ({
  type: "application",
  host: server.host,
  port: server.port,
  username,
  additionalParams: {
    protocol: "rabbitmq",
    ca: authority.certificate,
    management_port: server.managementPort,
    ...more,
  },
});

const account = async (tags = "", more: Record<string, unknown> = {}): Promise<Changeable> => {
  const { username, password } = await server.addUser(tags);
  return { target: at(username, more), secret: password, candidate: newPassword() };
};

async function rows(): Promise<Rows> {
  const user = await server.addUser();
  const without = await server.addUser("", false);
  const own = (more: Record<string, unknown>) => at(user.username, more);
  return {
    good: trial(own({}), user.password, VERIFIED),
    wrong: trial(own({}), newPassword(), WRONG_PASSWORD),
    locked: {
      ...trial(at(without.username), newPassword(), WRONG_PASSWORD),
      note: "RabbitMQ has no lockout; a user without a password gets the answer of a wrong one",
    },
    expired: { ...trial(own({}), newPassword(), WRONG_PASSWORD), note: "RabbitMQ has no expiry" },
    encryption: clearTextOverTls(own, user.password),
    elsewhere: (host, port) => ({ ...own({}), host, port }),
    ...(await capabilities()),
    stop: async () => {},
  };
}

async function capabilities(): Promise<CapabilityRows> {
  const { admin } = server;
  const plain = await server.addUser("monitoring");
  return {
    changes: {
      account: () => account("administrator"),
      refusals: [
        {
          name: "a user who is not an administrator",
          change: () => account("monitoring"),
          expect: { outcome: "refused", code: "no-permission" },
        },
      ],
      // The change uses a different port from the login; a test below cuts its connection.
      isCuttable: false,
    },
    reconciles: {
      account: () => account(),
      able: { username: admin.username, secret: admin.password },
      unable: { username: plain.username, secret: plain.password },
    },
    lists: {
      target: at(admin.username),
      secret: admin.password,
      expect: [
        { name: admin.username, isPrivileged: true, isLocked: false },
        { name: plain.username, isPrivileged: false, isLocked: false },
      ],
    },
  };
}

connectorSuite({ connector: rabbitmq, needs: NEEDS, start: rows });

describe("RabbitMQ: virtual hosts, tags, and a change whose answer is lost", { ...NEEDS, concurrency: 1 }, () => {
  const by = () => ({ username: server.admin.username, secret: server.admin.password });

  test("distinguishes an unusable virtual host from a wrong password", async () => {
    const { username, password } = await server.addUser();
    const verify = (databaseName: string) =>
      tryOut(rabbitmq, { target: { ...at(username), databaseName }, secret: password });
    assertResult(await verify("/"), VERIFIED);
    assertResult(await verify("nowhere"), { outcome: "misconfigured", code: "no-permission" });
  });

  test("keeps a user's tags, and does not create a missing user", async () => {
    const { username, password } = await server.addUser("monitoring,policymaker");
    const changing = { target: at(username), secret: password, candidate: newPassword() };
    assert.equal((await tryReconcile(rabbitmq, changing, by())).outcome, "changed");
    assert.equal(await server.tagsOf(username), "monitoring,policymaker");
    const nobody = await tryReconcile(rabbitmq, { ...changing, target: at("nobody") }, by());
    assert.equal(nobody.outcome === "refused" && nobody.code, "no-such-account", nobody.message);
    await assert.rejects(server.tagsOf("nobody"), /404/);
  });

  test("the outcome of a change whose answer is lost is unknown, whether or not the change arrived", () =>
    assertLostChange(rabbitmq, { host: server.host, port: server.managementPort }, (management_port) =>
      account("administrator", { management_port }),
    ));
});

test("distinguishes other protocols from a refusal", async (t) => {
  const { connect } = await import("node:net");
  for (const answer of [
    "AMQP\0\x01\x01\x09",
    "HTTP/1.1 400\r\n\r\n",
    "\x01\0\0\xff\xff\xff\xff",
    "\x01\0\0\0\0\0\x05\0\x0a\0\x0a\0\xce",
  ]) {
    const impostor = await startTcp((socket) => socket.write(Buffer.from(answer, "latin1")));
    t.after(() => impostor.stop());
    const login = { username: "somebody", password: newPassword(), virtualHost: null };
    await assert.rejects(amqpLogin(connect(impostor.port, "127.0.0.1"), login));
    assert.ok(!impostor.received().includes(login.password));
  }
});
