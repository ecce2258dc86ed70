// Tests that a pipelined statement keeps its order and that its failure is never lost.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "kysely";
import { testDatabase } from "#kernel/testing/test-database.ts";
import type { TestDatabase } from "#kernel/testing/test-database.ts";
import type { Db, Tx } from "./database.ts";
import { pipelined } from "./pipelined-pool.ts";

let own: TestDatabase;
before(async () => {
  own = await testDatabase();
});
after(() => own.drop());

/** A statement that fails if a setting of this name exists. */
const add = (tx: Db, name: string) =>
  tx.executeQuery(pipelined("add", sql`insert into settings (name, value) values (${name}, '1')`.compile(tx)));

const names = async (db: Db = own.database.db) =>
  (await db.selectFrom("settings").select("name").orderBy("name").execute()).map(({ name }) => name);

const addNow = (tx: Tx, name: string) => tx.insertInto("settings").values({ name, value: "1" }).execute();

/** The tests below run with both kinds of transactions. */
const kinds = ["transaction", "pipelinedTransaction"] as const;

for (const kind of kinds) {
  const transaction: TestDatabase["database"]["transaction"] = (fn) => own.database[kind](fn);

  describe(`a pipelined statement in a ${kind}`, () => {
    test("is visible to every later statement and after the commit", async () => {
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

    test("INVARIANT: when a statement sent together with the commit fails, the transaction rolls back and rejects", async () => {
      const failing = transaction(async (tx) => {
        await addNow(tx, `${kind} effect`);
        await add(tx, `${kind} a`);
        return "done";
      });
      await assert.rejects(failing, /duplicate key/);
      assert.ok(!(await names()).includes(`${kind} effect`));
      await transaction((tx) => addNow(tx, `${kind} later`));
      assert.ok((await names()).includes(`${kind} later`), "the connection works again");
    });

    test("fails together with the statement that it was sent with", async () => {
      const failing = transaction(async (tx) => {
        await add(tx, `${kind} a`);
        await assert.rejects(names(tx), /duplicate key/);
      });
      await assert.rejects(failing);
    });

    test("is not sent if the transaction is rolled back", async () => {
      const given = transaction(async (tx) => {
        await add(tx, `${kind} rolled back`);
        throw new Error("rolled back");
      });
      await assert.rejects(given, /rolled back/);
      await transaction((tx) => addNow(tx, `${kind} other`));
      assert.ok(!(await names()).includes(`${kind} rolled back`));
    });
  });

  test(`a ${kind} without statements, or with a failing first one, leaves the connection clean`, async () => {
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

test("a pipelined statement outside a transaction takes effect immediately", async () => {
  await add(own.database.db, "alone");
  assert.ok((await names()).includes("alone"));
});
