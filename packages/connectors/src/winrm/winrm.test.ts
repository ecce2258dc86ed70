// Tests WinRM against a fake server. The comment at the top of the fake says what these tests do not prove.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { Secret } from "@strongroom/keys";
import { assertChange, tryChange, tryReconcile, type Changeable } from "../../testing/capabilities.ts";
import { makeAuthority, opensslAvailable } from "../../testing/certificates.ts";
import { aContext, aTarget } from "../../testing/factories.ts";
import { assertResult, connectorSuite, tryOut, type Rows } from "../../testing/suite.ts";
import { needs } from "../../testing/targets/availability.ts";
import { startFakeWinrm, type FakeWinrm } from "../../testing/targets/fake-winrm.ts";
import { VERIFIED, WRONG_PASSWORD } from "../../testing/trials.ts";
import type { Target } from "../connector.ts";
import { argumentsFor, LIST_ACCOUNTS, POWERSHELL } from "./scripts.ts";
import { winrm } from "./winrm.ts";

const aSecret = () => randomBytes(12).toString("base64url");
/** A name that the fake allows to open a shell. */
const aName = () => `remote${randomBytes(4).toString("hex")}`;

const at = (place: { host: string; port: number }, username: string, additionalParams: object): Partial<Target> => ({
  type: "server",
  host: place.host,
  port: place.port,
  username,
  additionalParams: { protocol: "winrm", ...additionalParams },
});

async function rows(): Promise<Rows> {
  const authority = await makeAuthority();
  const ca = authority.certificate;
  const server = await startFakeWinrm(await authority.issue(["127.0.0.1"]));
  const aUser = (isAdministrator = false) => {
    const [username, secret] = [aName(), aSecret()];
    server.addAccount(username, secret, isAdministrator);
    return { username, secret, target: at(server, username, { ca }) };
  };
  const account = async (candidate = aSecret()): Promise<Changeable> => {
    const { target, secret } = aUser();
    return { target, secret, candidate };
  };
  const [good, admin] = [aUser(), aUser(true)];
  const failed = (reason: string) => ({ outcome: "misconfigured", code: "tls-failure", reason }) as const;
  return {
    good: { ...good, expect: VERIFIED },
    wrong: { ...good, secret: aSecret(), expect: WRONG_PASSWORD },
    locked: {
      ...good,
      secret: aSecret(),
      expect: WRONG_PASSWORD,
      note: "WinRM answers 401 for a locked or disabled account",
    },
    expired: {
      ...good,
      secret: aSecret(),
      expect: WRONG_PASSWORD,
      note: "WinRM answers 401 for an expired account or password",
    },
    encryption: [
      { name: "unknown issuer", ...good, target: at(server, good.username, {}), expect: failed("unknown-issuer") },
      {
        name: "other name",
        ...good,
        target: at(server, good.username, { ca, servername: "win.example" }),
        expect: failed("name-mismatch"),
      },
      {
        name: "not checked",
        ...good,
        target: at(server, good.username, { ca, sslmode: "require" }),
        expect: { outcome: "misconfigured", code: "insecure-authentication" },
      },
    ],
    elsewhere: (host, port) => at({ host, port }, good.username, { ca }),
    changes: {
      account: () => account(),
      refusals: [
        { name: "too short", change: () => account("x1"), expect: { outcome: "refused", code: "password-rules" } },
        {
          name: "with a NUL character",
          change: () => account("a\0b-and-more"),
          expect: { outcome: "unsent", code: "bad-input" },
        },
      ],
      // Each message has its own connection: the fake closes connections at the relevant points below.
      isCuttable: false,
    },
    reconciles: { account: () => account(), able: admin, unable: aUser() },
    lists: {
      ...admin,
      elsewhere: (host, port) => at({ host, port }, admin.username, { ca }),
      expect: [
        { name: good.username, isPrivileged: false, isLocked: false },
        { name: admin.username, isPrivileged: true },
      ],
    },
    stop: () => server.stop(),
  };
}

connectorSuite({ connector: winrm, needs: needs(opensslAvailable()), start: rows });

describe("WinRM: the shell and its scripts", { ...needs(opensslAvailable()), concurrency: 1 }, () => {
  let server: FakeWinrm;
  let ca: string;
  before(async () => {
    const authority = await makeAuthority();
    ca = authority.certificate;
    server = await startFakeWinrm(await authority.issue(["127.0.0.1"]));
  });
  after(() => server?.stop());
  const anAccount = (name = aName()): Changeable => {
    const secret = aSecret();
    server.addAccount(name, secret);
    return { target: at(server, name, { ca }), secret, candidate: aSecret() };
  };

  test("puts neither passwords nor names on a command line, and leaves no shell open", async () => {
    const name = aName();
    const changing = anAccount(name);
    assertChange(await tryChange(winrm, changing), { outcome: "changed" });
    const line = server.commandLines().at(-1) ?? "";
    const script = Buffer.from(line.split(" ").at(-1) ?? "", "base64").toString("utf16le");
    assert.match(script, /ReadLine/);
    for (const text of [line, script])
      for (const word of [name, changing.secret, changing.candidate]) assert.ok(!text.includes(word));
    assert.equal(server.shells(), 0);
  });

  test("a password may contain quotes, line endings and scripts", async () => {
    for (const candidate of [`'; Remove-Item c:\\ #`, '$(whoami)`n"end', "two\nlines\r\nthree", "<&>]]>пароль-𝔘"]) {
      const changing = { ...anAccount(), candidate };
      assertChange(await tryChange(winrm, changing), { outcome: "changed" });
      assertResult(await tryOut(winrm, { target: changing.target, secret: candidate }), VERIFIED);
    }
  });

  for (const [verdict, expected] of [
    ["STRONGROOM 80070005", { outcome: "refused", code: "no-permission" }],
    ["STRONGROOM 800708AD", { outcome: "refused", code: "no-such-account" }],
    ["STRONGROOM 8007052D", { outcome: "refused", code: "password-rules" }],
    ["STRONGROOM 80131501", { outcome: "unknown" }],
    ["not STRONGROOM OK", { outcome: "unknown" }],
    ["", { outcome: "unknown" }],
    [null, { outcome: "unknown" }],
  ] as const) {
    test(`a script that ends with ${JSON.stringify(verdict)} is reported as ${expected.outcome}`, async () => {
      const changing = anAccount();
      server.sayOnce(verdict);
      assertChange(await tryChange(winrm, changing), expected);
    });
  }

  test("logs in with a new password that became active although the answer was lost", async () => {
    const changing = anAccount();
    server.sayOnce(null);
    assertChange(await tryChange(winrm, changing), { outcome: "unknown" });
    assertResult(await tryOut(winrm, { target: changing.target, secret: changing.candidate }), VERIFIED);
  });

  test("sends nothing for an account that can log in but not open a shell", async () => {
    const changing = anAccount(`guest${randomBytes(4).toString("hex")}`);
    assertResult(await tryOut(winrm, changing), VERIFIED);
    assertChange(await tryChange(winrm, changing), { outcome: "unsent", code: "no-permission" });
  });

  test("lists administrators, services and tasks by the account that they run as, and names the parts that failed", async () => {
    const [first, admin] = [anAccount(), aName()];
    const secret = aSecret();
    server.addAccount(admin, secret, true);
    const result = await winrm.listAccounts!(aTarget(at(server, admin, { ca })), Secret.fromText(secret), aContext());
    assert.ok(result.outcome === "listed", result.message);
    const found = result.accounts.find(({ name }) => name === admin);
    assert.deepEqual(
      found?.privileges?.map(({ kind, path }) => [kind, ...path]),
      [["local-admin", "Administrators"]],
    );
    const kinds = result.accounts.flatMap(({ dependents = [] }) =>
      dependents.map(({ kind, name }) => `${kind} ${name}`),
    );
    assert.deepEqual(kinds.toSorted(), ["scheduled-task \\Nightly", "service Backup"]);
    assert.deepEqual(result.collected?.system?.["domainUses"], [
      { kind: "service", name: "Reports", detail: "Auto", account: "CORP\\svc_reports" },
      { kind: "scheduled-task", name: "\\Mail", detail: "Ready", account: "svc_reports@corp.example" },
    ]);
    assert.equal(result.commands?.find(({ command }) => command.includes("AppPools"))?.success, false);
    assert.ok(first.secret !== "" && !JSON.stringify(result).includes(first.secret));
  });

  test("the command line of the list is short enough for cmd.exe", () => {
    assert.ok(`${POWERSHELL} ${argumentsFor(LIST_ACCOUNTS)}`.length < 8_191);
  });

  test("sends no name that a local account cannot have", async () => {
    const by = { username: "remote-admin", secret: aSecret() };
    for (const name of ["", "a/b", "a:b", "DOMAIN\\user", "user@domain", "*", "x".repeat(21), "a\nb", "..."]) {
      const changing = { ...anAccount(), target: at(server, name, { ca }) };
      assertResult(await tryOut(winrm, changing), { outcome: "misconfigured", code: "bad-input" });
      assertChange(await tryReconcile(winrm, changing, by), { outcome: "unsent", code: "bad-input" });
    }
  });
});
