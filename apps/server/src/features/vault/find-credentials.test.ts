// Listing and searching credentials: exactly the matches, in order, with each search strategy.
import {
  CredentialEdit,
  DATABASE_TYPES,
  deleteCredential,
  listCredentials,
  updateCredential,
} from "@strongroom/contract";
import type { CredentialSort, InputOf } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aCredential } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { searchKeys, searchText } from "#features/secrets/index.ts";
import type { BoundVersion } from "#features/secrets/index.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

async function namesFound(person: TestPerson, query: InputOf<typeof listCredentials>["query"]): Promise<string[]> {
  const reply = await app.call(listCredentials, { query, as: person.token });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data.map((each) => each.name);
}

/** Inserts many credentials directly into the database, without secrets, because lists never read them. */
async function fill(
  owner: TestPerson,
  count: number,
  nameOf: (place: number) => { name: string; type?: string },
): Promise<void> {
  const rows = Array.from({ length: count }, (_, place) => {
    const { name, type = "application" } = nameOf(place);
    const found = {
      user_id: owner.id,
      name,
      username: `user-${place}`,
      host: null,
      type,
      environment: "production",
      verification_status: "pending",
      search_text: searchText([name, `user-${place}`]),
    };
    const at = new Date(Date.UTC(2026, 0, 1) + place * 1000);
    return {
      ...found,
      id: crypto.randomUUID(),
      ssl_enabled: false,
      additional_params: "{}",
      // The secret is never opened in these tests.
      secret_version: 1 as BoundVersion,
      search_keys: searchKeys(found),
      created_at: at,
      updated_at: at,
    };
  });
  for (let at = 0; at < rows.length; at += 500) {
    await app.database.db
      .insertInto("credentials")
      .values(rows.slice(at, at + 500))
      .execute();
  }
}

describe("the list of credentials", () => {
  test("API-08: is sorted newest first and paged without gaps or repetitions, even within one millisecond", async () => {
    const owner = await aPerson(app);
    await fill(owner, 25, (place) => ({ name: `Number ${place}` }));
    await app.database.pool.query(
      "update credentials set created_at = '2026-01-01' where user_id = $1 and name < 'Number 2'",
      [owner.id],
    );
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const reply = await app.call(listCredentials, { query: { limit: 4, cursor }, as: owner.token });
      seen.push(...reply.body.data.map((each) => each.id));
      assert.ok(reply.body.data.length <= 4);
      cursor = reply.body.next_cursor ?? undefined;
    } while (cursor !== undefined);
    assert.equal(seen.length, 25);
    assert.equal(new Set(seen).size, 25);
    const { rows } = await app.database.pool.query(
      "select id from credentials where user_id = $1 order by created_at desc, id desc",
      [owner.id],
    );
    assert.deepEqual(
      seen,
      rows.map((row) => row.id),
    );
  });

  test("OPEN-19: contains only the caller's own credentials, whatever their role", async () => {
    const [owner, admin] = [await aPerson(app), await aPerson(app, "admin")];
    await aCredential(app, owner, { name: "Mine alone" });
    await aCredential(app, admin, { name: "The admin's" });
    assert.deepEqual(await namesFound(owner, {}), ["Mine alone"]);
    assert.deepEqual(await namesFound(admin, { search: "alone" }), []);
    assert.deepEqual(await namesFound(admin, { search: "a" }), ["The admin's"]);
  });

  for (const cursor of [
    "x",
    "MQ",
    Buffer.from("1.2").toString("base64url"),
    Buffer.from("' or 1=1").toString("base64url"),
  ]) {
    test(`rejects the invalid cursor ${cursor} with 400`, async () => {
      const owner = await aPerson(app);
      const reply = await app.call(listCredentials, { query: { cursor }, as: owner.token });
      assert.equal(reply.status, 400, reply.text);
    });
  }

  test("OPEN-55: never contains a secret", async () => {
    const owner = await aPerson(app);
    const { value } = await aCredential(app, owner);
    const reply = await app.call(listCredentials, { as: owner.token });
    assert.ok(!reply.text.includes(value));
    assert.ok(!("value" in reply.body.data[0]!));
  });
});

describe("VAULT-05: the search", () => {
  test("finds a part of the name or username, regardless of case", async () => {
    const owner = await aPerson(app);
    await aCredential(app, owner, { name: "Oracle PROD Frankfurt", username: "svc_billing" });
    await aCredential(app, owner, { name: "Straße der Kassen", username: "ÜBER_admin" });
    for (const search of ["oracle", "PROD", "d fr", "k", "SVC_b", "_", "or"]) {
      assert.ok((await namesFound(owner, { search })).includes("Oracle PROD Frankfurt"), search);
    }
    for (const search of ["straße", "STRASSE".slice(0, 4), "über", "Über_A", "ß"]) {
      assert.ok((await namesFound(owner, { search })).includes("Straße der Kassen"), search);
    }
    for (const search of ["oraclex", "frankfurtsvc", "zz", "q"])
      assert.deepEqual(await namesFound(owner, { search }), [], search);
  });

  test("treats %, _ and \\ literally", async () => {
    const owner = await aPerson(app);
    await aCredential(app, owner, { name: "100% sure" });
    await aCredential(app, owner, { name: "snake_case" });
    await aCredential(app, owner, { name: "C:\\temp" });
    assert.deepEqual(await namesFound(owner, { search: "%" }), ["100% sure"]);
    assert.deepEqual(await namesFound(owner, { search: "0%" }), ["100% sure"]);
    assert.deepEqual(await namesFound(owner, { search: "_" }), ["snake_case"]);
    assert.deepEqual(await namesFound(owner, { search: "e_c" }), ["snake_case"]);
    assert.deepEqual(await namesFound(owner, { search: ":\\t" }), ["C:\\temp"]);
    assert.deepEqual(await namesFound(owner, { search: "%%" }), []);
  });

  test("finds a renamed credential by its new name, and no longer by the old one", async () => {
    const owner = await aPerson(app);
    const stored = await aCredential(app, owner, { name: "Before", username: "olduser" });
    const body = CredentialEdit.parse({ name: "Afterwards", type: "application", username: "newuser" });
    await app.call(updateCredential, { params: { id: stored.id }, body, as: owner.token });
    assert.deepEqual(await namesFound(owner, { search: "befo" }), []);
    assert.deepEqual(await namesFound(owner, { search: "olduser" }), []);
    assert.deepEqual(await namesFound(owner, { search: "wards" }), ["Afterwards"]);
  });

  test("finds exactly the matches that a plain comparison finds among ten thousand credentials, common or rare, new or old, page by page", async () => {
    const owner = await aPerson(app);
    const nameOf = (place: number) =>
      `${place < 20 ? "ancient" : place % 3 === 0 ? "oracle" : "mysql"}-${place % 40 === 1 ? "rare" : "node"}-${place}`;
    await fill(owner, 10_000, (place) => ({ name: nameOf(place) }));
    const all = Array.from({ length: 10_000 }, (_, place) => ({
      name: nameOf(place),
      text: `${nameOf(place)}\nuser-${place}`,
    })).toReversed();
    for (const search of ["oracle", "rare", "ancient", "e-77", "9", "-1", "user-4242", "z", "99", "oracle-rare-1"]) {
      const expected = all.filter((each) => each.text.includes(search)).map((each) => each.name);
      const first = await app.call(listCredentials, { query: { search, limit: 60 }, as: owner.token });
      assert.deepEqual(
        first.body.data.map((each) => each.name),
        expected.slice(0, 60),
        search,
      );
      const cursor = first.body.next_cursor ?? undefined;
      assert.equal(cursor !== undefined, expected.length > 60, search);
      if (cursor === undefined) continue;
      assert.deepEqual(
        await namesFound(owner, { search, limit: 60, cursor }),
        expected.slice(60, 120),
        `${search}, second page`,
      );
    }
  });
});

describe("the filters", () => {
  test('VAULT-06, OPEN-45: match a type exactly, and "database" matches every database type', async () => {
    const owner = await aPerson(app);
    const others = ["password", "ssh", "api_token", "certificate", "application", "api", "server"] as const;
    for (const type of others)
      await aCredential(app, owner, { name: `type ${type}`, type, ...(type === "password" ? {} : {}) });
    for (const type of DATABASE_TYPES) {
      await aCredential(app, owner, { name: `type ${type}`, type, database_name: "db", schema_name: "public" });
    }
    for (const type of [...others, "mysql", "oracle"] as const)
      assert.deepEqual(await namesFound(owner, { type }), [`type ${type}`]);
    const databases = await namesFound(owner, { type: "database" });
    assert.deepEqual(databases.toSorted(), DATABASE_TYPES.map((type) => `type ${type}`).toSorted());
  });

  test("combine with the search and with each other, and reflect changes", async () => {
    const owner = await aPerson(app);
    const stored = await aCredential(app, owner, { name: "Blue one", environment: "staging" });
    await aCredential(app, owner, { name: "Blue two", environment: "production" });
    assert.deepEqual(await namesFound(owner, { search: "blue", environment: "staging" }), ["Blue one"]);
    assert.deepEqual(
      await namesFound(owner, { environment: "staging", verification_status: "untested", type: "application" }),
      ["Blue one"],
    );
    assert.deepEqual(await namesFound(owner, { verification_status: "failed" }), []);
    await app.call(updateCredential, {
      params: { id: stored.id },
      body: CredentialEdit.parse({ name: "Blue one", type: "application", environment: "development" }),
      as: owner.token,
    });
    assert.deepEqual(await namesFound(owner, { environment: "staging" }), []);
    await app.call(deleteCredential, { params: { id: stored.id }, as: owner.token });
    assert.deepEqual(await namesFound(owner, { search: "blue" }), ["Blue two"]);
  });

  test("find credentials of a rare type among ten thousand others", async () => {
    const owner = await aPerson(app);
    await fill(owner, 10_000, (place) => ({ name: `n${place}`, type: place === 17 ? "certificate" : "api" }));
    assert.deepEqual(await namesFound(owner, { type: "certificate" }), ["n17"]);
    assert.deepEqual(await namesFound(owner, { type: "certificate", search: "n18" }), []);
  });
});

describe("a chosen order", () => {
  let owner: TestPerson;
  before(async () => {
    owner = await aPerson(app);
    const hosts = ["db2", "DB1", "db10"];
    const names = ["beta", "Alpha", "gamma"];
    for (const [place, name] of names.entries()) {
      await aCredential(app, owner, { name, type: "application", username: `user-${place}`, host: hosts[place] });
    }
    await aCredential(app, await aPerson(app), { name: "aardvark", type: "application" });
  });

  /** Reads the list in pages of two. */
  async function inPages(sort: CredentialSort, search?: string): Promise<string[]> {
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { sort, limit: "2", ...(cursor === undefined ? {} : { cursor }), ...(search ? { search } : {}) };
      const reply = await app.call(listCredentials, { query, as: owner.token });
      assert.equal(reply.status, 200, reply.text);
      names.push(...reply.body.data.map(({ name }) => name));
      cursor = reply.body.next_cursor ?? undefined;
    } while (cursor !== undefined);
    return names;
  }

  for (const [sort, expected] of [
    ["name", ["Alpha", "beta", "gamma"]],
    ["-name", ["gamma", "beta", "Alpha"]],
    ["host", ["Alpha", "gamma", "beta"]],
    ["-username", ["gamma", "Alpha", "beta"]],
    ["created_at", ["beta", "Alpha", "gamma"]],
    ["-created_at", ["gamma", "Alpha", "beta"]],
  ] as const) {
    test(`${sort} continues over pages`, async () => {
      assert.deepEqual(await inPages(sort), expected);
    });
  }

  test("credentials that were never verified are in one stable order, and all are listed", async () => {
    const [up, down] = [await inPages("verified_at"), await inPages("-verified_at")];
    assert.equal(new Set(up).size, 3);
    assert.deepEqual(down, up.toReversed());
  });

  test("applies to a search too", async () => {
    assert.deepEqual(await inPages("-name", "et"), ["beta"]);
  });

  test("refuses unknown fields and the cursor of another order", async () => {
    const as = owner.token;
    const unknown = await app.call(listCredentials, { query: { sort: "value" as never }, as });
    assert.equal(unknown.status, 400);
    const first = await app.call(listCredentials, { query: { sort: "name", limit: "1" }, as });
    const cursor = first.body.next_cursor!;
    const refused = await app.call(listCredentials, { query: { sort: "created_at", cursor }, as });
    assert.equal(refused.status, 400);
  });
});
