import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "kysely";
import { openLog } from "#kernel/log.ts";
import { until } from "#kernel/embedded/testing/child.ts";
import { testDatabase } from "#kernel/testing/test-database.ts";
import type { TestDatabase } from "#kernel/testing/test-database.ts";
import { openDatabase } from "./database.ts";
import type { Database } from "./database.ts";
import { databaseRefusal } from "./database-error.ts";
import { named } from "./named.ts";

const log = openLog("silent");

let own: TestDatabase;
let database: Database;
before(async () => {
  own = await testDatabase();
  database = own.database;
});
after(() => own.drop());

async function one<T>(expression: string, from: Pick<Database, "db"> = database): Promise<T> {
  const { rows } = await sql<{ it: T }>`select (select ${sql.raw(expression)}) as it`.execute(from.db);
  return rows[0]!.it;
}

const setting = (name: string) =>
  database.db.selectFrom("settings").select("value").where("name", "=", name).executeTakeFirst();

const set = (name: string, value: unknown) =>
  database.transaction(async (tx) => {
    await tx
      .insertInto("settings")
      .values({ name, value: JSON.stringify(value) })
      .execute();
  });

describe("the database", () => {
  test("reads 64-bit integers as numbers, and rejects unsafe ones", async () => {
    assert.equal(await one("9007199254740991::bigint"), Number.MAX_SAFE_INTEGER);
    assert.equal(await one("count(*) from settings"), 0);
    assert.deepEqual(await one("array[1, null, 3]::bigint[]"), [1, null, 3]);
    await assert.rejects(one("9007199254740992::bigint"), /beyond 2\^53 - 1/);
    await assert.rejects(one("array[9007199254740993]::bigint[]"), /beyond 2\^53 - 1/);
    assert.equal(await one("1"), 1, "the connection still works");
  });

  test("reads timestamps as dates, calendar days as text and bytes as buffers", async () => {
    assert.deepEqual(await one("'2026-11-21T09:08:07.006Z'::timestamptz"), new Date("2026-11-21T09:08:07.006Z"));
    assert.equal(await one("'2026-11-21'::date"), "2026-11-21");
    assert.deepEqual(await one("'\\x00ff'::bytea"), Buffer.from([0, 255]));
    assert.deepEqual(await one(`'{"a": [1]}'::jsonb`), { a: [1] });
    assert.equal(await one("12.50::numeric"), "12.50");
  });

  test("a transaction commits when its work returns and rolls back when it throws", async () => {
    await set("kept", { yes: true });
    assert.deepEqual(await setting("kept"), { value: { yes: true } });
    await assert.rejects(
      database.transaction(async (tx) => {
        await tx.insertInto("settings").values({ name: "undone", value: "1" }).execute();
        throw new Error("rolled back on purpose");
      }),
      /rolled back on purpose/,
    );
    assert.equal(await setting("undone"), undefined);
  });

  test("a transaction with a failed statement never counts as committed, even if the error was swallowed", async () => {
    await assert.rejects(
      database.transaction(async (tx) => {
        await tx.insertInto("settings").values({ name: "swallowed", value: "1" }).execute();
        await sql`select 1 / 0`.execute(tx).catch(() => undefined);
      }),
    );
    assert.equal(await setting("swallowed"), undefined);
  });

  test("a transaction runs again after a deadlock", async () => {
    for (const name of ["one", "other"]) await set(name, 0);
    const reached: string[] = [];
    const crossing = (first: string, second: string) =>
      database.transaction(async (tx) => {
        const touch = (name: string) =>
          sql`update settings set value = to_jsonb((value)::integer + 1) where name = ${name}`.execute(tx);
        await touch(first);
        reached.push(first);
        while (!(reached.includes("one") && reached.includes("other"))) await new Promise(setImmediate);
        await touch(second);
      });
    await Promise.all([crossing("one", "other"), crossing("other", "one")]);
    assert.equal(reached.length, 3, "both began, and one of them again");
    for (const name of ["one", "other"]) assert.deepEqual((await setting(name))?.value, 2, "nothing is done twice");
  });

  test("the server cancels a statement that takes too long", async () => {
    const hasty = openDatabase({ connection: own.connection, log, poolSize: 1, statementTimeout: 500 });
    await assert.rejects(one("pg_sleep(10)", hasty), /statement timeout/);
    assert.equal(await one("1", hasty), 1);
    await hasty.close();
  });

  test("callers wait for a free connection", async () => {
    const narrow = openDatabase({ connection: own.connection, log, poolSize: 2, applicationName: "narrow" });
    const seen = await Promise.all(
      Array.from({ length: 20 }, () =>
        one<number>("count(*) from pg_stat_activity where application_name = 'narrow'", narrow),
      ),
    );
    assert.ok(Math.max(...seen) <= 2);
    await narrow.close();
  });

  test("dropped connections are replaced, and the process keeps running", async () => {
    const cut = openDatabase({ connection: own.connection, log, poolSize: 3, applicationName: "to be cut" });
    const listening = await cut.listenConnection();
    const ended = new Promise<void>((resolve) => listening.once("end", resolve));
    listening.on("error", () => undefined);
    await Promise.all([one("pg_sleep(0.02)", cut), one("pg_sleep(0.02)", cut), one("pg_sleep(0.02)", cut)]);
    const busy = one("pg_sleep(10)", cut);
    const failed = assert.rejects(busy, /terminat/);
    await one("1", cut);
    const kill = "count(pg_terminate_backend(pid)) from pg_stat_activity where application_name = 'to be cut'";
    assert.ok((await one<number>(kill)) >= 3);
    await Promise.all([failed, ended]);
    await until("the pool has let go of them", () => cut.pool.totalCount === 0);
    assert.equal(await one("1", cut), 1);
    await cut.close();
  });

  test("a connection that drops between two statements fails its transaction, and the process keeps running", async () => {
    const cut = openDatabase({ connection: own.connection, log, poolSize: 2, applicationName: "between statements" });
    const kill = "count(pg_terminate_backend(pid)) from pg_stat_activity where application_name = 'between statements'";
    for (let round = 0; round < 20; round++) {
      const failure = await cut
        .transaction(async (tx) => {
          await sql`select 1`.execute(tx);
          assert.equal(await one<number>(kill), 1);
          // Without a running statement, a lost connection is reported only as an event.
          await until("the pool has heard of it", async () => (await one<number>(kill)) === 0);
          await sql`select 1`.execute(tx);
        })
        .catch((error: unknown) => error);
      assert.equal(databaseRefusal(failure)?.code, "database.unavailable", String(failure));
    }
    assert.equal(await one("1", cut), 1);
    await cut.close();
  });

  test("a connection that drops during commit is reported as an unknown outcome", async () => {
    await sql`create table committed (id integer primary key deferrable initially deferred)`.execute(database.db);
    await sql`create function die_at_commit() returns trigger language plpgsql as
      $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`.execute(database.db);
    await sql`create constraint trigger at_commit after insert on committed deferrable initially deferred
      for each row execute function die_at_commit()`.execute(database.db);
    const failure = await database
      .transaction((tx) => sql`insert into committed values (1)`.execute(tx))
      .catch((error: unknown) => error);
    assert.equal(databaseRefusal(failure)?.code, "database.outcome-unknown", String(failure));
  });

  test("close ends every connection", async () => {
    const pooled = openDatabase({ connection: own.connection, log });
    await pooled.pool.query("select 1");
    await pooled.close();
    assert.deepEqual([pooled.pool.totalCount, pooled.pool.ended], [0, true]);
    const queried = openDatabase({ connection: own.connection, log });
    await one("1", queried);
    await queried.close();
    assert.deepEqual([queried.pool.totalCount, queried.pool.ended], [0, true]);
  });

  test("only named look-ups are prepared, once per connection", async () => {
    const single = openDatabase({ connection: own.connection, log, poolSize: 1 });
    const lookUp = async (name: string) =>
      await single.db.executeQuery(
        named("setting-by-name", single.db.selectFrom("settings").selectAll().where("name", "=", name).compile()),
      );
    await set("looked up", 1);
    for (const name of ["looked up", "not there", "looked up"]) {
      assert.equal((await lookUp(name)).rows.length, name === "looked up" ? 1 : 0);
    }
    await single.db.selectFrom("settings").selectAll().where("name", "=", "unnamed").execute();
    const { rows } = await sql<{ name: string; used: number }>`
      select name, generic_plans + custom_plans as used from pg_prepared_statements`.execute(single.db);
    assert.deepEqual(rows, [{ name: "setting-by-name", used: 3 }]);
    await single.transaction(async (tx) => {
      const { rows: found } = await tx.executeQuery(
        named("setting-by-name", tx.selectFrom("settings").selectAll().where("name", "=", "looked up").compile()),
      );
      assert.equal(found[0]?.name, "looked up");
    });
    await single.close();
  });
});
