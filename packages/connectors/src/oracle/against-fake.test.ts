// Tests Oracle against a fake. The comment at the top of the fake says what these tests do not prove.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import oracledb from "oracledb";
import { assertChange, tryChange, tryReconcile, type Changeable } from "../../testing/capabilities.ts";
import { Secret } from "@strongroom/keys";
import { makeAuthority, opensslAvailable } from "../../testing/certificates.ts";
import { aContext, aTarget } from "../../testing/factories.ts";
import { assertResult, connectorSuite, tryOut, type Rows } from "../../testing/suite.ts";
import { needs } from "../../testing/targets/availability.ts";
import { startFakeOracle, type FakeOracle } from "../../testing/targets/fake-oracle/fake-oracle.ts";
import { VERIFIED, WRONG_PASSWORD } from "../../testing/trials.ts";
import type { Target } from "../connector.ts";
import { oracle } from "./oracle.ts";

const aSecret = () => randomBytes(12).toString("base64url");
const aName = () => `u${randomBytes(4).toString("hex")}`;

const at = (place: { host: string; port: number }, username: string, ca?: string): Partial<Target> => ({
  type: "oracle",
  host: place.host,
  port: place.port,
  username,
  databaseName: "orclpdb1",
  ...(ca === undefined ? {} : { sslEnabled: true, additionalParams: { ca } }),
});

async function rows(generation: "19c" | "23ai"): Promise<Rows> {
  const authority = await makeAuthority();
  const ca = authority.certificate;
  const server = await startFakeOracle(await authority.issue(["127.0.0.1"]), generation);
  const plain = await startFakeOracle();
  const aUser = (more: Parameters<FakeOracle["addUser"]>[2] = {}) => {
    const [username, secret] = [aName(), aSecret()];
    server.addUser(username, secret, more);
    return { username, secret, target: at(server, username, ca) };
  };
  const account = async (candidate = aSecret()): Promise<Changeable> => {
    const { target, secret } = aUser();
    return { target, secret, candidate };
  };
  const [good, locked] = [aUser(), aUser({ error: 28_000 })];
  plain.addUser(good.username, good.secret);
  const failed = (reason: string) => ({ outcome: "misconfigured", code: "tls-failure", reason }) as const;
  const otherName = { ca, servername: "db.example" };
  return {
    good: { ...good, expect: VERIFIED },
    wrong: { ...good, secret: aSecret(), expect: WRONG_PASSWORD },
    locked: { ...locked, expect: { outcome: "rejected", code: "account-locked" } },
    expired: { ...aUser({ error: 28_001 }), expect: { outcome: "rejected", code: "password-expired" } },
    encryption: [
      {
        name: "unknown issuer",
        ...good,
        target: { ...good.target, additionalParams: {} },
        expect: failed("unknown-issuer"),
      },
      {
        name: "other name",
        ...good,
        target: { ...good.target, additionalParams: otherName },
        expect: failed("name-mismatch"),
      },
      {
        name: "no TLS: the password is never sent in clear text",
        ...good,
        target: at(plain, good.username),
        expect: VERIFIED,
      },
      {
        name: "no TLS where the server has it",
        ...good,
        target: at(server, good.username),
        expect: { outcome: "unreachable", code: "connection-lost" },
      },
    ],
    elsewhere: (host, port) => at({ host, port }, good.username, ca),
    changes: {
      account: () => account(),
      refusals: [
        { name: "too short", change: () => account("x1"), expect: { outcome: "refused", code: "password-rules" } },
        { name: "too long", change: () => account("x".repeat(129)), expect: { outcome: "unsent", code: "bad-input" } },
        {
          name: "a quotation mark",
          change: () => account('long"enough'),
          expect: { outcome: "unsent", code: "bad-input" },
        },
      ],
    },
    reconciles: { account: () => account(), able: aUser({ mayAlter: true }), unable: aUser() },
    lists: {
      ...good,
      expect: [
        { name: good.username.toUpperCase(), isPrivileged: false, isLocked: false },
        { name: locked.username.toUpperCase(), isLocked: true },
      ],
    },
    stop: async () => void (await Promise.all([server.stop(), plain.stop()])),
  };
}

for (const generation of ["19c", "23ai"] as const)
  describe(`as Oracle ${generation}`, () => {
    connectorSuite({ connector: oracle, needs: needs(opensslAvailable()), start: () => rows(generation) });
  });

describe("Oracle: interpretation of the server's answers", { ...needs(opensslAvailable()), concurrency: 1 }, () => {
  let server: FakeOracle;
  before(async () => {
    server = await startFakeOracle();
  });
  after(() => server?.stop());
  const anAccount = (more: Parameters<FakeOracle["addUser"]>[2] = {}): Changeable => {
    const [username, secret] = [aName(), aSecret()];
    server.addUser(username, secret, more);
    return { target: at(server, username), secret, candidate: aSecret() };
  };

  test("the fake lets the driver log in only with the correct password", async () => {
    const { target, secret } = anAccount();
    const connectString = `${server.host}:${server.port}/${server.service}`;
    const logIn = (password: string) => oracledb.getConnection({ user: target.username!, password, connectString });
    const connection = await logIn(secret);
    await connection.ping();
    await connection.close();
    for (const wrong of [`${secret} `, secret.slice(1), secret.toUpperCase() + "x", aSecret()])
      await assert.rejects(logIn(wrong), { code: "ORA-01017" });
    await assert.rejects(oracledb.getConnection({ user: aName(), password: secret, connectString }), {
      code: "ORA-01017",
    });
  });

  for (const [number, expected] of [
    [1045, { outcome: "misconfigured", code: "no-permission" }],
    [28_009, { outcome: "misconfigured", code: "method-not-offered" }],
    [18, { outcome: "unreachable", code: "too-many-connections" }],
    [1033, { outcome: "unreachable", code: "not-ready" }],
    [1089, { outcome: "unreachable", code: "not-ready" }],
    [600, { outcome: "unreachable", code: "server-error" }],
  ] as const) {
    test(`interprets a refused login: ORA-${String(number).padStart(5, "0")} is ${expected.code}`, async () => {
      assertResult(await tryOut(oracle, anAccount({ error: number })), expected);
    });
  }

  test("verifies a password in its grace period", async () => {
    assertResult(await tryOut(oracle, anAccount({ warning: 28_002 })), VERIFIED);
  });

  test("reports a locked account before checking its password, and an expired one after", async () => {
    const [locked, expired] = [anAccount({ error: 28_000 }), anAccount({ error: 28_001 })];
    const wrong = (account: Changeable) => tryOut(oracle, { ...account, secret: aSecret() });
    assertResult(await wrong(locked), { outcome: "rejected", code: "account-locked" });
    assertResult(await wrong(expired), WRONG_PASSWORD);
  });

  for (const [number, expected] of [
    [12_519, { outcome: "unreachable", code: "too-many-connections" }],
    [12_528, { outcome: "unreachable", code: "not-ready" }],
    [12_505, { outcome: "misconfigured", code: "no-such-database" }],
    [12_500, { outcome: "unreachable", code: "server-error" }],
  ] as const) {
    test(`interprets a listener's refusal: ORA-${number} is ${expected.code}`, async () => {
      server.refuseOnce(number);
      assertResult(await tryOut(oracle, anAccount()), expected);
    });
  }

  test("reports a service that the listener does not know", async () => {
    const { target, secret } = anAccount();
    const elsewhere = { target: { ...target, databaseName: "other" }, secret };
    assertResult(await tryOut(oracle, elsewhere), { outcome: "misconfigured", code: "no-such-database" });
  });

  for (const [number, expected] of [
    [28_003, { outcome: "refused", code: "password-rules" }],
    [988, { outcome: "refused", code: "password-rules" }],
    [972, { outcome: "refused", code: "password-rules" }],
    [28_007, { outcome: "refused", code: "reused" }],
    [1031, { outcome: "refused", code: "no-permission" }],
    [28_008, { outcome: "refused", code: "not-changeable" }],
    [600, { outcome: "unknown" }],
    [null, { outcome: "unknown" }],
  ] as const) {
    const said = number === null ? "none" : `ORA-${String(number).padStart(5, "0")}`;
    test(`interprets the answer to a change: ${said} is ${expected.outcome}`, async () => {
      const changing = anAccount();
      server.answerOnce(number);
      assertChange(await tryChange(oracle, changing), expected);
      const live = number === null ? changing.candidate : changing.secret;
      assertResult(await tryOut(oracle, { ...changing, secret: live }), VERIFIED);
    });
  }

  test("names and passwords are values: login, change and reset all refer to the same user", async (t) => {
    const authority = await makeAuthority();
    const ca = authority.certificate;
    const secured = await startFakeOracle(await authority.issue(["127.0.0.1"]));
    t.after(() => secured.stop());
    const able = { username: "keeper", secret: aSecret() };
    secured.addUser(able.username, able.secret, { mayAlter: true });
    const units = ["'", "[", "]", ";", "-", "/", "*", "\\", "@", "ü", "𝔘", "x", "X", " ", ")", "="];
    const awkward = fc.string({ minLength: 8, maxLength: 24, unit: fc.constantFrom(...units) });
    await fc.assert(
      fc.asyncProperty(awkward, awkward, awkward, awkward, async (name, secret, candidate, reset) => {
        fc.pre(!/^[\p{L}]+$/u.test(name));
        secured.addUser(`"${name}"`, secret);
        const target = at(secured, name, ca);
        assertChange(await tryChange(oracle, { target, secret, candidate }), { outcome: "changed" });
        assertResult(await tryOut(oracle, { target, secret: candidate }), VERIFIED);
        assertChange(await tryReconcile(oracle, { target, secret, candidate: reset }, able), { outcome: "changed" });
        assertResult(await tryOut(oracle, { target, secret: reset }), VERIFIED);
      }),
      { numRuns: 20 },
    );
  });

  test("a name without quotation marks is the same user in upper and lower case", async () => {
    const { target, secret, candidate } = anAccount();
    for (const [small, before, after] of [
      [target.username!, secret, candidate],
      ["müller", aSecret(), aSecret()],
    ] as const) {
      if (small !== target.username) server.addUser(small, before);
      const [inSmall, inCapitals] = [small, small.toUpperCase()].map((username) => ({ ...target, username }));
      assertChange(await tryChange(oracle, { target: inCapitals!, secret: before, candidate: after }), {
        outcome: "changed",
      });
      assertResult(await tryOut(oracle, { target: inSmall!, secret: after }), VERIFIED);
    }
  });

  test("lists users with their rights through nested roles, and database links without passwords", async () => {
    const scanner = anAccount();
    const [ada, bob, carol] = [anAccount(), anAccount(), anAccount()].map(({ target }) =>
      target.username!.toUpperCase(),
    );
    server.catalog.roles.push(["DBA", "OPERATORS"], ["OPERATORS", ada!], ["HELPDESK", bob!]);
    server.catalog.privileges.push(["ALTER USER", "HELPDESK"], ["GRANT ANY ROLE", carol!]);
    server.catalog.sysdbas.push("SYS", carol!);
    server.catalog.links.push(
      ["ERP", "//erp.example.com:1522/erp", "READER"],
      ["HR", "(DESCRIPTION=(ADDRESS=(PROTOCOL=TCP)(HOST=hr.example.com)(PORT=1521)))", "HR_READER"],
      ["ALIAS", "crm", "CRM"],
    );
    const list = async () => {
      const result = await oracle.listAccounts!(aTarget(scanner.target), Secret.fromText(scanner.secret), aContext());
      assert.ok(result.outcome === "listed", result.message);
      return result;
    };
    const result = await list();
    const pathsOf = (name: string) =>
      result.accounts
        .find((each) => each.name === name)
        ?.privileges?.map(({ kind, path, detail }) => [kind, ...path, ...detail]);
    assert.deepEqual(pathsOf(ada!), [["superuser", "OPERATORS", "DBA"]]);
    assert.deepEqual(pathsOf(bob!), [["escalation", "HELPDESK"]]);
    assert.deepEqual(pathsOf(carol!), [
      ["superuser", "SYSDBA"],
      ["escalation", "GRANT ANY ROLE"],
    ]);
    assert.deepEqual(result.collected?.system["linkedServers"], [
      { name: "ERP", host: "erp.example.com", port: 1522, login: "READER" },
      { name: "HR", host: "hr.example.com", port: 1521, login: "HR_READER" },
      { name: "ALIAS", host: "crm", port: null, login: "CRM" },
    ]);
    assert.equal(result.accounts.find(({ name }) => name === ada)?.expiresAt, "2027-01-02T03:04:05Z");
    server.catalog.denied.add("v$pwfile_users").add("dba_db_links");
    assert.deepEqual(
      (await list()).commands?.filter(({ success }) => !success).map(({ command }) => command),
      ["SELECT from v$pwfile_users", "SELECT from dba_db_links"],
    );
    server.catalog.denied.add("dba_users");
    const refused = await oracle.listAccounts!(aTarget(scanner.target), Secret.fromText(scanner.secret), aContext());
    server.catalog.denied.clear();
    assert.deepEqual([refused.outcome, "code" in refused && refused.code], ["rejected", "no-permission"]);
    assert.match(refused.message, /SELECT_CATALOG_ROLE/);
  });
});
