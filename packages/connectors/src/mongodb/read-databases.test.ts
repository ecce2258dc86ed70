// Tests searches of MongoDB against a fake. The comments at the top of the fake's files say what these tests do not prove.
import { BSON } from "mongodb";
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { searchDatabases, trySearch, type SearchedLogin } from "../../testing/search-databases.ts";
import type { FakeMongodbDatabase } from "../../testing/targets/fake-mongodb-data.ts";
import { startFakeMongodb, type FakeMongodb } from "../../testing/targets/fake-mongodb.ts";
import type { DatabaseSearch } from "../database-search.ts";
import { MAX_DEPTH, MAX_ELEMENTS } from "./documents.ts";
import { mongodb } from "./mongodb.ts";

const documents = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `row ${index}` }));

describe("a search in MongoDB", { concurrency: 1 }, () => {
  let server: FakeMongodb;
  let administrator: SearchedLogin;
  let user: SearchedLogin;
  before(async () => {
    server = await startFakeMongodb(null);
    const login = (username: string, role: string): SearchedLogin => {
      const password = `${username}-password`;
      server.addUser(username, password, [role]);
      return { target: { type: "mongodb", host: server.host, port: server.port, username }, password };
    };
    administrator = login("root", "root");
    user = login("reader", "read");
  });
  after(() => server?.stop());
  beforeEach(() => {
    server.databases.length = 0;
    server.cursors.clear();
  });

  const has = (name: string, ...collections: FakeMongodbDatabase["collections"]) =>
    server.databases.push({ name, collections });
  const searched = (search: Partial<DatabaseSearch> = {}, login = administrator) =>
    searchDatabases(mongodb, login, search);

  test("reads every document of every collection, over several batches", async () => {
    has(
      "shop",
      { name: "b", documents: documents(60) },
      { name: "a", documents: [{ key: "x", note: "y" }, { note: "z" }] },
    );
    has("local", { name: "oplog.rs", documents: documents(1) });
    const { tables, columns, result } = await searched();
    assert.deepEqual(columns, ["column:shop.a.key", "column:shop.a.note", "column:shop.b.name"]);
    assert.deepEqual(
      tables.map(({ rows, isPart }) => [rows.length, rows.at(-1), isPart]),
      [
        [2, [null, "z"], false],
        [60, ["row 59"], false],
      ],
    );
    assert.deepEqual([result.isSuperuser, result.limit, result.unread, result.gone], [true, null, [], []]);
    assert.equal(server.cursors.size, 0);
  });

  test("reads nested fields and elements of lists by dotted names, and only texts, code and ports", async () => {
    const document = {
      _id: new BSON.ObjectId(),
      smtp: { host: "mail.example.com", port: 25, tls: true, auth: { password: "secret" } },
      logins: [{ user: "a", password: "b" }, "plain"],
      count: 7,
      dbPort: 5432,
      at: new Date(),
      script: new BSON.Code("return 'x'"),
      binary: new BSON.Binary(Buffer.from("x")),
    };
    has("shop", { name: "app.settings", documents: [document] });
    const { tables, columns } = await searched();
    assert.deepEqual(
      tables[0]?.columns.map(({ name }, index) => [name, tables[0]?.rows[0]?.[index]]),
      [
        ["smtp.host", "mail.example.com"],
        ["smtp.port", "25"],
        ["smtp.auth.password", "secret"],
        ["logins.0.user", "a"],
        ["logins.0.password", "b"],
        ["logins.1", "plain"],
        ["dbPort", "5432"],
        ["script", "return 'x'"],
      ],
    );
    assert.equal(columns[2], 'column:shop."app.settings"."smtp.auth.password"');
  });

  test("reads names with any characters", async () => {
    const field = JSON.parse('{"__proto__": "a", "constructor": "b", "x\\"y; $where": "c", "": "d"}') as Record<
      string,
      unknown
    >;
    has("s$h o-p", { name: 'c"d.$e', documents: [{ $inner: field }] });
    const { columns, tables } = await searched();
    const place = (name: string) => `column:"s$h o-p"."c""d.$e".${name}`;
    assert.deepEqual(columns, [
      place('"$inner.__proto__"'),
      place('"$inner.constructor"'),
      place('"$inner.x""y; $where"'),
      place('"$inner."'),
    ]);
    assert.deepEqual(tables[0]?.rows, [["a", "b", "c", "d"]]);
  });

  test("reads pipelines of views and stored functions, and queries no view", async () => {
    const pipeline = [{ $match: { password: "secret" } }];
    has(
      "shop",
      { name: "open_orders", type: "view", options: { viewOn: "orders", pipeline }, error: null },
      { name: "system.js", documents: [{ _id: "sync", value: new BSON.Code("connect('mongodb://x')") }] },
      { name: "system.profile", documents: documents(1) },
      { name: "metrics", type: "timeseries", documents: documents(1) },
    );
    const { columns, definitions } = await searched();
    assert.deepEqual(definitions[0], ["definition:shop.system.js.sync", "connect('mongodb://x')"]);
    assert.equal(definitions[1]?.[0], "definition:shop.open_orders");
    assert.deepEqual(JSON.parse(definitions[1][1]), { viewOn: "orders", pipeline });
    assert.deepEqual(columns, ["column:shop.metrics.name"]);
  });

  test("reports tables that the login may not read as unread, and keeps their findings open", async () => {
    has("shop", { name: "denied", error: 13 }, { name: "slow", error: 50 }, { name: "t", documents: documents(1) });
    server.databases.push({ name: "hidden", isReadable: false, collections: [{ name: "t", documents: documents(1) }] });
    const known = ["column:hidden.t.name", "column:shop.denied.name", "column:shop.dropped.name"];
    const limited = await searched({ known }, user);
    assert.deepEqual([limited.columns, limited.result.gone], [["column:shop.t.name"], []]);
    assert.deepEqual([limited.result.isSuperuser, limited.result.unread], [false, ["shop.denied", "shop.slow"]]);
    const full = await searched({ known });
    assert.deepEqual([full.columns.length, full.result.gone], [2, ["column:shop.dropped.name"]]);
  });

  test("a field that no document contains counts as gone, unless the collection was read in part", async () => {
    has("shop", { name: "t", documents: documents(60) });
    const known = ["column:shop.t.name", "column:shop.t.password"];
    assert.deepEqual((await searched({ known })).result.gone, ["column:shop.t.password"]);
    assert.deepEqual((await searched({ known, maxRows: 30 })).result.gone, []);
  });

  test("stops at its limits of documents, fields, depth, elements, collections and bytes, and closes its cursors", async () => {
    const deep = Array.from({ length: MAX_DEPTH + 1 }).reduce<object>((inner) => ({ n: inner }), { password: "deep" });
    const wide = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`f${index}`, "x"]));
    has(
      "shop",
      { name: "a", documents: documents(60) },
      { name: "b", documents: [{ name: "kept", ...deep }] },
      { name: "c", documents: [wide] },
      { name: "d", documents: [{ list: Array.from({ length: 50 }, String) }] },
      { name: "e", documents: [{ text: "x".repeat(20_000) }] },
    );
    const { tables } = await searched({ maxRows: 30 });
    assert.deepEqual(
      tables.map(({ rows, columns, isPart }) => [rows.length, columns.length, isPart]),
      [
        [30, 1, true],
        [1, 1, true],
        [1, 100, true],
        [1, MAX_ELEMENTS, true],
        [1, 1, true],
      ],
    );
    assert.equal(tables[4]?.rows[0]?.[0]?.length, 16_384);
    assert.equal(server.cursors.size, 0);
    const two = await searched({ maxTables: 2 });
    assert.deepEqual([two.tables.length, two.result.limit], [2, "files"]);
    const bytes = await searched({ maxTotalBytes: 100 });
    assert.deepEqual([bytes.tables.length, bytes.result.limit], [1, "bytes"]);
  });

  test("leaves out excluded collections, and reads only the requested place", async () => {
    has("shop", { name: "a", documents: documents(1) }, { name: "b", documents: documents(1) });
    has("other", { name: "a", documents: documents(1) }, { name: "v", type: "view", options: {} });
    const excluded = await searched({ excludes: ["other.*", "*.a"] });
    assert.deepEqual([excluded.columns, excluded.places], [["column:shop.b.name"], []]);
    const one = await searched({ only: ["column:shop.b.name"] });
    assert.deepEqual([one.columns, one.places], [["column:shop.b.name"], []]);
  });

  test("a connection that ends in the middle is a failure, after what was read", async () => {
    has(
      "shop",
      { name: "a", documents: documents(1) },
      { name: "b", error: null },
      { name: "c", documents: documents(1) },
    );
    const { result, tables } = await trySearch(mongodb, administrator);
    assert.deepEqual([result.outcome, "code" in result && result.code], ["unreachable", "connection-lost"]);
    assert.equal(tables.length, 1);
  });
});
