// Tests SQL Server against a fake. The comment at the top of the fake says what these tests do not prove.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { Secret } from "@strongroom/keys";
import fc from "fast-check";
import { assertChange, tryChange, type Changeable } from "../../testing/capabilities.ts";
import { makeAuthority, opensslAvailable, type Authority } from "../../testing/certificates.ts";
import { aContext, aTarget } from "../../testing/factories.ts";
import { assertResult, connectorSuite, tryOut, type Rows } from "../../testing/suite.ts";
import { needs } from "../../testing/targets/availability.ts";
import { startFakeMssql, type FakeMssql } from "../../testing/targets/fake-mssql.ts";
import { startHostile } from "../../testing/targets/hostile.ts";
import { VERIFIED, WRONG_PASSWORD } from "../../testing/trials.ts";
import type { DatabaseAddress } from "../connection-string.ts";
import type { Target } from "../connector.ts";
import { loginFailure } from "./login-failure.ts";
import { mssql } from "./mssql.ts";

const aSecret = () => randomBytes(12).toString("base64url");
const aName = () => `u${randomBytes(4).toString("hex")}`;

const at = (place: { host: string; port: number }, username: string, more: object = {}): Partial<Target> => ({
  type: "mssql",
  host: place.host,
  port: place.port,
  username,
  sslEnabled: true,
  additionalParams: more as Target["additionalParams"],
});

async function rows(): Promise<Rows> {
  const authority = await makeAuthority();
  const ca = authority.certificate;
  const server = await startFakeMssql(await authority.issue(["127.0.0.1"]));
  const aLogin = (more: Parameters<FakeMssql["addLogin"]>[2] = {}) => {
    const [username, secret] = [aName(), aSecret()];
    server.addLogin(username, secret, more);
    return { username, secret, target: at(server, username, { ca }) };
  };
  const account = async (candidate = aSecret()): Promise<Changeable> => {
    const { target, secret } = aLogin();
    return { target, secret, candidate };
  };
  const [good, locked, expired, admin] = [
    aLogin(),
    aLogin({ error: 18486 }),
    aLogin({ error: 18487 }),
    aLogin({ isAdministrator: true }),
  ];
  const failed = (reason: string) => ({ outcome: "misconfigured", code: "tls-failure", reason }) as const;
  const insecure = { outcome: "misconfigured", code: "insecure-authentication" } as const;
  return {
    good: { ...good, expect: VERIFIED },
    wrong: { ...good, secret: aSecret(), expect: WRONG_PASSWORD },
    locked: { ...locked, expect: { outcome: "rejected", code: "account-locked" } },
    expired: { ...expired, expect: { outcome: "rejected", code: "password-expired" } },
    encryption: [
      { name: "unknown issuer", ...good, target: at(server, good.username), expect: failed("unknown-issuer") },
      {
        name: "other name",
        ...good,
        target: at(server, good.username, { ca, servername: "db.example" }),
        expect: failed("name-mismatch"),
      },
      { name: "not checked", ...good, target: at(server, good.username, { ca, sslmode: "require" }), expect: insecure },
      { name: "no TLS", ...good, target: { ...at(server, good.username), sslEnabled: false }, expect: insecure },
    ],
    elsewhere: (host, port) => at({ host, port }, good.username, { ca }),
    changes: {
      account: () => account(),
      refusals: [
        { name: "too short", change: () => account("x1"), expect: { outcome: "refused", code: "password-rules" } },
        { name: "too long", change: () => account("x".repeat(129)), expect: { outcome: "unsent", code: "bad-input" } },
      ],
    },
    reconciles: { account: () => account(), able: admin, unable: aLogin() },
    lists: {
      target: admin.target,
      secret: admin.secret,
      expect: [
        { name: good.username, isPrivileged: false, isLocked: false },
        { name: locked.username, isLocked: true },
        { name: admin.username, isPrivileged: true },
      ],
    },
    stop: () => server.stop(),
  };
}

connectorSuite({ connector: mssql, needs: needs(opensslAvailable()), start: rows });

describe("SQL Server: interpretation of the server's answers", { ...needs(opensslAvailable()), concurrency: 1 }, () => {
  let server: FakeMssql;
  let authority: Authority;
  before(async () => {
    authority = await makeAuthority();
    server = await startFakeMssql(await authority.issue(["127.0.0.1"]));
  });
  after(() => server?.stop());
  const anAccount = (error: number | null = null): Changeable => {
    const [username, secret] = [aName(), aSecret()];
    server.addLogin(username, secret, { error });
    return { target: at(server, username, { ca: authority.certificate }), secret, candidate: aSecret() };
  };

  for (const [number, expected] of [
    [18470, { outcome: "rejected", code: "account-locked" }],
    [18488, { outcome: "rejected", code: "must-change" }],
    [4060, { outcome: "misconfigured", code: "no-such-database" }],
    [18452, { outcome: "misconfigured", code: "method-not-offered" }],
    [40613, { outcome: "unreachable", code: "not-ready" }],
    [99999, { outcome: "unreachable", code: "server-error" }],
  ] as const) {
    test(`interprets a refused login: error ${number} is ${expected.code}`, async () => {
      assertResult(await tryOut(mssql, anAccount(number)), expected);
    });
  }

  for (const [number, expected] of [
    [15114, { outcome: "refused", code: "too-young" }],
    [15115, { outcome: "refused", code: "reused" }],
    [15118, { outcome: "refused", code: "password-rules" }],
    [15113, { outcome: "refused", code: "not-changeable" }],
    [15151, { outcome: "refused", code: "no-permission" }],
    [99999, { outcome: "unknown" }],
    [null, { outcome: "unknown" }],
  ] as const) {
    test(`interprets the answer to a change: ${number === null ? "none" : `error ${number}`} is ${expected.outcome}`, async () => {
      const changing = anAccount();
      server.answerOnce(number);
      assertChange(await tryChange(mssql, changing), expected);
    });
  }

  test("sends no password to a server without TLS", async (t) => {
    const plain = await startFakeMssql(null);
    t.after(() => plain.stop());
    const result = await tryOut(mssql, { target: at(plain, "sa", { ca: authority.certificate }), secret: aSecret() });
    assertResult(result, { outcome: "misconfigured", code: "tls-failure", reason: "not-offered" });
  });

  test("follows no redirection to another server", async (t) => {
    const other = await startHostile("black-hole");
    const gateway = await startFakeMssql(await authority.issue(["127.0.0.1"]), other);
    t.after(() => Promise.all([other.stop(), gateway.stop()]));
    const secret = aSecret();
    gateway.addLogin("somebody", secret);
    const result = await tryOut(mssql, { target: at(gateway, "somebody", { ca: authority.certificate }), secret });
    assertResult(result, { outcome: "misconfigured", code: "redirected" });
    assert.equal(other.connections(), 0);
  });

  test("a server that stops answering during a login is reported as a timeout, whichever limit expires first", () => {
    const silent = Object.assign(new Error("Failed to connect in 20000ms"), { code: "ETIMEOUT" });
    const address = { host: "db.example", port: 1433, username: "sa", database: null } as DatabaseAddress;
    const { outcome, ...rest } = loginFailure(silent, null, [], address);
    assert.deepEqual([outcome, "code" in rest && rest.code], ["unreachable", "timeout"]);
  });

  test("names and passwords are values, whatever characters they contain", async () => {
    const awkward = fc.string({
      minLength: 8,
      maxLength: 40,
      unit: fc.constantFrom("'", "]", "[", '"', ";", "-", "/", "*", "\\", "\n", "ü", "𝔘", "x", " "),
    });
    await fc.assert(
      fc.asyncProperty(awkward, awkward, awkward, async (name, secret, candidate) => {
        server.addLogin(name, secret);
        const target = at(server, name, { ca: authority.certificate });
        assertChange(await tryChange(mssql, { target, secret, candidate }), { outcome: "changed" });
        assertResult(await tryOut(mssql, { target, secret: candidate }), VERIFIED);
      }),
      { numRuns: 20 },
    );
  });

  test("lists why logins are privileged, how their passwords are stored and when they expire", async () => {
    const { target, secret } = anAccount();
    const [boss, keeper] = [aName(), aName()];
    server.addLogin(boss, aSecret(), { mayAlter: true, isSecurityAdmin: true });
    server.addLogin(keeper, aSecret(), { isAdministrator: true, error: 18488 });
    const result = await mssql.listAccounts!(aTarget(target), Secret.fromText(secret), aContext());
    assert.ok(result.outcome === "listed", result.message);
    const shown = (wanted: string) => {
      const account = result.accounts.find(({ name }) => name === wanted);
      return [
        account?.facts["mustChange"],
        ...(account?.privileges ?? []).map(({ kind, path, detail }) => [kind, ...path, ...detail]),
      ];
    };
    assert.deepEqual(shown(boss), [false, ["escalation", "securityadmin"], ["escalation", "ALTER ANY LOGIN"]]);
    assert.deepEqual(shown(keeper), [true, ["superuser", "sysadmin"]]);
    const { facts } = result.accounts.find(({ name }) => name === boss)!;
    assert.deepEqual([facts["passwordKind"], facts["daysUntilExpiry"]], ["sha-512", 41]);
  });

  test("lists linked servers with their remote logins", async () => {
    const { target, secret } = anAccount();
    server.linkedServers.push(
      ["ERP", "erp.example.com,1444", "reader"],
      ["CRM", "crm.example.com\\SALES", "crm"],
      ["NAMED", "tcp:hr.example.com", "hr"],
    );
    const result = await mssql.listAccounts!(aTarget(target), Secret.fromText(secret), aContext());
    assert.ok(result.outcome === "listed", result.message);
    assert.deepEqual(result.collected?.system["linkedServers"], [
      { name: "ERP", host: "erp.example.com", port: 1444, login: "reader" },
      { name: "CRM", host: "crm.example.com", port: null, login: "crm" },
      { name: "NAMED", host: "hr.example.com", port: null, login: "hr" },
    ]);
  });
});
