// Tests of enhanced scans (SCAN-29) of SQL Server, Oracle and MongoDB over HTTP. Each runs against the fake of its
// connector. The comment at the top of the fake says what it does not prove.
import { readAccountDetails, readFinding, validateAccount, vaultFindings, verifyFinding } from "@strongroom/contract";
import type { Account, DiscoveryTarget, SecurityFinding } from "@strongroom/contract";
import {
  aMssqlDatabase,
  makeAuthority,
  needs,
  opensslAvailable,
  startFakeMongodb,
  startFakeMssql,
  startFakeOracle,
} from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aDiscoveryWorld, byId } from "#features/discovery/testing/discovery-world.ts";
import type { DiscoveryWorld } from "#features/discovery/testing/discovery-world.ts";
import { anAccount } from "#testing/accounts.ts";
import { columnsWith } from "#testing/columns.ts";
import { aPassword } from "./testing/scanned-host.ts";
import { findingsOf as findingsIn, placesOf, scanned as scannedIn } from "./testing/scanned-target.ts";

type AccountFields = NonNullable<Parameters<typeof anAccount>[3]>;

describe("enhanced scans of other databases", needs(opensslAvailable()), () => {
  let world: DiscoveryWorld;
  before(async () => {
    world = await aDiscoveryWorld();
  });
  after(() => world.app.close());

  async function aDatabaseTarget(at: { host: string; port: number }, login: AccountFields): Promise<DiscoveryTarget> {
    const { app, owner, safe, aTarget, linuxTarget } = world;
    const usual = { connection_method: "SQL", hostname: at.host, port: at.port, schema_name: "app" } as const;
    const account = await anAccount(app, owner, safe, { ...usual, ...login });
    const target = linuxTarget(account, at);
    return aTarget({ ...target, targetType: "database", connectionMethod: "database" });
  }

  /** Scans the target, which has nothing unread. No password is in the database, a reply or the log. */
  async function foundBy(target: DiscoveryTarget, passwords: readonly string[]): Promise<SecurityFinding[]> {
    const scan = await scannedIn(world, target);
    assert.deepEqual([scan.status, scan.error_message, scan.coverage.unread], ["completed", null, []]);
    const findings = await findingsIn(world, target);
    for (const password of passwords) {
      assert.deepEqual(await columnsWith(world.app.database.pool, password), []);
      assert.ok(world.app.logLines.every((line) => !line.includes(password)));
      for (const finding of findings) {
        const { text } = await world.app.call(readFinding, { ...byId(finding), as: world.owner.token });
        assert.ok(!text.includes(password), text);
      }
    }
    return findings;
  }

  /** The account that vaulting created, whose secret works with the stored fields. */
  async function vaulted({ id }: SecurityFinding): Promise<Account> {
    const { app, owner } = world;
    const reply = await app.call(vaultFindings, { body: { findingIds: [id] }, as: owner.token });
    assert.equal(reply.body.vaulted, 1, reply.text);
    const params = { id: reply.body.accounts[0]!.account_id };
    const validated = await app.call(validateAccount, { params, as: owner.token });
    assert.equal(validated.body.outcome, "verified", validated.text);
    return (await app.call(readAccountDetails, { params, as: owner.token })).body;
  }

  const usersOf = (findings: readonly SecurityFinding[]) =>
    findings.map(({ finding_data: { username } }) => username).filter((name) => name !== null);

  test("SQL Server: secrets in settings, procedures, agent jobs and linked servers are found, and one of it is verified and vaulted", async () => {
    const authority = await makeAuthority();
    const server = await startFakeMssql(await authority.issue(["127.0.0.1"]));
    const [setting, login, procedure, job, linked, scanner] = Array.from({ length: 6 }, aPassword) as [
      string,
      ...string[],
    ];
    try {
      server.addLogin("scanner", scanner!, { isAdministrator: true });
      server.addLogin("shop_app", login!);
      const table = { schema: "dbo", isPublic: true };
      server.catalog.databases.push(
        aMssqlDatabase({
          name: "shop",
          tables: [
            {
              ...table,
              name: "settings",
              columns: ["name", "value"],
              rows: [
                ["smtp_password", setting],
                ["theme", "dark"],
              ],
            },
            {
              ...table,
              name: "connections",
              columns: ["host", "port", "username", "password"],
              rows: [[server.host, String(server.port), "shop_app", login!]],
            },
          ],
          modules: [
            {
              schema: "dbo",
              name: "export_orders",
              text: `CREATE PROCEDURE export_orders AS EXEC remote 'Server=erp;User Id=export;Password=${procedure};'`,
            },
          ],
        }),
      );
      server.catalog.jobSteps.push({ job: "Nightly", step: "1", command: `$password = "${job}"` });
      const provider = `Server=erp;User Id=reader;Password=${linked};`;
      server.catalog.linkedServers.push({ name: "ERP", source: "erp", providerString: provider, login: null });
      const target = await aDatabaseTarget(server, {
        system_type: "mssql",
        username: "scanner",
        password: scanner!,
        database_name: "master",
        additional_params: { ca: authority.certificate, sslmode: "verify-full" },
      });
      const findings = await foundBy(target, [setting, procedure!, job!, linked!]);
      assert.deepEqual(placesOf(findings), [
        "column:shop.dbo.connections.password",
        "column:shop.dbo.settings.value",
        "definition:msdb.job.Nightly.1",
        "definition:shop.dbo.export_orders",
        "setting:linked_server.ERP",
      ]);
      const finding = findings.find(({ finding_data }) => finding_data.username === "shop_app")!;
      const { body: details } = await world.app.call(readFinding, { ...byId(finding), as: world.owner.token });
      assert.match(details.remediation_steps[0]!, /REVOKE SELECT ON dbo\.connections FROM PUBLIC/);
      const verified = await world.app.call(verifyFinding, {
        ...byId(finding),
        body: { login: {} },
        as: world.owner.token,
      });
      assert.equal(verified.body.liveness, "live", verified.text);
      const account = await vaulted(finding);
      assert.deepEqual(account.additional_params, { ca: authority.certificate, sslmode: "verify-full" });
    } finally {
      await server.stop();
    }
  });

  test("Oracle: secrets in settings, packages and jobs are found, and one of it is verified and vaulted", async () => {
    const server = await startFakeOracle();
    const [setting, login, body, job, scanner] = Array.from({ length: 5 }, aPassword) as [string, ...string[]];
    try {
      server.addUser("scanner", scanner!);
      server.addUser("shop_app", login!);
      const { tables, programs, jobs } = server.catalog.schemas;
      const owner = "SHOP";
      tables.push(
        {
          owner,
          name: "SETTINGS",
          columns: ["NAME", "VALUE"],
          rows: [
            ["smtp_password", setting],
            ["theme", "dark"],
          ],
          isPublic: true,
        },
        {
          owner,
          name: "CONNECTIONS",
          columns: ["HOST", ["PORT", "NUMBER"], "USERNAME", "PASSWORD"],
          rows: [[server.host, String(server.port), "shop_app", login!]],
        },
      );
      programs.push({
        owner,
        name: "SYNC",
        type: "PACKAGE BODY",
        text: `PACKAGE BODY sync AS\n  erp_password CONSTANT VARCHAR2(40) := '${body}';\nEND;`,
      });
      jobs.push({ owner, name: "NIGHTLY", action: `BEGIN run('oracle://export:${job}@erp.example.com/erp'); END;` });
      const target = await aDatabaseTarget(server, {
        system_type: "oracle",
        username: "scanner",
        password: scanner!,
        database_name: server.service,
      });
      const findings = await foundBy(target, [setting, body!, job!]);
      assert.deepEqual(placesOf(findings), [
        "column:SHOP.CONNECTIONS.PASSWORD",
        "column:SHOP.SETTINGS.VALUE",
        "definition:SHOP.SYNC.body",
        "definition:SHOP.job.NIGHTLY",
      ]);
      const ofSettings = findings.find(({ finding_data }) => finding_data.key_name === "smtp_password")!;
      const { body: details } = await world.app.call(readFinding, { ...byId(ofSettings), as: world.owner.token });
      assert.match(details.remediation_steps[0]!, /REVOKE SELECT ON SHOP\.SETTINGS FROM PUBLIC/);
      const finding = findings.find(({ finding_data }) => finding_data.username === "shop_app")!;
      const verified = await world.app.call(verifyFinding, {
        ...byId(finding),
        body: { login: {} },
        as: world.owner.token,
      });
      assert.equal(verified.body.liveness, "live", verified.text);
      await vaulted(finding);
    } finally {
      await server.stop();
    }
  });

  test("MongoDB: secrets in documents, views and stored functions are found, and one of it is verified and vaulted", async () => {
    const server = await startFakeMongodb(null);
    const [setting, login, view, code, scanner] = Array.from({ length: 5 }, aPassword) as [string, ...string[]];
    try {
      server.addUser("scanner", scanner!, ["root"]);
      server.addUser("shop_app", login!);
      server.databases.push({
        name: "shop",
        collections: [
          { name: "settings", documents: [{ smtp: { host: "mail.example.com", user: "mailer", password: setting } }] },
          {
            name: "connections",
            documents: [{ host: server.host, port: server.port, username: "shop_app", password: login }],
          },
          { name: "open", type: "view", options: { viewOn: "orders", pipeline: [{ $set: { api_password: view } }] } },
          {
            name: "system.js",
            documents: [{ _id: "sync", value: `connect("mongodb://erp:${code}@erp.example.com/erp")` }],
          },
        ],
      });
      const target = await aDatabaseTarget(server, {
        system_type: "mongodb",
        username: "scanner",
        password: scanner!,
        database_name: "admin",
      });
      const findings = await foundBy(target, [setting, view!, code!]);
      assert.deepEqual(placesOf(findings), [
        "column:shop.connections.password",
        'column:shop.settings."smtp.password"',
        "definition:shop.open",
        "definition:shop.system.js.sync",
      ]);
      assert.ok(usersOf(findings).includes("mailer"), usersOf(findings).join());
      const finding = findings.find(({ finding_data }) => finding_data.username === "shop_app")!;
      const verified = await world.app.call(verifyFinding, {
        ...byId(finding),
        body: { login: {} },
        as: world.owner.token,
      });
      assert.equal(verified.body.liveness, "live", verified.text);
      await vaulted(finding);
    } finally {
      await server.stop();
    }
  });
});
