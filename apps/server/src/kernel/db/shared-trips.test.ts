// What a statement that travels with the next one promises: its place in the order, and that its failure is never lost.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "kysely";
import { testDatabase } from "#kernel/testing/test-database.ts";
import type { TestDatabase } from "#kernel/testing/test-database.ts";
import type { Db, Tx } from "./database.ts";
import { sentWithNext } from "./shared-trips.ts";

let own: TestDatabase;
before(async () => {
  own = await testDatabase();
});
after(() => own.drop());

/** Fails when there is a setting of this name. */
const add = (tx: Db, name: string) =>
  tx.executeQuery(sentWithNext("add", sql`insert into settings (name, value) values (${name}, '1')`.compile(tx)));

const names = async (db: Db = own.database.db) =>
  (await db.selectFrom("settings").select("name").orderBy("name").execute()).map(({ name }) => name);

const addNow = (tx: Tx, name: string) => tx.insertInto("settings").values({ name, value: "1" }).execute();

/** A transaction of either kind: both keep the promises below. */
const kinds = ["transaction", "swiftTransaction"] as const;

for (const kind of kinds) {
  const transaction: TestDatabase["database"]["transaction"] = (fn) => own.database[kind](fn);

  describe(`a statement sent with the next, in a ${kind}`, () => {
    test("is there for every statement after it, and after the commit", async () => {
      await transaction(async (tx) => {
        await add(tx, `${kind} a`);
        assert.ok((await names(tx)).includes(`${kind} a`));
        await add(tx, `${kind} b`);
      });
      assert.deepEqual(
        (await names()).filter((name) => name.startsWith(kind)),
        [`${kind} a`, `${kind} b`],
      );
    });

    test("INVARIANT: that fails with the commit leaves nothing of its transaction behind, and is heard of", async () => {
      const failing = transaction(async (tx) => {
        await addNow(tx, `${kind} effect`);
        await add(tx, `${kind} a`);
        return "done";
      });
      await assert.rejects(failing, /duplicate key/);
      assert.ok(!(await names()).includes(`${kind} effect`));
      await transaction((tx) => addNow(tx, `${kind} later`));
      assert.ok((await names()).includes(`${kind} later`), "the connection is as good as new");
    });

    test("that fails with another statement fails that one", async () => {
      const failing = transaction(async (tx) => {
        await add(tx, `${kind} a`);
        await assert.rejects(names(tx), /duplicate key/);
      });
      await assert.rejects(failing);
    });

    test("is not sent when the transaction is given up", async () => {
      const given = transaction(async (tx) => {
        await add(tx, `${kind} given up`);
        throw new Error("given up");
      });
      await assert.rejects(given, /given up/);
      await transaction((tx) => addNow(tx, `${kind} other`));
      assert.ok(!(await names()).includes(`${kind} given up`));
    });
  });

  test(`a ${kind} that failed at its first statement, or had none, leaves its connection as it was`, async () => {
    await assert.rejects(
      transaction((tx) => sql`select 1 / 0`.execute(tx)),
      /division by zero/,
    );
    assert.equal(await transaction(async () => "nothing"), "nothing");
    const { rows } = await sql<{ is_alone: boolean }>`
      select transaction_timestamp() = statement_timestamp() as is_alone`.execute(own.database.db);
    assert.deepEqual(rows, [{ is_alone: true }]);
  });
}

test("outside a transaction such a statement takes effect at once", async () => {
  await add(own.database.db, "alone");
  assert.ok((await names()).includes("alone"));
});
