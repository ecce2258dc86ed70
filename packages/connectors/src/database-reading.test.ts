// Tests the limits of a search in real databases, and what it reports as read, unread and gone.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  aTarget,
  mariadbAvailable,
  needs,
  postgresqlAvailable,
  startMariadb,
  startPostgresql,
} from "../testing/index.ts";
import { searchDatabases as searched } from "../testing/search-databases.ts";
import type { Target } from "./connector.ts";
import { rowsAtOnce } from "./database-reading.ts";
import { mysql } from "./mysql/mysql.ts";
import { postgresql } from "./postgresql/postgresql.ts";

test("reads as many rows at once as fit into one answer", () => {
  assert.equal(rowsAtOnce(1), 25);
  assert.ok(rowsAtOnce(100) * 100 * 16_385 * 4 <= 80 * 1024 * 1024);
  assert.equal(rowsAtOnce(1_000_000), 1);
});

interface Database {
  sql(text: string): Promise<unknown>;
  login: { target: Target; password: string };
  stop(): Promise<void>;
}

async function aPostgresql(): Promise<Database> {
  const server = await startPostgresql();
  const { host, port, superuser } = server;
  const target = aTarget({ type: "postgresql", host, port, username: superuser.username, databaseName: "postgres" });
  const sql = async (text: string) => server.sql(text);
  await sql("create schema shop");
  return { sql, login: { target, password: superuser.password }, stop: () => server.stop() };
}

async function aMariadb(): Promise<Database> {
  const server = await startMariadb();
  const { host, port } = server;
  const { username, password } = await server.addUser();
  await server.sql(`grant all on *.* to '${username}'@'127.0.0.1'`);
  await server.sql("create database shop");
  const target = aTarget({ type: "mysql", host, port, username, databaseName: "app" });
  return { sql: (text) => server.sql(text), login: { target, password }, stop: () => server.stop() };
}

for (const { connector, prefix, start, unavailable } of [
  { connector: postgresql, prefix: "postgres.shop", start: aPostgresql, unavailable: postgresqlAvailable() },
  { connector: mysql, prefix: "shop", start: aMariadb, unavailable: mariadbAvailable() },
]) {
  describe(`a search in ${connector.name}`, needs(unavailable), () => {
    let database: Database;
    before(async () => {
      database = await start();
      for (const name of ["a", "b", "c"]) {
        await database.sql(`create table shop.${name} (id int primary key, note varchar(60000), port int)`);
        for (let id = 1; id <= 60; id += 1)
          await database.sql(`insert into shop.${name} values (${id}, 'row ${id}', ${5000 + id})`);
      }
    });
    after(() => database?.stop());

    test("reads every row of every text column, and ports", async () => {
      const { tables, columns, result } = await searched(connector, database.login);
      assert.deepEqual(columns.slice(0, 2), [`column:${prefix}.a.note`, `column:${prefix}.a.port`]);
      assert.equal(columns.length, 6);
      for (const { rows, isPart } of tables) {
        assert.deepEqual([rows.length, isPart], [60, false]);
        assert.deepEqual(rows.at(-1), ["row 60", "5060"]);
      }
      assert.deepEqual([result.limit, result.unread, result.gone], [null, [], []]);
    });

    test("reads the first tables up to its limit, and says that there are more", async () => {
      const { tables, result } = await searched(connector, database.login, { maxTables: 2 });
      assert.deepEqual([tables.length, tables[1]?.rows.length, result.limit], [2, 60, "files"]);
    });

    test("reads the first rows up to its limit, and marks the table as read in part", async () => {
      const { tables } = await searched(connector, database.login, { maxRows: 30 });
      assert.deepEqual(
        tables.map(({ rows, isPart }) => [rows.length, isPart]),
        [
          [30, true],
          [30, true],
          [30, true],
        ],
      );
    });

    test("stops at its limit of bytes", async () => {
      const { tables, result } = await searched(connector, database.login, { maxTotalBytes: 100 });
      assert.deepEqual([tables.length, result.limit], [1, "bytes"]);
    });

    test("leaves out excluded tables, and reads only the requested place", async () => {
      const excluded = await searched(connector, database.login, { excludes: [`${prefix}.a`, "*.b"] });
      assert.deepEqual(excluded.columns, [`column:${prefix}.c.note`, `column:${prefix}.c.port`]);
      const one = await searched(connector, database.login, { only: [`column:${prefix}.b.note`] });
      assert.deepEqual(one.columns, [`column:${prefix}.b.note`, `column:${prefix}.b.port`]);
      assert.deepEqual(one.places, []);
    });

    test("reports known places that no longer exist, unless it could not look", async () => {
      const [there, gone] = [`column:${prefix}.a.note`, `column:${prefix}.dropped.note`];
      const known = [there, gone, `definition:${prefix}.dropped`];
      assert.deepEqual((await searched(connector, database.login, { known })).result.gone, known.slice(1));
      const stopped = await searched(connector, database.login, { known, maxTotalBytes: 0 });
      assert.equal(stopped.result.limit, "bytes");
      assert.ok(!stopped.result.gone.includes(there));
    });

    test("cuts long values, and marks their table as read in part", async () => {
      await database.sql(`create table shop.d (id int primary key, note varchar(60000))`);
      await database.sql(`insert into shop.d values (1, repeat('x', 20000)), (2, 'short')`);
      const { tables } = await searched(connector, database.login, { only: [`column:${prefix}.d.note`] });
      assert.deepEqual(
        tables.map(({ rows, isPart }) => [rows.map(([note]) => note?.length), isPart]),
        [[[16_384, 5], true]],
      );
    });
  });
}
