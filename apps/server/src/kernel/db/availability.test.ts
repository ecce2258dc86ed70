// Tests a network between Strongroom and the database that drops all traffic silently.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { until } from "#kernel/embedded/testing/child.ts";
import { openLog } from "#kernel/log.ts";
import { startDatabaseProxy } from "#kernel/testing/database-proxy.ts";
import type { DatabaseProxy } from "#kernel/testing/database-proxy.ts";
import { testDatabase } from "#kernel/testing/test-database.ts";
import type { TestDatabase } from "#kernel/testing/test-database.ts";
import { databaseRefusal } from "./database-error.ts";
import { openDatabase } from "./database.ts";
import type { Database } from "./database.ts";

let own: TestDatabase;
let proxy: DatabaseProxy;
let database: Database;
before(async () => {
  own = await testDatabase();
  proxy = await startDatabaseProxy(own.connection);
  await sql`create table noted (id bigint generated always as identity, by text)`.execute(own.database.db);
});
beforeEach(() => {
  const { user, database: name } = own.connection;
  const connection = { host: "127.0.0.1", port: proxy.port, user, database: name, ssl: false };
  database = openDatabase({ connection, log: openLog("silent"), poolSize: 20 });
});
after(async () => {
  await proxy.close();
  await own.drop();
});

const write = (by: string) =>
  database.transaction(async (tx) => {
    await sql`select 1`.execute(tx);
    await sql`insert into noted (by) values (${by})`.execute(tx);
  });

/** "done", or the code of the refusal. */
const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (error: unknown) => databaseRefusal(error)?.code ?? String(error),
  );

test("when traffic is dropped, 40 callers are refused soon, and all are served within 10 s of its end", async (t) => {
  const callers = Array.from({ length: 40 }, (_, index) => `caller ${index}`);
  const last = new Map<string, string>();
  const longest = { call: 0 };
  const stopping = new AbortController();
  const working = callers.map(async (by) => {
    while (!stopping.signal.aborted) {
      const started = performance.now();
      last.set(by, await outcome(write(by)));
      longest.call = Math.max(longest.call, performance.now() - started);
      await delay(20);
    }
  });
  const all = (isSo: (said: string | undefined) => boolean) => () => callers.every((by) => isSo(last.get(by)));
  await until(
    "all callers are served",
    all((said) => said === "done"),
  );

  proxy.blackHole();
  await until(
    "all callers are refused",
    all((said) => said === "database.unavailable"),
  );
  // New calls are refused without waiting.
  const started = performance.now();
  assert.equal(await outcome(write("in between")), "database.unavailable");
  const fast = performance.now() - started;
  await delay(3000);

  last.clear();
  proxy.heal();
  const healed = performance.now();
  await until(
    "all callers are served again",
    all((said) => said === "done"),
    10_000,
  );
  t.diagnostic(
    `served again after ${Math.round(performance.now() - healed)} ms; the longest call took ${Math.round(longest.call)} ms, one in between ${Math.round(fast)} ms`,
  );
  stopping.abort();
  await Promise.all(working);
  assert.ok(longest.call < 15_000, `a call took ${longest.call} ms`);
  await database.close();
});

test("one lost connection is detected and replaced while the others work", async () => {
  await Promise.all(Array.from({ length: 5 }, () => sql`select pg_sleep(0.05)`.execute(database.db)));
  assert.ok(proxy.loseOne());
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => outcome(write("after one was lost"))));
  assert.deepEqual(outcomes.toSorted(), ["database.unavailable", "done", "done", "done", "done"]);
  assert.deepEqual(
    await Promise.all(Array.from({ length: 10 }, () => outcome(write("later")))),
    Array(10).fill("done"),
  );
  await database.close();
});

test("a slow statement does not get its connection cut", async () => {
  assert.equal(await outcome(sql`select pg_sleep(6)`.execute(database.db)), "done");
  await database.close();
});

test("cuts a connection that waits longer than the statement timeout", async () => {
  const { user, database: name } = own.connection;
  const connection = { host: "127.0.0.1", port: proxy.port, user, database: name, ssl: false };
  const hasty = openDatabase({ connection, log: openLog("silent"), poolSize: 1, statementTimeout: 500 });
  // Simulates a connection whose statement had a longer timeout and which then went silent.
  const work = hasty.transaction(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx);
    await sql`select pg_sleep(60)`.execute(tx);
  });
  assert.equal(await outcome(work), "database.unavailable");
  await hasty.close();
  await database.close();
});
