// Tests HTTP authentication against a real nginx, and the configured change against the real management interface of
// RabbitMQ.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import type { CapabilityRows, Changeable } from "../../testing/capabilities.ts";
import { makeAuthority, opensslAvailable, type Authority } from "../../testing/certificates.ts";
import { aTarget } from "../../testing/factories.ts";
import { assertLostChange } from "../../testing/lost-change.ts";
import { assertResult, connectorSuite, tryOut, type Rows } from "../../testing/suite.ts";
import { needs } from "../../testing/targets/availability.ts";
import { nginxAvailable, startNginx, type NginxServer } from "../../testing/targets/nginx.ts";
import { rabbitmqAvailable, startRabbitmq, type RabbitmqServer } from "../../testing/targets/rabbitmq.ts";
import { BAD_INPUT, clearTextOverTls, trial, VERIFIED, WRONG_PASSWORD } from "../../testing/trials.ts";
import type { Target } from "../connector.ts";
import { changeCall } from "./change-call.ts";
import { httpLogin } from "./http-login.ts";

const NEEDS = needs(nginxAvailable(), rabbitmqAvailable(), opensslAvailable());
const newPassword = () => randomBytes(12).toString("base64url");

let authority: Authority;
let nginx: NginxServer;
let rabbit: RabbitmqServer;
before(async () => {
  if (NEEDS.skip !== undefined) return;
  authority = await makeAuthority();
  nginx = await startNginx(await authority.issue(["127.0.0.1"]));
  rabbit = await startRabbitmq(await authority.issue(["127.0.0.1"]));
});
after(async () => {
  await nginx?.stop();
  await rabbit?.stop();
});

const at = (username: string | null, more: Record<string, unknown> = {}): Partial<Target> => ({
  type: "application",
  host: nginx.host,
  port: nginx.port,
  username,
  additionalParams: { protocol: "http-basic", check_path: "/private/", ca: authority.certificate, ...more },
});

/** A user of RabbitMQ's management interface, and the request that changes its password. */
async function account(tags = "administrator", more: Record<string, unknown> = {}): Promise<Changeable> {
  const { username, password } = await rabbit.addUser(tags);
  const how = {
    check_path: "/api/whoami",
    change_path: "/api/users/{username}",
    change_body: { password: "{new}", tags },
    ...more,
  };
  return { target: { ...at(username, how), port: rabbit.managementPort }, secret: password, candidate: newPassword() };
}

async function rows(): Promise<Rows> {
  const user = await nginx.addUser();
  const own = (more: Record<string, unknown> = {}) => at(user.username, more);
  return {
    good: trial(own(), user.password, VERIFIED),
    wrong: trial(own(), newPassword(), WRONG_PASSWORD),
    locked: trial(own({ check_path: "/blocked/" }), user.password, { outcome: "rejected", code: "no-permission" }),
    expired: {
      ...trial(own(), newPassword(), WRONG_PASSWORD),
      note: "HTTP answers 401 for an expired password and a wrong one alike",
    },
    encryption: clearTextOverTls(own, user.password),
    elsewhere: (host, port) => ({ ...own(), host, port }),
    ...capabilities(),
    stop: async () => {},
  };
}

function capabilities(): CapabilityRows {
  return {
    changes: {
      account: () => account(),
      refusals: [
        {
          name: "an account without the right",
          change: () => account("monitoring"),
          expect: { outcome: "refused", code: "no-permission" },
        },
        {
          name: "a request that the site does not support",
          change: () => account("administrator", { change_body: { hashing: "{new}" } }),
          expect: { outcome: "refused", code: "password-rules" },
        },
        {
          name: "a path that does not exist",
          change: () => account("administrator", { change_path: "/api/nothing" }),
          expect: { outcome: "refused", code: "not-changeable" },
        },
        {
          name: "an entry that does not describe the request",
          change: () => account("administrator", { change_path: undefined }),
          expect: { outcome: "unsent" },
        },
      ],
      // The login and the change use separate connections; a test below cuts the second.
      isCuttable: false,
    },
  };
}

connectorSuite({ connector: httpLogin, needs: NEEDS, start: rows });

describe(
  "HTTP authentication: tokens, open pages, and a change whose answer is lost",
  { ...NEEDS, concurrency: 1 },
  () => {
    test("verifies a bearer token with a page that requires it", async () => {
      const robots = at(null, { protocol: "http-bearer", check_path: "/robots/" });
      assertResult(await tryOut(httpLogin, { target: robots, secret: nginx.token }), VERIFIED);
      const wrong = await tryOut(httpLogin, { target: robots, secret: newPassword() });
      assertResult(wrong, WRONG_PASSWORD);
    });

    test("a public page proves nothing, and a redirect is not followed", async () => {
      const { username, password } = await nginx.addUser();
      const tries: [string, string][] = [
        ["/open/", "password-not-checked"],
        ["/moved/", "redirected"],
      ];
      for (const [check_path, code] of tries) {
        const result = await tryOut(httpLogin, { target: at(username, { check_path }), secret: password });
        assertResult(result, { outcome: "misconfigured", code });
      }
    });

    test("refuses invalid settings before sending anything", async () => {
      for (const more of [
        { check_path: "//elsewhere.example/" },
        { check_path: "private" },
        { check_path: "/a b" },
        { method: "PUT" },
      ])
        assertResult(await tryOut(httpLogin, { target: at("alice", more), secret: newPassword() }), BAD_INPUT);
      for (const username of [null, "a:b"])
        assertResult(await tryOut(httpLogin, { target: at(username), secret: newPassword() }), BAD_INPUT);
    });

    test("the outcome of a change whose answer is lost is unknown, whether or not the change arrived", () =>
      assertLostChange(httpLogin, { host: rabbit.host, port: rabbit.managementPort }, async (port) => {
        const changing = await account();
        return { ...changing, target: { ...changing.target, port } };
      }));
  },
);

test("no password, old or new, can become a different part of the change request", () => {
  const params = { change_path: "/me", change_body: { old: "{old}", new: "{new}", text: "{username}: {new}" } };
  const call = (change_type: string) => {
    const target = aTarget({ host: "www.example", username: "alice", additionalParams: { ...params, change_type } });
    const read = changeCall(target);
    assert.ok(!("failure" in read));
    return read;
  };
  const [json, form] = [call("json"), call("form")];
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (before, next) => {
      const values = { username: "alice", old: `${before}{new}$&`, new: `${next}{old}` };
      const expected = { old: values.old, new: values.new, text: `alice: ${values.new}` };
      assert.deepEqual(JSON.parse(json.body(values)), expected);
      if (values.old.isWellFormed() && values.new.isWellFormed())
        assert.deepEqual(Object.fromEntries(new URLSearchParams(form.body(values))), expected);
    }),
    { numRuns: 100 },
  );
});
