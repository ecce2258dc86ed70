import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { after, before, describe, test } from "node:test";
import { openDatabase } from "#kernel/db/database.ts";
import type { Database, Tx } from "#kernel/db/database.ts";
import { openLog } from "#kernel/log.ts";
import { testDatabase } from "#kernel/testing/test-database.ts";
import type { TestDatabase } from "#kernel/testing/test-database.ts";
import { mayBeSeenBy } from "./audience.ts";
import { createEvents } from "./events.ts";
import type { Events, StoredEvent, SubscribeOptions } from "./events.ts";
import { pruneEvents, readEvents } from "./outbox.ts";

const log = openLog("fatal");

let own: TestDatabase;
let database: Database;
let events: Events;

before(async () => {
  own = await testDatabase();
  database = own.database;
  events = createEvents(database, log);
  await events.start();
});

after(async () => {
  await events.stop();
  await own.drop();
});

const named = (name: string) => ({ type: "test.happened", audience: "everyone" as const, data: { name } });
const publish = (name: string, by = events) => database.transaction((tx) => by.publish(tx, named(name)));

/** A transaction that stays open until the test ends it. */
function openTransaction(work: (tx: Tx) => Promise<void>) {
  const gate = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const ended = database.transaction(async (tx) => {
    await work(tx);
    started.resolve();
    await gate.promise;
  });
  return {
    started: started.promise,
    async commit() {
      gate.resolve();
      await ended;
    },
    async rollback() {
      gate.reject(new Error("rolled back on purpose"));
      await assert.rejects(ended, /rolled back on purpose/);
    },
  };
}

/** Collects the events of a subscription. */
async function listenTo(from: Events, options: SubscribeOptions = {}) {
  const heard: StoredEvent[] = [];
  const emitter = new EventEmitter();
  const subscription = await from.subscribe(options, (event) => {
    heard.push(event);
    emitter.emit("heard");
  });
  return {
    subscription,
    heard,
    names: () => heard.map((event) => event.data["name"]),
    async until(count: number) {
      while (heard.length < count) await once(emitter, "heard", { signal: AbortSignal.timeout(20_000) });
    },
  };
}

describe("live events", () => {
  test("an event reaches subscribers of every process when its transaction commits", async () => {
    const elsewhere = openDatabase({ connection: own.connection, log, poolSize: 2 });
    const other = createEvents(elsewhere, log);
    await other.start();
    const here = await listenTo(events);
    const there = await listenTo(other);
    await publish("committed");
    await Promise.all([here.until(1), there.until(1)]);
    assert.deepEqual([here.names(), there.names()], [["committed"], ["committed"]]);
    assert.deepEqual(here.heard, there.heard);
    await other.stop();
    await elsewhere.close();
    here.subscription.close();
  });

  test("a rollback discards the transaction's events", async () => {
    const ears = await listenTo(events);
    const doomed = openTransaction((tx) => events.publish(tx, named("undone")));
    await doomed.started;
    await doomed.rollback();
    await publish("after it");
    await ears.until(1);
    assert.deepEqual(ears.names(), ["after it"]);
    ears.subscription.close();
  });

  test("events of out-of-order commits are delivered in the same order to every reader", async () => {
    const ears = await listenTo(events);
    const slow = openTransaction((tx) => events.publish(tx, named("first written, last committed")));
    await slow.started;
    await publish("second");
    const middle = openTransaction((tx) => events.publish(tx, named("third")));
    await middle.started;
    await publish("fourth");
    await middle.commit();
    // No event may be delivered before the open transaction ends. A reader that resumed after such an event would miss the
    // transaction's events.
    const page = await readEvents(database.db, { transaction: BigInt(ears.subscription.from.split("-")[0]!), id: 0n });
    assert.deepEqual([page.events, page.isBlocked], [[], true]);
    assert.deepEqual(ears.names(), []);
    await slow.commit();
    await ears.until(4);
    assert.deepEqual(ears.names(), ["first written, last committed", "second", "third", "fourth"]);
    ears.subscription.close();
  });

  test("events held back by a transaction are delivered after it rolls back, without a new notification", async () => {
    const ears = await listenTo(events);
    const doomed = openTransaction((tx) => events.publish(tx, named("undone")));
    await doomed.started;
    await publish("waits");
    await doomed.rollback();
    await ears.until(1);
    assert.deepEqual(ears.names(), ["waits"]);
    ears.subscription.close();
  });

  test("a reader that resumes at any event receives every later event once, during concurrent writes", async () => {
    const first = await listenTo(events);
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let number = 0; number < 25; number++) {
        await database.transaction(async (tx) => {
          await events.publish(tx, named(`${writer}/${number}a`), named(`${writer}/${number}b`));
          // Makes transactions overlap, so that commits and writes have different orders.
          if ((writer + number) % 3 === 0) await tx.selectFrom("settings").selectAll().execute();
        });
      }
    });
    const resumed: Awaited<ReturnType<typeof listenTo>>[] = [];
    for (const count of [1, 40, 80, 120, 200, 399]) {
      await first.until(count);
      resumed.push(await listenTo(events, { after: first.heard[count - 1]!.id }));
    }
    await Promise.all(writers);
    await first.until(400);
    assert.equal(new Set(first.names()).size, 400);
    for (const ears of resumed) {
      const from = first.heard.findIndex((event) => event.id === ears.subscription.from) + 1;
      assert.ok(from > 0);
      await ears.until(400 - from);
      assert.deepEqual(ears.heard, first.heard.slice(from));
      assert.equal(ears.subscription.hasGap, false);
      ears.subscription.close();
    }
    first.subscription.close();
  });

  test("a client without events resumes from the start of its subscription", async () => {
    const { subscription } = await listenTo(events);
    subscription.close();
    await publish("missed");
    const ears = await listenTo(events, { after: subscription.from });
    await ears.until(1);
    assert.deepEqual(ears.names(), ["missed"]);
    ears.subscription.close();
  });

  test("a reader learns of a gap when it resumes at an unknown, invalid or pruned position", async () => {
    const before = await listenTo(events);
    await publish("old");
    await before.until(1);
    before.subscription.close();
    for (const unknown of ["nonsense", "9999999999-1", "12-", "-1-1"]) {
      const ears = await listenTo(events, { after: unknown });
      assert.equal(ears.subscription.hasGap, true, unknown);
      ears.subscription.close();
    }
    await database.db
      .updateTable("events")
      .set({ occurred_at: new Date(Date.now() - 3_600_000 * 30) })
      .execute();
    await publish("new");
    await pruneEvents(database, 24);
    const kept = await database.db.selectFrom("events").select("data").execute();
    assert.deepEqual(
      kept.map((row) => row.data["name"]),
      ["new"],
    );
    const late = await listenTo(events, { after: before.subscription.from });
    assert.equal(late.subscription.hasGap, true);
    late.subscription.close();
    const exact = await listenTo(events, { after: before.heard[0]!.id });
    await exact.until(1);
    assert.deepEqual([exact.subscription.hasGap, exact.names()], [false, ["new"]]);
    exact.subscription.close();
  });

  test("only filtered events are delivered, and a failing subscriber does not stop the others", async () => {
    const failing = await events.subscribe({}, () => {
      throw new Error("this browser has gone");
    });
    const ears = await listenTo(events, { filter: (event) => event.data["name"] === "yes" });
    await publish("no");
    await publish("yes");
    await ears.until(1);
    assert.deepEqual(ears.names(), ["yes"]);
    failing.close();
    ears.subscription.close();
  });

  test("the listener reconnects after a lost connection without missing events", async () => {
    const ears = await listenTo(events);
    const { rows } = await database.pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like 'listen %'",
    );
    assert.equal(rows.length, 1);
    await publish("after the cut");
    await ears.until(1);
    assert.deepEqual(ears.names(), ["after the cut"]);
    ears.subscription.close();
  });
});

test("an event is visible to everyone, or only to the users and roles of its audience", () => {
  const reader = { userId: "u1", role: "auditor", isPending: false };
  assert.equal(mayBeSeenBy("everyone", reader), true);
  assert.equal(mayBeSeenBy({ users: ["u1"] }, reader), true);
  assert.equal(mayBeSeenBy({ users: ["u2"] }, reader), false);
  assert.equal(mayBeSeenBy({ users: ["u2"], roles: ["auditor"] }, reader), true);
  assert.equal(mayBeSeenBy({ roles: ["admin"] }, reader), false);
  assert.equal(mayBeSeenBy({}, reader), false);
});

test("a pending user sees only events that name them", () => {
  const reader = { userId: "u1", role: "user", isPending: true };
  assert.equal(mayBeSeenBy({ users: ["u1"] }, reader), true);
  for (const audience of ["everyone", { roles: ["user"] }, { users: ["u2"] }] as const) {
    assert.equal(mayBeSeenBy(audience, reader), false);
  }
});
