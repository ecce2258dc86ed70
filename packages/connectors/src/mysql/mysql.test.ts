// Tests MySQL and MariaDB against a real MariaDB.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { makeAuthority, makeSelfSigned, opensslAvailable, type Authority } from "../../testing/certificates.ts";
import { assertResult, connectorSuite, tryOut, type Rows } from "../../testing/suite.ts";
import { needs } from "../../testing/targets/availability.ts";
import { startHostile } from "../../testing/targets/hostile.ts";
import { mariadbAvailable, startMariadb, type MariadbServer } from "../../testing/targets/mariadb.ts";
import { unixUsersAvailable } from "../../testing/targets/sshd.ts";
import { addUnixUser, removeUnixUser } from "../../testing/targets/unix-user.ts";
import { trial, VERIFIED, WRONG_PASSWORD } from "../../testing/trials.ts";
import type { Target } from "../connector.ts";
import { mysql } from "./mysql.ts";

const at = (server: MariadbServer, username: string, more: Partial<Target> = {}): Partial<Target> => ({
  type: "mysql",
  host: server.host,
  port: server.port,
  username,
  databaseName: "app",
  ...more,
});

async function rows(): Promise<Rows> {
  const authority = await makeAuthority();
  const server = await startMariadb({ certificate: await authority.issue(["127.0.0.1"]) });
  const user = await server.addUser();
  const locked = await server.addUser("account lock");
  const expired = await server.addUser("password expire");
  const boss = await server.addUser();
  await server.sql(`grant select, update on mysql.* to ${boss.username}@'127.0.0.1'`);
  const account = async (clause = "") => {
    const { username, password } = await server.addUser(clause);
    return { target: at(server, username), secret: password, candidate: randomBytes(15).toString("base64url") };
  };
  const tls = (more: Record<string, unknown>) =>
    at(server, user.username, { sslEnabled: true, additionalParams: more });
  const failed = (reason: string) => ({ outcome: "misconfigured", code: "tls-failure", reason }) as const;
  return {
    good: trial(at(server, user.username), user.password, VERIFIED),
    wrong: trial(at(server, user.username), "not-the-password", WRONG_PASSWORD),
    locked: trial(at(server, locked.username), locked.password, { outcome: "rejected", code: "account-locked" }),
    expired: trial(at(server, expired.username), expired.password, { outcome: "rejected", code: "must-change" }),
    encryption: [
      { name: "checked", ...trial(tls({ ca: authority.certificate }), user.password, VERIFIED) },
      { name: "not checked", ...trial(tls({ sslmode: "REQUIRED" }), user.password, VERIFIED) },
      { name: "unknown issuer", ...trial(tls({}), user.password, failed("unknown-issuer")) },
      {
        name: "other name",
        ...trial(tls({ ca: authority.certificate, servername: "db.example" }), user.password, failed("name-mismatch")),
      },
      {
        name: "issuer only",
        ...trial(
          tls({ ca: authority.certificate, servername: "db.example", sslmode: "VERIFY_CA" }),
          user.password,
          VERIFIED,
        ),
      },
    ],
    elsewhere: (host, port) => at(server, user.username, { host, port }),
    changes: {
      account,
      refusals: [
        {
          name: "a character that ends a string there",
          change: async () => ({ ...(await account()), candidate: "one-half\0other-half" }),
          expect: { outcome: "unsent", code: "bad-input" },
        },
      ],
    },
    reconciles: {
      account,
      able: { username: boss.username, secret: boss.password },
      unable: { username: user.username, secret: user.password },
    },
    lists: {
      target: at(server, boss.username),
      secret: boss.password,
      expect: [
        { name: "root@127.0.0.1", isPrivileged: true, isLocked: false },
        { name: `${user.username}@127.0.0.1`, isPrivileged: false, isLocked: false },
        { name: `${locked.username}@127.0.0.1`, isPrivileged: false, isLocked: true },
      ],
    },
    stop: () => server.stop(),
  };
}

connectorSuite({
  connector: mysql,
  needs: needs(mariadbAvailable(), opensslAvailable()),
  start: rows,
});

describe("MariaDB: interpretation of the server's answers", needs(mariadbAvailable(), opensslAvailable()), () => {
  let server: MariadbServer;
  let authority: Authority;
  let user: { username: string; password: string };
  before(async () => {
    authority = await makeAuthority();
    server = await startMariadb({ certificate: await authority.issue(["127.0.0.1", "localhost"]) });
    user = await server.addUser();
  });
  after(() => server?.stop());
  const verify = (target: Partial<Target>, secret = user.password) => tryOut(mysql, { target, secret });
  const checked = () => ({ sslEnabled: true, additionalParams: { ca: authority.certificate } });

  test("CRED-38: a connection string overrides host, port and database, and sets the TLS mode", async () => {
    const result = await verify({
      type: "mysql",
      host: "192.0.2.1",
      port: 1,
      databaseName: "nowhere",
      username: user.username,
      connectionString: `mariadb://somebody@127.0.0.1:${server.port}/app?ssl-mode=VERIFY_IDENTITY`,
      additionalParams: { ca: authority.certificate },
    });
    assertResult(result, { outcome: "verified" });
    const facts = ("facts" in result ? result.facts : {}) as { serverVersion: string; tls: unknown };
    assert.match(facts.serverVersion, /^1\d\.\d+\.\d+-MariaDB/);
    assert.deepEqual(facts.tls, { mode: "verify-full", protocol: "TLSv1.3" });
  });

  test("verifies an entry without a database by its login", async () => {
    assertResult(await verify(at(server, user.username, { databaseName: null })), { outcome: "verified" });
  });

  test("distinguishes a forbidden database from a wrong password", async () => {
    const expected = { outcome: "misconfigured", code: "no-permission" } as const;
    assertResult(await verify(at(server, user.username, { databaseName: "mysql" })), expected);
    assertResult(await verify(at(server, user.username, { databaseName: "no`where" })), expected);
    await server.sql("create user boss@'127.0.0.1' identified by 'boss-password'");
    await server.sql("grant all on *.* to boss@'127.0.0.1'");
    const missing = await verify(at(server, "boss", { databaseName: "nowhere" }), "boss-password");
    assertResult(missing, { outcome: "misconfigured", code: "no-such-database" });
  });

  test("checks a host name in the certificate although it connects to the checked address", async () => {
    assertResult(await verify(at(server, user.username, { host: "localhost", ...checked() })), { outcome: "verified" });
  });

  test("an account that requires TLS is rejected without it, with a hint, and verified with it", async () => {
    const careful = await server.addUser("require ssl");
    const result = await verify(at(server, careful.username), careful.password);
    assertResult(result, { outcome: "rejected", code: "wrong-password" });
    assert.match(result.message, /requires TLS/);
    assertResult(await verify(at(server, careful.username, checked()), careful.password), { outcome: "verified" });
  });

  test("an anonymous account that accepts any user proves nothing", async () => {
    await server.sql("create user ''@'127.0.0.1' identified by 'anything-at-all'");
    const result = await verify(at(server, "ghost"), "anything-at-all");
    await server.sql("drop user ''@'127.0.0.1'");
    assertResult(result, { outcome: "misconfigured", code: "password-not-checked" });
  });

  test("an authentication method that the connector does not support is reported as unsupported, not as failed", async () => {
    await server.sql("install soname 'auth_ed25519'");
    await server.sql("create user modern@'127.0.0.1' identified via ed25519 using password('modern-password')");
    assertResult(await verify(at(server, "modern"), "modern-password"), { outcome: "unsupported" });
  });

  test("a user who has reached the connection limit is reported as unreachable, not as rejected", async () => {
    const busy = await server.addUser("with max_connections_per_hour 1");
    assertResult(await verify(at(server, busy.username), busy.password), { outcome: "verified" });
    assertResult(await verify(at(server, busy.username), busy.password), {
      outcome: "unreachable",
      code: "too-many-connections",
    });
  });

  test("refuses an invalid entry before sending anything", async (t) => {
    const silent = await startHostile("black-hole");
    t.after(() => silent.stop());
    const bad: Partial<Target>[] = [
      { connectionString: `mysql://u:secret-in-url@127.0.0.1:${silent.port}/x` },
      { connectionString: `postgres://127.0.0.1:${silent.port}/x` },
      { connectionString: `mysql://127.0.0.1:${silent.port}/x?ssl-ca=/etc/passwd` },
      { additionalParams: { sslmode: "PREFERRED" } },
      { username: null },
      { host: null },
    ];
    for (const more of bad) {
      const result = await verify(at(server, user.username, { host: "127.0.0.1", port: silent.port, ...more }));
      assertResult(result, { outcome: "misconfigured", code: "bad-input" });
    }
    assert.equal(silent.connections(), 0);
  });

  test("names certificate faults, and sends no clear text to a server without TLS", async () => {
    const failure = (reason: string) => ({ outcome: "misconfigured", code: "tls-failure", reason }) as const;
    await server.restart(await authority.issue(["127.0.0.1"], { fromDay: -10, untilDay: -1 }));
    assertResult(await verify(at(server, user.username, checked())), failure("expired"));
    await server.restart(await makeSelfSigned(["127.0.0.1"]));
    assertResult(await verify(at(server, user.username, { sslEnabled: true })), failure("self-signed"));
    await server.restart(null);
    assertResult(await verify(at(server, user.username, checked())), failure("not-offered"));
  });

  test("distinguishes an expired password that the server refuses from one that can still be changed", async () => {
    const stale = await server.addUser("password expire");
    await server.restart(null, ["--disconnect-on-expired-password=1"]);
    assertResult(await verify(at(server, stale.username), stale.password), {
      outcome: "rejected",
      code: "password-expired",
    });
  });

  test("a server that requires encryption answers as for a wrong password, and the message has a hint", async () => {
    await server.restart(await authority.issue(["127.0.0.1"]), ["--require-secure-transport=1"]);
    const result = await verify(at(server, user.username));
    assertResult(result, { outcome: "rejected", code: "wrong-password" });
    assert.match(result.message, /SSL\/TLS is off in this entry/);
    assertResult(await verify(at(server, user.username, checked())), { outcome: "verified" });
  });

  test("a server whose grant tables are off proves nothing", async () => {
    await server.restart(null, ["--skip-grant-tables"]);
    assertResult(await verify(at(server, user.username)), { outcome: "misconfigured", code: "password-not-checked" });
  });
});

describe(
  "MariaDB: passwords sent in clear text",
  needs(mariadbAvailable(), opensslAvailable(), unixUsersAvailable()),
  () => {
    test("sends a PAM password only over TLS to a checked server", async (t) => {
      const authority = await makeAuthority();
      const certificate = await authority.issue(["127.0.0.1"]);
      const server = await startMariadb({ certificate });
      t.after(() => server.stop());
      const account = await addUnixUser("active");
      t.after(() => removeUnixUser(account.username));
      await server.sql("install soname 'auth_pam'");
      await server.restart(certificate, ["--pam-use-cleartext-plugin=ON"]);
      await server.sql(`create user ${account.username}@'127.0.0.1' identified via pam using 'other'`);

      const verify = (more: Partial<Target>) =>
        tryOut(mysql, {
          target: at(server, account.username, { databaseName: null, ...more }),
          secret: account.password,
        });
      const refused = { outcome: "misconfigured", code: "insecure-authentication" } as const;
      assertResult(await verify({}), refused);
      assertResult(await verify({ additionalParams: { sslmode: "require" } }), refused);
      const checked = { sslEnabled: true, additionalParams: { ca: authority.certificate } };
      assertResult(await verify(checked), { outcome: "verified" });
    });
  },
);
