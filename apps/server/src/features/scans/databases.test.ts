// Tests of enhanced scans of databases over HTTP, of a real PostgreSQL and a real MariaDB.
import { readFinding, validateAccount, vaultFindings, verifyFinding } from "@strongroom/contract";
import type { DiscoveryTarget, SecurityFinding } from "@strongroom/contract";
import {
  mariadbAvailable,
  needs,
  postgresqlAvailable,
  startMariadb,
  startPostgresql,
} from "@strongroom/connectors/testing";
import type { MariadbServer, PostgresqlServer } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { aDiscoveryWorld, byId } from "#features/discovery/testing/discovery-world.ts";
import type { DiscoveryWorld } from "#features/discovery/testing/discovery-world.ts";
import { anAccount } from "#testing/accounts.ts";
import { columnsWith } from "#testing/columns.ts";
import { aPassword } from "./testing/scanned-host.ts";
import { findingsOf as findingsIn, placesOf, scanned as scannedIn } from "./testing/scanned-target.ts";

const DATABASE = { connection_method: "SQL", schema_name: "public" } as const;

let world: DiscoveryWorld;
before(async () => {
  world = await aDiscoveryWorld();
});
after(() => world.app.close());

async function aDatabaseTarget(
  { host: hostname, port }: { host: string; port: number },
  login: { username: string; password: string },
  more: { system_type: "postgresql" | "mysql"; database_name: string },
): Promise<DiscoveryTarget> {
  const { app, owner, safe, aTarget, linuxTarget } = world;
  const account = await anAccount(app, owner, safe, { ...DATABASE, hostname, port, ...login, ...more });
  const target = linuxTarget(account, { host: hostname, port });
  return aTarget({ ...target, targetType: "database", connectionMethod: "database" });
}

const scanned = (target: DiscoveryTarget, scanConfig: object = {}) => scannedIn(world, target, scanConfig);
const findingsOf = (target: DiscoveryTarget, status?: "remediated") => findingsIn(world, target, status);

describe("enhanced scans of a real PostgreSQL", needs(postgresqlAvailable()), () => {
  let server: PostgresqlServer;
  let target: DiscoveryTarget;
  before(async () => {
    server = await startPostgresql();
    await server.sql("create database shop");
    target = await aDatabaseTarget(server, server.superuser, { system_type: "postgresql", database_name: "postgres" });
  });
  after(() => server.stop());

  /** Runs statements in the database `shop`. */
  async function inShop(...statements: string[]): Promise<void> {
    const { host, port, superuser } = server;
    const login = { user: superuser.username, password: superuser.password };
    const client = new pg.Client({ host, port, ...login, database: "shop" });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  }

  test("SCAN-29: secrets in settings, JSON, functions, views, user mappings and role settings are found in every database", async () => {
    const passwords = Array.from({ length: 7 }, aPassword);
    const [smtp, json, code, mapping, jwt, view, users] = passwords;
    await inShop(
      "create table settings (id int primary key, name text, value text)",
      `insert into settings values (1, 'smtp_host', 'mail.example.com'), (2, 'smtp_password', '${smtp}'), (3, 'theme', 'dark')`,
      "grant select on settings to public",
      `create table integrations (id int, config jsonb)`,
      `insert into integrations values (1, '{"erp": {"user": "shop", "password": "${json}"}}')`,
      "create table users (id int, email text, password text, password_hash text)",
      `insert into users select n, 'user' || n || '@example.com', '${users}' || n,
         '$2b$12$' || rpad(md5(n::text), 53, 'x') from generate_series(1, 40) n`,
      `create function sync_orders() returns void language plpgsql as $f$
       begin
         perform dblink_connect('host=erp.example.com user=sync password=${code}');
       end $f$`,
      "create extension postgres_fdw",
      "create server erp foreign data wrapper postgres_fdw options (host 'erp.example.com', dbname 'erp')",
      `create user mapping for postgres server erp options (user 'erp_reader', password '${mapping}')`,
      "create role web login",
      `alter role web in database shop set app.jwt_secret = '${jwt}'`,
      `create view remote_orders as select 'postgresql://app:${view}@erp.example.com/erp' as source`,
      `create table "od.d ""name" (id int, "api key" text)`,
      `insert into "od.d ""name" values (1, 'nothing')`,
    );
    const scan = await scanned(target);
    assert.deepEqual([scan.status, scan.error_message, scan.progress], ["completed", null, 100]);
    assert.deepEqual([scan.coverage.unread, scan.coverage.limit, scan.coverage.as_root], [[], null, true]);
    const findings = await findingsOf(target);
    assert.deepEqual(placesOf(findings), [
      "column:shop.public.integrations.config",
      "column:shop.public.settings.value",
      "column:shop.public.users.password",
      "definition:shop.public.remote_orders",
      "definition:shop.public.sync_orders()",
      "setting:shop.role.web",
      "setting:shop.user_mapping.erp.postgres",
    ]);
    const at = (place: string) => findings.find(({ finding_data }) => finding_data.file_path === place)!;
    const settings = at("column:shop.public.settings.value");
    assert.equal(settings.finding_data.key_name, "smtp_password");
    assert.equal(settings.finding_data.location, `${server.host}:shop.public.settings.value:2`);
    assert.equal(settings.title, "Password in shop.public.settings.value");
    assert.equal(at("setting:shop.user_mapping.erp.postgres").finding_data.username, "erp_reader");
    const ofUsers = at("column:shop.public.users.password");
    assert.match(ofUsers.description, /^40 of 40 rows read contain passwords in clear text\./);

    const canaries = passwords.map((password) => password.slice(0, -1));
    for (const canary of [...canaries, "mail.example.com"])
      assert.deepEqual(await columnsWith(world.app.database.pool, canary), []);
    for (const canary of canaries) assert.ok(world.app.logLines.every((line) => !line.includes(canary)));
    for (const { id } of findings) {
      const details = await world.app.call(readFinding, { ...byId({ id }), as: world.owner.token });
      for (const password of passwords) assert.ok(!details.text.includes(password), details.text);
      assert.ok(!details.text.includes("mail.example.com"), "rows around a secret are shown");
      assert.ok(!/chmod|the file/.test(details.body.remediation_steps.join(" ")), details.text);
      if (id === settings.id) {
        assert.match(details.body.remediation_steps[0]!, /REVOKE SELECT ON public\.settings FROM PUBLIC/);
        const factors = details.body.risk_factors.map(({ factor }) => factor);
        assert.ok(factors.includes("Every login of the database can read it"), factors.join());
      }
    }
  });

  test("a later scan closes findings whose value or table is gone, and changes nothing in the databases", async () => {
    const before = await findingsOf(target);
    await inShop("update settings set value = '' where id = 2", "drop table users", "drop function sync_orders");
    const scan = await scanned(target);
    assert.equal(scan.results.fixed_findings, 3);
    const closed = await findingsOf(target, "remediated");
    assert.deepEqual(placesOf(closed), [
      "column:shop.public.settings.value",
      "column:shop.public.users.password",
      "definition:shop.public.sync_orders()",
    ]);
    const isOpen = ({ status }: SecurityFinding) => status === "new";
    const open = (await findingsOf(target)).filter(isOpen);
    assert.deepEqual(
      new Set(open.map(({ id }) => id)),
      new Set(before.filter(({ id }) => !closed.some((each) => each.id === id)).map(({ id }) => id)),
    );
  });

  test("a finding stays open while its table is read only in part", async () => {
    const password = aPassword();
    await inShop(
      "create table jobs (id int primary key, command text)",
      `insert into jobs values (1, 'mysqldump --user=backup --password=${password} shop')`,
    );
    await scanned(target);
    const isOfJobs = ({ finding_data, status }: SecurityFinding) =>
      finding_data.file_path === "column:shop.public.jobs.command" && status === "new";
    assert.equal((await findingsOf(target)).filter(isOfJobs).length, 1);
    // The old row moves after 300 others, where a quick scan does not look.
    await inShop(
      "create table behind as select * from jobs",
      "truncate jobs",
      "insert into jobs select n, 'true' from generate_series(2, 301) n",
      "insert into jobs select * from behind",
      "drop table behind",
    );
    await scanned(target);
    assert.equal((await findingsOf(target)).filter(isOfJobs).length, 1);
    const deep = await scanned(target, { scanDepth: "standard" });
    assert.equal(deep.results.fixed_findings, 0);
    await inShop("delete from jobs where id = 1");
    await scanned(target, { scanDepth: "standard" });
    assert.equal((await findingsOf(target)).filter(isOfJobs).length, 0);
  });

  test("no code of a table's owner runs, and what the login may not read is named", async () => {
    const reader = await server.addRole("login");
    const password = aPassword();
    await inShop(
      "create function trap() returns boolean language plpgsql as $f$ begin raise warning 'the trap ran'; return true; end $f$",
      "create table trapped as select 'nothing' as password",
      "alter table trapped enable row level security",
      "create policy open on trapped using (trap())",
      "grant select on trapped to public",
      "create table private (password text)",
      `create table readable as select 'postgresql://app:${password}@erp.example.com/erp' as source`,
      "grant select on readable to public",
    );
    const limited = await aDatabaseTarget(server, reader, { system_type: "postgresql", database_name: "postgres" });
    const scan = await scanned(limited);
    assert.deepEqual([scan.status, scan.error_message, scan.coverage.as_root], ["completed", null, false]);
    assert.ok(scan.coverage.unread.includes("shop.public.trapped"), scan.coverage.unread.join());
    assert.ok(scan.coverage.unread.includes("shop.public.private"), scan.coverage.unread.join());
    const places = placesOf(await findingsOf(limited));
    assert.ok(places.includes("column:shop.public.readable.source"), places.join());
    assert.ok(!server.log().includes("the trap ran"));
  });

  test("a secret of a database is verified and vaulted, but nothing is changed in the database", async () => {
    const { app, owner } = world;
    const role = await server.addRole("login");
    await inShop(
      "create table connections (id int, host text, port int, username text, password text)",
      `insert into connections values (1, '${server.host}', ${server.port}, '${role.username}', '${role.password}')`,
      ...[2, 3, 4, 5].map(
        (id) => `insert into connections values (${id}, 'erp${id}.example.com', 5432, 'shop', '${aPassword()}')`,
      ),
    );
    await scanned(target);
    // Logins of other hosts are single findings, however many there are.
    const logins = (await findingsOf(target)).filter(
      ({ finding_data }) => finding_data.file_path === "column:shop.public.connections.password",
    );
    assert.equal(logins.length, 5);
    const finding = logins.find(({ finding_data }) => finding_data.username === role.username)!;
    // The columns beside the password name its login, and its address is the scanned server.
    const verified = await app.call(verifyFinding, { ...byId(finding), body: { login: {} }, as: owner.token });
    assert.equal(verified.body.liveness, "live", verified.text);
    const body = { findingIds: [finding.id] };
    const fixed = await app.call(vaultFindings, { body: { ...body, fixFiles: true }, as: owner.token });
    assert.equal(fixed.status, 422);
    assert.match(fixed.text, /finding\.not-a-file/);
    const vaulted = await app.call(vaultFindings, { body, as: owner.token });
    assert.equal(vaulted.body.vaulted, 1, vaulted.text);
  });
});

describe("enhanced scans of a real MariaDB", needs(mariadbAvailable()), () => {
  let server: MariadbServer;
  before(async () => {
    server = await startMariadb();
  });
  after(() => server.stop());

  test("secrets in tables, routines and linked servers are found, and one of it is vaulted", async () => {
    const [option, code, linked] = [aPassword(), aPassword(), aPassword()];
    await server.sql("create database shop");
    await server.sql(
      "create table shop.wp_options (option_id int primary key, option_name varchar(64), option_value longtext)",
    );
    await server.sql(
      `insert into shop.wp_options values (1, 'siteurl', 'https://example.com'), (2, 'smtp_password', '${option}')`,
    );
    await server.sql(`create procedure shop.export_orders() select 'mysql://export:${code}@erp.example.com/erp'`);
    await server.sql(
      `create server erp foreign data wrapper mysql options (host 'erp.example.com', user 'reader', password '${linked}')`,
    );
    const [login, application] = [await server.addUser(), await server.addUser()];
    await server.sql("create table shop.servers (host text, port int, username text, password text)");
    await server.sql(
      `insert into shop.servers values ('${server.host}', ${server.port}, '${application.username}', '${application.password}')`,
    );
    await server.sql(`grant all on *.* to '${login.username}'@'127.0.0.1'`);
    const target = await aDatabaseTarget(server, login, { system_type: "mysql", database_name: "app" });
    const scan = await scanned(target);
    assert.deepEqual([scan.status, scan.error_message, scan.coverage.unread], ["completed", null, []]);
    const findings = await findingsOf(target);
    assert.deepEqual(placesOf(findings), [
      "column:shop.servers.password",
      "column:shop.wp_options.option_value",
      "definition:shop.export_orders",
      "setting:mysql.server.erp",
    ]);
    const { app, owner } = world;
    const finding = findings.find(({ finding_data }) => finding_data.username === application.username)!;
    const vaulted = await app.call(vaultFindings, { body: { findingIds: [finding.id] }, as: owner.token });
    assert.equal(vaulted.body.vaulted, 1, vaulted.text);
    const params = { id: vaulted.body.accounts[0]!.account_id };
    const validated = await app.call(validateAccount, { params, as: owner.token });
    assert.equal(validated.body.outcome, "verified", validated.text);
  });
});
