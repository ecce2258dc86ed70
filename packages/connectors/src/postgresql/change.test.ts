// Tests password changes specific to PostgreSQL: verifiers, md5, role settings, replicas, poolers, locks.
import assert from "node:assert/strict";
import { createHmac, createHash, pbkdf2Sync, randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { Secret } from "@strongroom/keys";
import fc from "fast-check";
import pg from "pg";
import { assertChange, tryChange, tryReconcile } from "../../testing/capabilities.ts";
import { aContext, aTarget } from "../../testing/factories.ts";
import { assertResult, tryOut } from "../../testing/suite.ts";
import { needs } from "../../testing/targets/availability.ts";
import { pgbouncerAvailable, startPgbouncer } from "../../testing/targets/pgbouncer.ts";
import {
  postgresqlAvailable,
  startPostgresql,
  type PostgresqlServer,
  type PostgresqlSource,
} from "../../testing/targets/postgresql.ts";
import { postgresql } from "./postgresql.ts";
import { isSameEverywhere, scramVerifier } from "./scram-verifier.ts";

const randomSecret = () => randomBytes(15).toString("base64url");

test("RFC 7677 §3: the verifier matches the example's server signature", async () => {
  const salt = Buffer.from("W22ZaJ0SNY7soEsUEjb6gQ==", "base64");
  const verifier = await scramVerifier("pencil", { iterations: 4096, salt });
  const [, storedKey, serverKey] = /^SCRAM-SHA-256\$4096:W22ZaJ0SNY7soEsUEjb6gQ==\$(.*):(.*)$/.exec(verifier) ?? [];
  const authMessage =
    "n=user,r=rOprNGfwEbeRWgbNEkqO,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096," +
    "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
  const signature = createHmac("sha256", Buffer.from(serverKey ?? "", "base64"))
    .update(authMessage)
    .digest("base64");
  assert.equal(signature, "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
  const salted = pbkdf2Sync("pencil", salt, 4096, 32, "sha256");
  const clientKey = createHmac("sha256", salted).update("Client Key").digest();
  assert.equal(storedKey, createHash("sha256").update(clientKey).digest("base64"));
});

test("recognises passwords that clients prepare differently", () => {
  for (const same of ["pencil", "with spaces", "Grüße, Жук, 漢字", "\u{1F600}", ""])
    assert.ok(isSameEverywhere(same), same);
  for (const other of ["a\u00A0b", "I\u00ADX", "\u2168", "\uFB01", "u\u0308", "\uFEFFx", "\u1806", "a\u200Db"]) {
    assert.ok(!isSameEverywhere(other), JSON.stringify(other));
  }
});

for (const source of ["system", "npm"] as const) {
  describe(`PostgreSQL (${source}): changing passwords`, needs(postgresqlAvailable(source)), () => changing(source));
}

function changing(source: PostgresqlSource): void {
  let server: PostgresqlServer;
  const at = (username: string, more: object = {}) => ({
    type: "postgresql",
    host: server.host,
    port: server.port,
    username,
    databaseName: "postgres",
    ...more,
  });
  const account = async (clause?: string) => {
    const { username, password } = await server.addRole(clause);
    return { target: at(username), secret: password, candidate: randomSecret() };
  };
  const boss = () => ({ username: server.superuser.username, secret: server.superuser.password });
  const verifies = async (username: string, secret: string) =>
    assertResult(await tryOut(postgresql, { target: at(username), secret }), { outcome: "verified" });
  before(async () => {
    server = await startPostgresql({ source, hba: ["host all md5user 127.0.0.1/32 md5"] });
    await server.sql("alter system set log_statement = 'all'");
    await server.sql("select pg_reload_conf()");
  });
  after(() => server?.stop());

  test("INVARIANT: no password is sent in a statement: the server's log contains the change, and not the password", async () => {
    const one = await account();
    assertChange(await tryChange(postgresql, one), { outcome: "changed" });
    assertChange(await tryReconcile(postgresql, { ...one, candidate: one.secret }, boss()), { outcome: "changed" });
    assert.match(server.log(), /alter role session_user password 'SCRAM-SHA-256\$/i);
    assert.ok(!server.log().includes(one.candidate));
    await verifies(one.target.username, one.secret);
  });

  test("the verifier equals the one that the server itself makes, for any password", async () => {
    const { target } = await account();
    const awkward = fc.string({ minLength: 1, maxLength: 40, unit: "grapheme" });
    await fc.assert(
      fc.asyncProperty(
        awkward.filter((text) => isSameEverywhere(text) && !text.includes("\0")),
        async (password) => {
          await server.sql(`alter role ${target.username} password ${pg.escapeLiteral(password)}`);
          const [row] = await server.sql(`select rolpassword from pg_authid where rolname = '${target.username}'`);
          const kept = String(row?.["rolpassword"]);
          const [, iterations, salt] = /^SCRAM-SHA-256\$(\d+):([^$]+)\$/.exec(kept) ?? [];
          const options = { iterations: Number(iterations), salt: Buffer.from(salt ?? "", "base64") };
          assert.equal(await scramVerifier(password, options), kept);
        },
      ),
      { numRuns: 25 },
    );
  });

  test("changes a role with a hostile name like any other role, and nothing else", async () => {
    const tables = await server.sql("select count(*) from pg_roles where rolsuper");
    for (const name of [
      `a"b`,
      `a'; drop role x; --`,
      `x" superuser "`,
      "-f",
      "new\nline",
      "\\",
      "Ünï",
      "current_user",
    ]) {
      await server.sql(`create role ${pg.escapeIdentifier(name)} login password 'before-the-change'`);
      const one = { target: at(name), secret: "before-the-change", candidate: randomSecret() };
      assertChange(await tryReconcile(postgresql, one, boss()), { outcome: "changed" });
      assertChange(await tryChange(postgresql, { ...one, secret: one.candidate, candidate: "after'the\\change" }), {
        outcome: "changed",
      });
      await verifies(name, "after'the\\change");
    }
    assert.deepEqual(await server.sql("select count(*) from pg_roles where rolsuper"), tables);
  });

  test("refuses a name that the server would truncate to the name of a different role", async () => {
    const long = "x".repeat(64);
    await server.sql(`create role ${long.slice(1)} login password 'not-to-be-touched'`);
    const one = { target: at(long), secret: "", candidate: randomSecret() };
    assertChange(await tryReconcile(postgresql, one, boss()), { outcome: "unsent", code: "bad-input" });
    await verifies(long.slice(1), "not-to-be-touched");
  });

  test("replaces an md5 password with SCRAM and reports it, and the role can still log in by the md5 method", async () => {
    await server.sql("set password_encryption = 'md5'; create role md5user login password 'kept-as-md5'");
    const one = { target: at("md5user"), secret: "kept-as-md5", candidate: randomSecret() };
    const result = await tryChange(postgresql, one);
    assertChange(result, { outcome: "changed" });
    assert.match(result.message, /stored as md5 and is now stored as SCRAM-SHA-256/);
    await verifies("md5user", one.candidate);
  });

  test("works with role settings: read-only by default, and a different default role", async () => {
    const other = await server.addRole("nologin");
    const one = await account();
    await server.sql(`grant ${other.username} to ${one.target.username}`);
    await server.sql(`alter role ${one.target.username} set default_transaction_read_only = on`);
    await server.sql(`alter role ${one.target.username} set role = ${other.username}`);
    assertChange(await tryChange(postgresql, one), { outcome: "changed" });
    await verifies(one.target.username, one.candidate);
  });

  test("gives up in time on a role locked by another session, and changes nothing", async () => {
    const one = await account();
    const holder = new pg.Client({
      ...boss(),
      user: boss().username,
      password: boss().secret,
      host: server.host,
      port: server.port,
      database: "postgres",
    });
    await holder.connect();
    await holder.query(`begin; alter role ${one.target.username} connection limit 5`);
    const result = await tryChange(postgresql, one, { timeoutMs: 4_000 });
    await holder.query("rollback");
    await holder.end();
    assertChange(result, { outcome: "unsent", code: "not-ready" });
    await verifies(one.target.username, one.secret);
  });

  test("follows the server version's rules for who may set whose password, and reports the result beforehand", async () => {
    const maker = await server.addRole("login createrole");
    const by = { username: maker.username, secret: maker.password };
    const other = await account();
    const isStrict = source === "npm";
    const expected = isStrict
      ? ({ outcome: "refused", code: "no-permission" } as const)
      : ({ outcome: "changed" } as const);
    const result = await tryReconcile(postgresql, other, by);
    assertChange(result, expected);
    if (isStrict) {
      assert.match(result.message, /ADMIN option/);
      await server.sql(`grant ${other.target.username} to ${maker.username} with admin option`);
      assertChange(await tryReconcile(postgresql, other, by), { outcome: "changed" });
    }
    const privileged = await account("login superuser");
    const overSuper = await tryReconcile(postgresql, privileged, by);
    assertChange(overSuper, { outcome: "refused", code: "no-permission" });
    assert.match(overSuper.message, /superuser/);
    await verifies(privileged.target.username, privileged.secret);
  });

  test("refuses a role that does not exist, cannot log in, or has passed its VALID UNTIL, with the reason", async () => {
    const missing = { target: at("srt_nobody"), secret: "", candidate: randomSecret() };
    assertChange(await tryReconcile(postgresql, missing, boss()), { outcome: "refused", code: "no-such-account" });
    const expired = await account("login valid until '2001-01-01'");
    const result = await tryReconcile(postgresql, expired, boss());
    assertChange(result, { outcome: "refused", code: "not-changeable" });
    assert.match(result.message, /VALID UNTIL/);
    const off = await tryReconcile(postgresql, await account("nologin"), boss());
    assertChange(off, { outcome: "refused", code: "not-changeable" });
  });

  test("changes nothing behind a pooler, which stores its own passwords", needs(pgbouncerAvailable()), async () => {
    const role = await server.addRole();
    const pooler = await startPgbouncer(server, role);
    try {
      const target = at(role.username, { port: pooler.port });
      assertResult(await tryOut(postgresql, { target, secret: role.password }), { outcome: "verified" });
      const result = await tryChange(postgresql, { target, secret: role.password, candidate: randomSecret() });
      assertChange(result, { outcome: "refused", code: "not-changeable" });
      assert.match(result.message, /pooler/);
      await verifies(role.username, role.password);
    } finally {
      await pooler.stop();
    }
  });

  test("omits the password storage when the account may not read it, and lists everything else", async () => {
    const role = await server.addRole();
    const target = aTarget(at(role.username));
    const plain = await postgresql.listAccounts?.(target, Secret.fromText(role.password), aContext());
    assert.ok(plain?.outcome === "listed", plain?.message);
    const self = plain.accounts.find(({ name }) => name === role.username);
    assert.deepEqual([self?.isPrivileged, "passwordKind" in (self?.facts ?? {})], [false, false]);
    await server.sql(`grant pg_execute_server_program to ${role.username}`);
    const all = await postgresql.listAccounts?.(
      aTarget(at(boss().username)),
      Secret.fromText(boss().secret),
      aContext(),
    );
    assert.ok(all?.outcome === "listed", all?.message);
    const seen = all.accounts.find(({ name }) => name === role.username);
    assert.deepEqual([seen?.isPrivileged, seen?.facts["passwordKind"]], [true, "scram-sha-256"]);
  });

  test("refuses an invalid password before sending anything", async () => {
    const one = await account();
    assertChange(await tryChange(postgresql, { ...one, candidate: "a\0b" }), { outcome: "unsent", code: "bad-input" });
    await verifies(one.target.username, one.secret);
  });

  test("reports a read-only replica, and changes nothing", async () => {
    const one = await account();
    await server.restartAsReplica();
    const refused = { outcome: "refused", code: "not-changeable" } as const;
    const result = await tryChange(postgresql, one);
    assertChange(result, refused);
    assert.match(result.message, /replica/);
    assertChange(await tryReconcile(postgresql, one, boss()), refused);
    await verifies(one.target.username, one.secret);
  });
}
