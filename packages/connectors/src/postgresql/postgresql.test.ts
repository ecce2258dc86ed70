// Tests PostgreSQL against real servers: the one installed on the system and the one from npm.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { makeAuthority, makeSelfSigned, opensslAvailable, type Authority } from "../../testing/certificates.ts";
import { assertResult, connectorSuite, tryOut, type Rows } from "../../testing/suite.ts";
import { needs } from "../../testing/targets/availability.ts";
import { startHostile, startTcp } from "../../testing/targets/hostile.ts";
import {
  postgresqlAvailable,
  startPostgresql,
  type PostgresqlServer,
  type PostgresqlSource,
} from "../../testing/targets/postgresql.ts";
import { trial, VERIFIED, WRONG_PASSWORD } from "../../testing/trials.ts";
import type { Target } from "../connector.ts";
import { postgresql } from "./postgresql.ts";

const HBA = [
  "host all trusted 127.0.0.1/32 trust",
  "host all clear 127.0.0.1/32 password",
  "host all md5user 127.0.0.1/32 md5",
  "hostssl all onlytls 127.0.0.1/32 scram-sha-256",
  "host all onlytls 127.0.0.1/32 reject",
];

const DAMAGED = "-----BEGIN CERTIFICATE-----\nMIIBAAAA\n-----END CERTIFICATE-----\n";

const at = (server: PostgresqlServer, username: string, more: Partial<Target> = {}): Partial<Target> => ({
  type: "postgresql",
  host: server.host,
  port: server.port,
  username,
  databaseName: "postgres",
  ...more,
});

async function rows(source: PostgresqlSource): Promise<Rows> {
  const authority = await makeAuthority();
  const server = await startPostgresql({ source, certificate: await authority.issue(["127.0.0.1"]) });
  const role = await server.addRole();
  const nologin = await server.addRole("nologin");
  const expired = await server.addRole("login valid until '2001-01-01'");
  const account = async (clause = "login") => {
    const { username, password } = await server.addRole(clause);
    return { target: at(server, username), secret: password, candidate: randomBytes(15).toString("base64url") };
  };
  const able = await server.addRole(source === "npm" ? "login createrole superuser" : "login createrole");
  const tls = (more: Record<string, unknown>) =>
    at(server, role.username, { sslEnabled: true, additionalParams: more });
  const failed = (reason: string) => ({ outcome: "misconfigured", code: "tls-failure", reason }) as const;
  return {
    good: trial(at(server, role.username), role.password, VERIFIED),
    wrong: trial(at(server, role.username), "not-the-password", WRONG_PASSWORD),
    locked: trial(at(server, nologin.username), nologin.password, { outcome: "rejected", code: "account-locked" }),
    expired: {
      ...trial(at(server, expired.username), expired.password, WRONG_PASSWORD),
      note: "a VALID UNTIL that has passed gets the same 28P01 as a wrong password",
    },
    encryption: [
      { name: "checked", ...trial(tls({ ca: authority.certificate }), role.password, VERIFIED) },
      { name: "not checked", ...trial(tls({ sslmode: "require" }), role.password, VERIFIED) },
      { name: "unknown issuer", ...trial(tls({}), role.password, failed("unknown-issuer")) },
      {
        name: "other name",
        ...trial(tls({ ca: authority.certificate, servername: "db.example" }), role.password, failed("name-mismatch")),
      },
      {
        name: "issuer only",
        ...trial(
          tls({ ca: authority.certificate, servername: "db.example", sslmode: "verify-ca" }),
          role.password,
          VERIFIED,
        ),
      },
    ],
    elsewhere: (host, port) => at(server, role.username, { host, port }),
    changes: {
      account,
      refusals: [
        {
          name: "characters that clients treat differently",
          change: async () => ({ ...(await account()), candidate: "ligature-\u{FB01}-and-more" }),
          expect: { outcome: "refused", code: "password-rules" },
        },
      ],
    },
    reconciles: {
      account,
      able: { username: able.username, secret: able.password },
      unable: { username: role.username, secret: role.password },
    },
    lists: {
      target: at(server, server.superuser.username),
      secret: server.superuser.password,
      expect: [
        { name: "postgres", isPrivileged: true, isLocked: false },
        { name: role.username, isPrivileged: false, isLocked: false },
        { name: nologin.username, isPrivileged: false, isLocked: true },
      ],
    },
    stop: () => server.stop(),
  };
}

for (const source of ["system", "npm"] as const) {
  connectorSuite({
    connector: { ...postgresql, name: `${postgresql.name} (${source})` },
    needs: needs(postgresqlAvailable(source), opensslAvailable()),
    start: () => rows(source),
  });
}

describe(
  "PostgreSQL: interpretation of the server's answers",
  needs(postgresqlAvailable("npm"), opensslAvailable()),
  () => {
    let server: PostgresqlServer;
    let authority: Authority;
    let role: { username: string; password: string };
    before(async () => {
      authority = await makeAuthority();
      server = await startPostgresql({
        source: "npm",
        certificate: await authority.issue(["127.0.0.1", "localhost"]),
        hba: HBA,
      });
      role = await server.addRole();
      await server.sql(
        "create role trusted login; create role clear login password 'clear-text-1'; create role onlytls login password 'only-over-tls'",
      );
      await server.sql("set password_encryption = 'md5'; create role md5user login password 'md5-password'");
    });
    after(() => server?.stop());
    const verify = (target: Partial<Target>, secret = role.password) => tryOut(postgresql, { target, secret });

    test("CRED-38: a connection string overrides host, port and database, and sets the TLS mode", async () => {
      const result = await verify({
        type: "postgresql",
        host: "192.0.2.1",
        port: 1,
        databaseName: "nowhere",
        username: role.username,
        connectionString: `postgresql://somebody@127.0.0.1:${server.port}/postgres?sslmode=verify-full`,
        additionalParams: { ca: authority.certificate },
      });
      assertResult(result, { outcome: "verified" });
      const facts = "facts" in result ? result.facts : {};
      assert.deepEqual(facts?.["tls"], { mode: "verify-full", protocol: "TLSv1.3" });
    });

    test("checks a host name in the certificate although it connects to the checked address", async () => {
      const more = { host: "localhost", sslEnabled: true, additionalParams: { ca: authority.certificate } };
      assertResult(await verify(at(server, role.username, more)), { outcome: "verified" });
    });

    test("a server that does not ask for the password proves nothing", async () => {
      assertResult(await verify(at(server, "trusted")), { outcome: "misconfigured", code: "password-not-checked" });
    });

    test("INVARIANT: a secret is sent in clear text only over TLS to a server whose certificate was checked", async () => {
      const refused = { outcome: "misconfigured", code: "insecure-authentication" } as const;
      assertResult(await verify(at(server, "clear"), "clear-text-1"), refused);
      const unchecked = { sslEnabled: true, additionalParams: { sslmode: "require" } };
      assertResult(await verify(at(server, "clear", unchecked), "clear-text-1"), refused);
      const checked = { sslEnabled: true, additionalParams: { ca: authority.certificate } };
      assertResult(await verify(at(server, "clear", checked), "clear-text-1"), { outcome: "verified" });
    });

    test("never sends the password to a server that asks for clear text", async (t) => {
      // AuthenticationCleartextPassword, right after the startup message.
      const impostor = await startTcp((socket) =>
        socket.once("data", () => socket.write(Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 3]))),
      );
      t.after(() => impostor.stop());
      const result = await verify(at(server, role.username, { port: impostor.port }));
      assertResult(result, { outcome: "misconfigured", code: "insecure-authentication" });
      await impostor.idle();
      assert.ok(!impostor.received().includes(role.password));
    });

    test("rejects a server that accepts the login without knowing the password", async (t) => {
      // AuthenticationOk immediately, then ReadyForQuery.
      const impostor = await startTcp((socket) =>
        socket.once("data", () => socket.write(Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 0, 90, 0, 0, 0, 5, 73]))),
      );
      t.after(() => impostor.stop());
      const result = await verify(at(server, role.username, { port: impostor.port }));
      assertResult(result, { outcome: "misconfigured", code: "password-not-checked" });
    });

    test("rejects a server that omits its half of SCRAM", async (t) => {
      const sasl = Buffer.from("\0\0\0\x0aSCRAM-SHA-256\0\0", "latin1");
      const askScram = Buffer.concat([Buffer.from([82, 0, 0, 0, sasl.length + 4]), sasl]);
      const impostor = await startTcp((socket) =>
        socket.once("data", () => {
          socket.write(askScram);
          socket.once("data", () => socket.write(Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 0, 90, 0, 0, 0, 5, 73])));
        }),
      );
      t.after(() => impostor.stop());
      const result = await verify(at(server, role.username, { port: impostor.port }));
      assertResult(result, { outcome: "misconfigured", code: "protocol-error" });
    });

    test("text injected before the encrypted part ends the attempt (CVE-2021-23222)", async (t) => {
      const impostor = await startTcp((socket) => socket.once("data", () => socket.write("Sinjected")));
      t.after(() => impostor.stop());
      const result = await verify(at(server, role.username, { port: impostor.port, sslEnabled: true }));
      assertResult(result, { outcome: "misconfigured", code: "tls-failure", reason: "not-offered" });
    });

    test("supports the older md5 method", async () => {
      assertResult(await verify(at(server, "md5user"), "md5-password"), { outcome: "verified" });
      assertResult(await verify(at(server, "md5user"), "md5-passwort"), {
        outcome: "rejected",
        code: "wrong-password",
      });
    });

    test("reports a server that requires encryption", async () => {
      assertResult(await verify(at(server, "onlytls"), "only-over-tls"), {
        outcome: "misconfigured",
        code: "tls-required",
      });
    });

    test("distinguishes a missing and a forbidden database from a wrong password", async () => {
      const missing = await verify(at(server, role.username, { databaseName: "nowhere" }));
      assertResult(missing, { outcome: "misconfigured", code: "no-such-database" });
      await server.sql("create database closed");
      await server.sql("revoke connect on database closed from public");
      const closed = await verify(at(server, role.username, { databaseName: "closed" }));
      assertResult(closed, { outcome: "misconfigured", code: "no-permission" });
    });

    test("a role that has reached its connection limit is reported as unreachable, not as rejected", async () => {
      const busy = await server.addRole("login connection limit 0");
      assertResult(await verify(at(server, busy.username), busy.password), {
        outcome: "unreachable",
        code: "too-many-connections",
      });
    });

    test("reports the expiry date of a verified password, and a missing schema", async () => {
      const dated = await server.addRole("login valid until '2099-01-01 00:00:00+00'");
      const result = await verify(at(server, dated.username, { schemaName: "nowhere" }), dated.password);
      assertResult(result, { outcome: "verified" });
      assert.match(result.message, /valid until 2099-01-01T00:00:00Z/);
      assert.match(result.message, /schema nowhere does not exist/);
      const { facts } = result as { facts: Record<string, unknown> };
      assert.equal(facts["validUntil"], "2099-01-01T00:00:00Z");
      assert.match(String(facts["serverVersion"]), /^18\./);
      assert.equal(facts["isSuperuser"], false);
    });

    test("names an expired and a self-signed certificate, and sends no clear text to a server without TLS", async () => {
      const checked = at(server, role.username, { sslEnabled: true, additionalParams: { ca: authority.certificate } });
      const failure = (reason: string) => ({ outcome: "misconfigured", code: "tls-failure", reason }) as const;
      await server.restart(await authority.issue(["127.0.0.1"], { fromDay: -10, untilDay: -1 }));
      assertResult(await verify(checked), failure("expired"));
      await server.restart(await authority.issue(["127.0.0.1"], { fromDay: 5, untilDay: 9 }));
      assertResult(await verify(checked), failure("not-yet-valid"));
      await server.restart(await makeSelfSigned(["127.0.0.1"]));
      assertResult(await verify(at(server, role.username, { sslEnabled: true })), failure("self-signed"));
      await server.restart(null);
      assertResult(await verify(checked), failure("not-offered"));
    });

    test("refuses an invalid entry before sending anything", async (t) => {
      const silent = await startHostile("black-hole");
      t.after(() => silent.stop());
      const bad: Partial<Target>[] = [
        { connectionString: `postgres://u:secret-in-url@127.0.0.1:${silent.port}/x` },
        { connectionString: `postgres://127.0.0.1:${silent.port}/x?password=secret-in-url` },
        { connectionString: `mysql://127.0.0.1:${silent.port}/x` },
        { connectionString: `postgres://127.0.0.1:${silent.port}/x?sslrootcert=/etc/passwd` },
        { connectionString: `postgres://%2Fvar%2Frun%2Fpostgresql/x` },
        { connectionString: `postgres://127.0.0.1:${silent.port}/%zz` },
        { additionalParams: { sslmode: "prefer" } },
        { additionalParams: { sslmode: "disable" }, sslEnabled: true },
        { additionalParams: { ca: "/etc/ssl/cert.pem" }, sslEnabled: true },
        { additionalParams: { ca: authority.certificate + DAMAGED }, sslEnabled: true },
        { additionalParams: { servername: "two words" }, sslEnabled: true },
        { username: "" },
        { host: "" },
        { host: "two words" },
      ];
      for (const more of bad) {
        const result = await verify(at(server, role.username, { host: "127.0.0.1", port: silent.port, ...more }));
        assertResult(result, { outcome: "misconfigured", code: "bad-input" });
      }
      assert.equal(silent.connections(), 0);
    });

    test("environment variables of this process do not affect the login", async (t) => {
      const names = ["PGPASSWORD", "PGSSLMODE", "PGHOST", "PGSSLNEGOTIATION"] as const;
      const values = ["other", "require", "192.0.2.1", "direct"];
      t.after(() => names.forEach((name) => delete process.env[name]));
      names.forEach((name, index) => (process.env[name] = values[index]));
      assertResult(await verify(at(server, role.username)), { outcome: "verified" });
      assertResult(await verify(at(server, role.username), "not-the-password"), {
        outcome: "rejected",
        code: "wrong-password",
      });
    });
  },
);
