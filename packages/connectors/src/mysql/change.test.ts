// Tests password changes specific to MySQL and MariaDB: hashes, rules, hosts, expired accounts, replicas, proxies.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { Secret } from "@strongroom/keys";
import fc from "fast-check";
import mysql2 from "mysql2";
import { assertChange, tryChange, tryReconcile } from "../../testing/capabilities.ts";
import { makeAuthority, opensslAvailable, type Authority } from "../../testing/certificates.ts";
import { aContext, aTarget } from "../../testing/factories.ts";
import { assertResult, tryOut } from "../../testing/suite.ts";
import { needs } from "../../testing/targets/availability.ts";
import { startTcp } from "../../testing/targets/hostile.ts";
import { mariadbAvailable, startMariadb, type MariadbServer } from "../../testing/targets/mariadb.ts";
import { accountFor } from "./accounts.ts";
import { mysql } from "./mysql.ts";
import { nativeHash, statementsFor } from "./statements.ts";

const randomSecret = () => randomBytes(15).toString("base64url");

test("the server uses the account with the most specific host", () => {
  const from = (seen: string, ...hosts: string[]) =>
    accountFor(
      hosts.map((host) => ({ host })),
      seen,
    )?.host ?? null;
  assert.equal(from("10.1.2.3", "%", "10.%", "10.1.2.3"), "10.1.2.3");
  assert.equal(from("10.1.2.3", "%", "10.%", "10.1.%"), "10.1.%");
  assert.equal(from("10.1.2.3", "", "%"), "%");
  assert.equal(from("10.1.2.3", "10.1.0.0/255.255.0.0", "10.%"), "10.1.0.0/255.255.0.0");
  assert.equal(from("10.1.2.3", "10.2.0.0/255.255.0.0", "10.1.2.0/24"), "10.1.2.0/24");
  assert.equal(from("db.example.com", "%.example.com", "%.example.org", "dbxexample.com"), "%.example.com");
  assert.equal(from("10.1.2.3", "localhost", "192.168.%", "10.1.2.4"), null);
});

test("a statement contains the hash if the server accepts one, and quotes every name and password", () => {
  assert.equal(nativeHash("password"), "*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19");
  const [own] = statementsFor(null, "it's", { isMariadb: true, asHash: true });
  assert.equal(own, `set password = '${nativeHash("it's")}'`);
  const [, others] = statementsFor({ user: "o'x", host: "%" }, "it's\\", { isMariadb: true, asHash: false });
  assert.equal(others, "alter user 'o''x'@'%' identified by 'it''s\\'");
  const [mysql8] = statementsFor(null, "it's", { isMariadb: false, asHash: false });
  assert.equal(mysql8, "alter user user() identified by 'it''s'");
});

describe("MariaDB: changing passwords", { ...needs(mariadbAvailable(), opensslAvailable()), concurrency: 1 }, () => {
  let server: MariadbServer;
  let authority: Authority;
  let boss: { username: string; secret: string };
  const at = (username: string, more: object = {}) => ({
    type: "mysql",
    host: server.host,
    port: server.port,
    username,
    ...more,
  });
  const checked = () => ({ sslEnabled: true, additionalParams: { ca: authority.certificate } });
  const account = async (clause?: string, more: object = {}) => {
    const { username, password } = await server.addUser(clause);
    return { target: at(username, more), secret: password, candidate: randomSecret() };
  };
  const verifies = async (username: string, secret: string) =>
    assertResult(await tryOut(mysql, { target: at(username), secret }), { outcome: "verified" });
  before(async () => {
    authority = await makeAuthority();
    server = await startMariadb({ certificate: await authority.issue(["127.0.0.1"]) });
    const { username, password } = await server.addUser();
    boss = { username, secret: password };
    await server.sql(`grant select on mysql.* to ${username}@'127.0.0.1'`);
    await server.sql(`grant create user on *.* to ${username}@'127.0.0.1'`);
  });
  after(() => server?.stop());

  test("INVARIANT: MariaDB receives the hash: the connection never carries the password", async (t) => {
    const seen: Buffer[] = [];
    const tap = await startTcp((socket) => {
      const upstream = connect(server.port, server.host);
      socket.on("data", (bytes: Buffer) => seen.push(bytes));
      socket.pipe(upstream).pipe(socket);
      upstream.on("error", () => socket.destroy());
      socket.on("close", () => upstream.destroy());
    });
    t.after(() => tap.stop());
    const one = await account();
    const result = await tryChange(mysql, { ...one, target: at(one.target.username, { port: tap.port }) });
    assertChange(result, { outcome: "changed" });
    assert.match(result.message, /not encrypted/);
    const line = Buffer.concat(seen).toString("latin1");
    assert.ok(line.includes(nativeHash(one.candidate)) && !line.includes(one.candidate));
  });

  test("changes an expired password as its owner, and the account works again", async () => {
    const one = await account("password expire");
    assertChange(await tryChange(mysql, one), { outcome: "changed" });
    await verifies(one.target.username, one.candidate);
  });

  test("hostile names and passwords change only their own account", async () => {
    const everybody = "select group_concat(user order by user) as users from mysql.user where super_priv = 'Y'";
    const before = await server.sql(everybody);
    const awkward = fc
      .string({ minLength: 1, maxLength: 20, unit: "grapheme-ascii" })
      .map((text) => text.replaceAll("\0", ""));
    const names = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(awkward, fc.constantFrom("o'x", "back\\slash", "a@b", "'@'%", `"`, "`;--", "-u", "new\nline")),
        fc
          .oneof(awkward, fc.constantFrom("it's", "\\", "\\'", "'; drop table mysql.user; --", "?"))
          .map((text) => `${text}${randomSecret()}`),
        async (name, candidate) => {
          if (name.trim() !== name || name === "" || names.has(name)) return;
          names.add(name);
          await server.sql(`create user ${mysql2.escape(name)}@'127.0.0.1' identified by 'before-the-change'`);
          const one = { target: at(name, checked()), secret: "before-the-change", candidate };
          assertChange(await tryReconcile(mysql, one, boss), { outcome: "changed" });
          await verifies(name, candidate);
          assertChange(await tryChange(mysql, { ...one, secret: candidate, candidate: `${candidate}2` }), {
            outcome: "changed",
          });
          await verifies(name, `${candidate}2`);
        },
      ),
      { numRuns: 25 },
    );
    assert.deepEqual(await server.sql(everybody), before);
  });

  test("among accounts with the same name, changes only the one that logs in from this host", async () => {
    const one = await account();
    const name = one.target.username;
    await server.sql(
      `create user ${name}@'%' identified by 'of-everywhere', ${name}@'192.0.2.1' identified by 'of-elsewhere'`,
    );
    const hashes = `select host, authentication_string as hash from mysql.user where user = '${name}' and host <> '127.0.0.1' order by host`;
    const others = await server.sql(hashes);
    assertChange(await tryReconcile(mysql, one, boss), { outcome: "changed" });
    await verifies(name, one.candidate);
    assert.deepEqual(await server.sql(hashes), others);
    await server.sql(`drop user ${name}@'127.0.0.1', ${name}@'%'`);
    assertChange(await tryReconcile(mysql, one, boss), { outcome: "refused", code: "no-such-account" });
  });

  test("counts a privilege granted through a role, and reports why a locked account is refused", async () => {
    const keeper = await server.addUser();
    const by = { username: keeper.username, secret: keeper.password };
    const one = await account();
    assertChange(await tryReconcile(mysql, one, by), { outcome: "refused", code: "no-permission" });
    await server.sql("create role keepers");
    await server.sql("grant select, update on mysql.* to keepers");
    await server.sql(`grant keepers to ${keeper.username}@'127.0.0.1'`);
    await server.sql(`set default role keepers for ${keeper.username}@'127.0.0.1'`);
    assertChange(await tryReconcile(mysql, one, by), { outcome: "changed" });
    const locked = await tryReconcile(mysql, await account("account lock"), boss);
    assertChange(locked, { outcome: "refused", code: "not-changeable" });
    assert.match(locked.message, /locked/);
  });

  test("lists nothing without permission to read accounts, and shows a privilege granted through a role", async () => {
    const user = await server.addUser();
    const list = (name: string, secret: string) =>
      mysql.listAccounts?.(aTarget(at(name)), Secret.fromText(secret), aContext());
    const denied = await list(user.username, user.password);
    assert.ok(denied?.outcome === "rejected" && denied.code === "no-permission", denied?.message);
    await server.sql("create role mighty");
    await server.sql("create role middle");
    await server.sql("grant create user on *.* to mighty");
    await server.sql("grant mighty to middle");
    await server.sql(`grant middle to ${user.username}@'127.0.0.1'`);
    const listed = await list(boss.username, boss.secret);
    assert.ok(listed?.outcome === "listed", listed?.message);
    const found = listed.accounts.find(({ name }) => name === `${user.username}@127.0.0.1`);
    assert.equal(found?.isPrivileged, true);
    assert.deepEqual(found?.facts["roles"], ["middle"]);
    assert.ok(found?.passwordChangedAt !== null);
  });

  test("refuses an account whose password is stored elsewhere", async () => {
    await server.sql("create user socketed@'127.0.0.1' identified via unix_socket");
    const one = { target: at("socketed"), secret: "", candidate: randomSecret() };
    assertChange(await tryReconcile(mysql, one, boss), { outcome: "refused", code: "not-changeable" });
  });

  test("gives up in time on a server locked by another session, and changes nothing", async () => {
    const one = await account();
    const holder = mysql2.createConnection({ host: server.host, port: server.port, ...(await rootLike(server)) });
    const run = (sql: string) =>
      new Promise<void>((resolve, reject) =>
        holder.query(sql, (error) => (error === null ? resolve() : reject(error))),
      );
    await run("flush tables with read lock");
    const result = await tryChange(mysql, one, { timeoutMs: 5_000 });
    await run("unlock tables");
    holder.destroy();
    assertChange(result, { outcome: "unsent", code: "not-ready" });
    await verifies(one.target.username, one.secret);
  });

  test("reports a proxy and a read-only server, and changes nothing", async (t) => {
    const one = await account();
    const proxy = await startTcp((socket) => {
      const upstream = connect(server.port, server.host);
      upstream.on("data", (bytes: Buffer) =>
        socket.write(Buffer.from(bytes.toString("latin1").replace(/5\.5\.5-10\.\d/, "5.5.5-10.0"), "latin1")),
      );
      socket.pipe(upstream);
      upstream.on("error", () => socket.destroy());
      socket.on("close", () => upstream.destroy());
    });
    t.after(() => proxy.stop());
    const refused = { outcome: "refused", code: "not-changeable" } as const;
    const behind = await tryChange(mysql, { ...one, target: at(one.target.username, { port: proxy.port }) });
    assertChange(behind, refused);
    assert.match(behind.message, /proxy/);
    await server.sql("set global read_only = 1");
    const onReplica = await tryChange(mysql, one);
    await server.sql("set global read_only = 0");
    assertChange(onReplica, refused);
    assert.match(onReplica.message, /read-only/);
    await verifies(one.target.username, one.secret);
  });

  test("sends the password itself for rule checks only over checked TLS, and a password that breaks the rules is refused", async () => {
    const one = await account();
    await server.sql("install soname 'simple_password_check'");
    await server.sql("install soname 'password_reuse_check'");
    const good = () => `Aa1!${randomSecret()}`;
    const blind = await tryChange(mysql, { ...one, candidate: good() });
    assertChange(blind, { outcome: "refused", code: "not-changeable" });
    assert.match(blind.message, /Enable SSL\/TLS/);
    const secure = { ...one, target: at(one.target.username, checked()) };
    assertChange(await tryChange(mysql, { ...secure, candidate: "onlyletters" }), {
      outcome: "refused",
      code: "password-rules",
    });
    const [first, second] = [good(), good()];
    assertChange(await tryChange(mysql, { ...secure, candidate: first }), { outcome: "changed" });
    assertChange(await tryChange(mysql, { ...secure, secret: first, candidate: second }), { outcome: "changed" });
    const again = await tryChange(mysql, { ...secure, secret: second, candidate: first });
    assertChange(again, { outcome: "refused", code: "reused" });
    await verifies(one.target.username, second);
  });
});

/** An account with permission to lock every table. */
async function rootLike(server: MariadbServer): Promise<{ user: string; password: string }> {
  const { username, password } = await server.addUser();
  await server.sql(`grant reload on *.* to ${username}@'127.0.0.1'`);
  return { user: username, password };
}
