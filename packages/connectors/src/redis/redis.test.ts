// Tests Redis against a real server with TLS and users in an ACL file.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { Secret } from "@strongroom/keys";
import fc from "fast-check";
import { tryChange, tryReconcile, type CapabilityRows, type Changeable } from "../../testing/capabilities.ts";
import { makeAuthority, opensslAvailable, type Authority } from "../../testing/certificates.ts";
import { aContext, aTarget } from "../../testing/factories.ts";
import { assertResult, connectorSuite, tryOut, type Rows } from "../../testing/suite.ts";
import { needs } from "../../testing/targets/availability.ts";
import { redisAvailable, startRedis, type RedisServer } from "../../testing/targets/redis.ts";
import { clearTextOverTls, NOT_CHECKED, trial, VERIFIED, WRONG_PASSWORD } from "../../testing/trials.ts";
import type { Target } from "../connector.ts";
import { toAccount } from "./list-accounts.ts";
import { redis } from "./redis.ts";
import { replyReader } from "./resp.ts";

const NEEDS = needs(redisAvailable(), opensslAvailable());
const newPassword = () => randomBytes(12).toString("base64url");
const SELF = ["+acl|setuser", "+acl|save"];

const at = (
  server: RedisServer,
  authority: Authority,
  username: string,
  more: Partial<Target> = {},
): Partial<Target> => ({
  type: "application",
  host: server.host,
  port: server.port,
  username,
  sslEnabled: true,
  additionalParams: { protocol: "redis", ca: authority.certificate },
  ...more,
});

async function rows(): Promise<Rows> {
  const authority = await makeAuthority();
  const server = await startRedis({ certificate: await authority.issue(["127.0.0.1"]) });
  const user = await server.addUser();
  const off = await server.addUser("off");
  const own = (more: Partial<Target>) => at(server, authority, user.username, more);
  return {
    good: trial(own({}), user.password, VERIFIED),
    wrong: trial(own({}), newPassword(), WRONG_PASSWORD),
    locked: {
      ...trial(at(server, authority, off.username), off.password, WRONG_PASSWORD),
      note: "a disabled user gets the answer of a wrong password",
    },
    expired: { ...trial(own({}), newPassword(), WRONG_PASSWORD), note: "Redis has no expiry" },
    encryption: clearTextOverTls(
      (more) =>
        own({
          sslEnabled: more["sslmode"] !== "disable",
          additionalParams: { ca: authority.certificate, ...more },
        }),
      user.password,
    ),
    elsewhere: (host, port) => own({ host, port }),
    ...(await capabilities(server, authority, off.username)),
    stop: () => server.stop(),
  };
}

async function capabilities(server: RedisServer, authority: Authority, off: string): Promise<CapabilityRows> {
  const account = async (...rules: string[]): Promise<Changeable> => {
    const { username, password } = await server.addUser(...rules);
    return { target: at(server, authority, username), secret: password, candidate: newPassword() };
  };
  const { username, password } = server.admin;
  const unable = await server.addUser("+acl|getuser");
  return {
    changes: {
      account: () => account(...SELF),
      refusals: [
        {
          name: "a user without the right",
          change: () => account(),
          expect: { outcome: "refused", code: "no-permission" },
        },
      ],
    },
    reconciles: {
      account: () => account(),
      able: { username, secret: password },
      unable: { username: unable.username, secret: unable.password },
    },
    lists: {
      target: at(server, authority, username),
      secret: password,
      expect: [
        { name: username, isPrivileged: true, isLocked: false },
        { name: off, isPrivileged: false, isLocked: true },
        { name: "default", isLocked: true },
      ],
    },
  };
}

connectorSuite({ connector: redis, needs: NEEDS, start: rows });

describe("Redis: users, ACL files, and servers without authentication", { ...NEEDS, concurrency: 1 }, () => {
  let authority: Authority;
  let server: RedisServer;
  before(async () => {
    authority = await makeAuthority();
    server = await startRedis({ certificate: await authority.issue(["127.0.0.1"]) });
  });
  after(() => server?.stop());

  test("does not verify a user that accepts any password, whether or not the user can read its own rules", async () => {
    for (const rules of [["nopass"], ["nopass", "+acl|getuser"]]) {
      const user = await server.addUser(...rules);
      const target = at(server, authority, user.username);
      assertResult(await tryOut(redis, { target, secret: user.password }), NOT_CHECKED);
    }
  });

  test("a changed password survives a restart if users are kept in a file", async () => {
    const user = await server.addUser(...SELF);
    const account = { target: at(server, authority, user.username), secret: user.password, candidate: newPassword() };
    const result = await tryChange(redis, account);
    assert.deepEqual("facts" in result && result.facts, { isPersistent: true });
    await server.restart();
    assertResult(await tryOut(redis, { ...account, secret: account.candidate }), VERIFIED);
  });

  test("reports a change that is not saved, and a default user without a password", async (t) => {
    const certificate = await authority.issue(["127.0.0.1"]);
    const other = await startRedis({ certificate, hasAclFile: false, default: "on nopass +ping" });
    t.after(() => other.stop());
    const user = await other.addUser(...SELF);
    const result = await tryChange(redis, {
      target: at(other, authority, user.username),
      secret: user.password,
      candidate: newPassword(),
    });
    assert.match(result.message, /a restart of Redis restores the old one/);
    assert.deepEqual("facts" in result && result.facts, { isPersistent: false });
    const target = at(other, authority, "", { username: null });
    assertResult(await tryOut(redis, { target, secret: newPassword() }), NOT_CHECKED);
  });

  test("CRED-38: a connection string overrides host and port, and `rediss` means TLS", async () => {
    const user = await server.addUser();
    const target = at(server, authority, user.username, {
      type: "database",
      host: "192.0.2.1",
      sslEnabled: false,
      connectionString: `rediss://127.0.0.1:${server.port}`,
    });
    assertResult(await tryOut(redis, { target, secret: user.password }), VERIFIED);
  });

  test("setting the password of a missing user does not create it", async () => {
    const { username, password } = server.admin;
    const target = at(server, authority, "nobody");
    const by = { username, secret: password };
    const result = await tryReconcile(redis, { target, secret: "", candidate: newPassword() }, by);
    assert.equal(result.outcome === "refused" && result.code, "no-such-account", result.message);
    const listed = await redis.listAccounts!(
      aTarget(at(server, authority, username)),
      Secret.fromText(password),
      aContext(),
    );
    assert.ok(listed.outcome === "listed" && !listed.accounts.some(({ name }) => name === "nobody"));
  });

  test("a user name cannot become a rule or a second user", async () => {
    for (const username of ["app +@all", "app\r\nACL SETUSER x", "app\0"]) {
      const target = at(server, authority, username);
      assertResult(await tryOut(redis, { target, secret: newPassword() }), {
        outcome: "misconfigured",
        code: "bad-input",
      });
    }
  });
});

test("a user who can change users is privileged, whatever the order of its rules", () => {
  const isPrivileged = (rules: string) => toAccount(`user x on ${rules}`)?.isPrivileged;
  for (const rules of ["+@all", "allcommands", "-@all +@admin", "-@all +acl|setuser", "-@all (~k* +acl)", "+@slow"])
    assert.equal(isPrivileged(rules), true, rules);
  for (const rules of [
    "-@all +get",
    "+@all -@admin",
    "+@all -@dangerous",
    "+@all -acl",
    "+@read (~k* +@all -acl|setuser)",
  ])
    assert.equal(isPrivileged(rules), false, rules);
});

test("parses replies the same way however they are split", () => {
  const text = "*3\r\n$5\r\nflags\r\n*2\r\n+on\r\n$-1\r\n:7\r\n*0\r\n-ERR no\r\n";
  const whole = JSON.stringify(replyReader()(Buffer.from(text)));
  assert.equal(whole, '[["flags",["on",null],7],[],{"text":"ERR no"}]');
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 8 }), (cuts) => {
      const read = replyReader();
      const places = [0, ...cuts.toSorted((a, b) => a - b), text.length];
      const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
      assert.equal(JSON.stringify(pieces.flatMap((piece) => read(Buffer.from(piece)))), whole);
    }),
    { numRuns: 50 },
  );
});
