// The orders of the list of safes, over HTTP.
import { SAFE_SORT_FIELDS, listSafes, updateSafe } from "@strongroom/contract";
import type { SafeSort, SafeSortField } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

let app: TestApp;
let admin: TestPerson;
before(async () => {
  app = await testApp();
  admin = await firstAdmin(app);
});
after(() => app.close());

/** The last letter of each safe's name, read page by page. */
async function lettersOf(by: TestPerson, sort: SafeSort, search: string): Promise<string> {
  let letters = "";
  let cursor: string | undefined;
  do {
    const { status, text, body } = await app.call(listSafes, {
      query: { sort, limit: 3, search, cursor },
      as: by.token,
    });
    assert.equal(status, 200, text);
    letters += body.safes.map(({ name }) => name.at(-1)).join("");
    cursor = body.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return letters;
}

test("the list of safes is sorted by name, owner or last change in both directions, over several pages, for administrators, too", async () => {
  const reader = await aPerson(app);
  const owners = [await aPerson(app), await aPerson(app)];
  for (const [index, name] of ["Zoe", "adam"].entries())
    await app.database.pool.query("update users set name = $1 where id = $2", [name, owners[index]!.id]);
  const prefix = `sorted-${reader.id.slice(-8)}`;
  const made = [];
  for (const [index, letter] of ["b", "A", "c", "D"].entries()) {
    const owner = owners[index % 2]!;
    const safe = await aSafe(app, owner, { name: `${prefix} ${letter}` });
    await aMember(app, owner, safe, reader, "auditor");
    made.push(safe);
  }
  const { id, name } = made[1]!;
  const body = { name, description: "Changed", status: "active" as const };
  const changed = await app.call(updateSafe, { params: { id }, body, as: owners[1]!.token });
  assert.equal(changed.status, 200, changed.text);
  const expected: Record<SafeSortField, string> = { name: "AbcD", owner: "ADbc", updated: "bcDA" };
  for (const by of [reader, admin]) {
    for (const field of SAFE_SORT_FIELDS) {
      assert.equal(await lettersOf(by, field, prefix), expected[field], `${by.email} ${field}`);
      const descending = [...expected[field]].toReversed().join("");
      assert.equal(await lettersOf(by, `-${field}`, prefix), descending, `${by.email} -${field}`);
    }
  }
  const unknown = await app.call(listSafes, { query: { sort: "account_count" as never }, as: reader.token });
  assert.equal(unknown.status, 400);
});
