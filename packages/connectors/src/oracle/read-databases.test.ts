// Tests searches of Oracle against a fake. The comments at the top of the fake's files say what these tests do not prove.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { searchDatabases, trySearch, type SearchedLogin } from "../../testing/search-databases.ts";
import { startFakeOracle, type FakeOracle } from "../../testing/targets/fake-oracle/fake-oracle.ts";
import { emptySchemas, type FakeOracleTable } from "../../testing/targets/fake-oracle/schemas.ts";
import type { DatabaseSearch } from "../database-search.ts";
import { oracle } from "./oracle.ts";

const aTable = (name: string, rows: (string | null)[][], more: Partial<FakeOracleTable> = {}): FakeOracleTable => ({
  owner: "SHOP",
  name,
  columns: ["NAME", "VALUE"],
  rows,
  ...more,
});
const rowsOf = (count: number) => Array.from({ length: count }, (_, index) => [`row ${index}`, "x"]);

for (const generation of ["19c", "23ai"] as const) {
  describe(`a search in Oracle ${generation}`, { concurrency: 1 }, () => {
    let server: FakeOracle;
    let login: SearchedLogin;
    before(async () => {
      server = await startFakeOracle(null, generation);
      const password = "scanner-password";
      server.addUser("scanner", password);
      const { host, port, service: databaseName } = server;
      login = { target: { type: "oracle", host, port, username: "scanner", databaseName }, password };
    });
    after(() => server?.stop());
    beforeEach(() => {
      Object.assign(server.catalog.schemas, emptySchemas());
      server.catalog.denied.clear();
    });

    const has = (...tables: FakeOracleTable[]) => server.catalog.schemas.tables.push(...tables);
    const searched = (search: Partial<DatabaseSearch> = {}) => searchDatabases(oracle, login, search);

    test("reads every row of every table in a read-only transaction, in pages", async () => {
      has(aTable("SETTINGS", rowsOf(60), { isPublic: true }), aTable("LOGINS", [["app", null]]));
      const { tables, columns, result } = await searched();
      assert.deepEqual(columns.slice(0, 2), ["column:SHOP.SETTINGS.NAME", "column:SHOP.SETTINGS.VALUE"]);
      assert.deepEqual(
        tables.map(({ rows, isPart, owner, isPublic }) => [rows.length, rows.at(-1), isPart, owner, isPublic]),
        [
          [60, ["row 59", "x"], false, "SHOP", true],
          [1, ["app", null], false, "SHOP", false],
        ],
      );
      assert.deepEqual([result.isSuperuser, result.limit, result.unread, result.gone], [true, null, [], []]);
      assert.equal(server.catalog.schemas.isReadOnly, true);
    });

    test("converts XML, JSON and ports to texts", async () => {
      const columns: FakeOracleTable["columns"] = [
        ["DOC", "XMLTYPE"],
        ["CONFIG", "JSON"],
        ["TEXT", "CLOB"],
        ["PORT", "NUMBER"],
      ];
      has(aTable("T", [["<a/>", "{}", "c", "1521"]], { columns }));
      const { tables, result } = await searched();
      assert.deepEqual([tables[0]?.rows, result.unread], [[["<a/>", "{}", "c", "1521"]], []]);
    });

    test("names are quoted, whatever characters they contain, and a name that Oracle cannot have is not queried", async () => {
      has(
        aTable("c'd; --", [["found"]], { owner: "a.b", columns: ["x AS y, z"] }),
        // A query would end the search.
        aTable('t" WHERE 1 = 1 --', [], { error: null }),
      );
      server.catalog.schemas.programs.push({ owner: "a.b", name: "it's", type: "FUNCTION", text: "RETURN 1;\n" });
      const { tables, columns, definitions, result } = await searched();
      assert.deepEqual(columns, [`column:"a.b"."c'd; --"."x AS y, z"`]);
      assert.deepEqual(tables[0]?.rows, [["found"]]);
      assert.deepEqual(definitions, [[`definition:"a.b"."it's"`, "RETURN 1;\n"]]);
      assert.deepEqual(result.unread, [`SHOP."t"" WHERE 1 = 1 --"`]);
    });

    test("reads programs, views, jobs and database links", async () => {
      const { programs, jobs, links } = server.catalog.schemas;
      const owner = "SHOP";
      programs.push(
        { owner, name: "SYNC", type: "PACKAGE", text: "PACKAGE sync AS\nEND;\n" },
        { owner, name: "SYNC", type: "PACKAGE BODY", text: "PACKAGE BODY sync AS\n  pwd := 'secret';\nEND;" },
        { owner, name: "SEALED", type: "FUNCTION", text: "FUNCTION sealed wrapped\na000000\n354\nabcd\n" },
        { owner, name: "HIDDEN", type: "FUNCTION", text: "" },
        { owner, name: "ORDERS_V", type: "VIEW", text: `SELECT '${"x".repeat(5_000)}' FROM dual` },
      );
      jobs.push({ owner, name: "NIGHTLY", action: "BEGIN sync.run('secret'); END;" });
      links.push({ owner, name: "ERP.EXAMPLE.COM", host: "erp:1521/erp", username: "READER" });
      const { definitions, settings, result } = await searched();
      assert.deepEqual(
        definitions.map(([place, text]) => [place, text.length]),
        [
          ["definition:SHOP.SYNC", 21],
          ["definition:SHOP.SYNC.body", 44],
          ["definition:SHOP.ORDERS_V", 5_019],
          ["definition:SHOP.job.NIGHTLY", 30],
        ],
      );
      assert.match(definitions[1]![1], /^PACKAGE BODY sync AS\n {2}pwd := 'secret';\nEND;$/);
      assert.deepEqual(settings, [['setting:db_link.SHOP."ERP.EXAMPLE.COM"', "host=erp:1521/erp", "username=READER"]]);
      assert.deepEqual(result.unread, ["SHOP.SEALED", "SHOP.HIDDEN"]);
    });

    test("without the DBA views, it reads what the login may use, and no finding is gone", async () => {
      server.catalog.denied.add("dba_tables");
      has(aTable("T", rowsOf(1)), aTable("DENIED", [], { error: 1031 }));
      const known = ["column:SHOP.DENIED.VALUE", "column:SHOP.DROPPED.VALUE", "definition:HR.SYNC"];
      const limited = await searched({ known });
      assert.deepEqual(limited.columns, ["column:SHOP.T.NAME", "column:SHOP.T.VALUE"]);
      assert.deepEqual([limited.result.isSuperuser, limited.result.unread], [false, ["SHOP.DENIED"]]);
      assert.deepEqual(limited.result.gone, []);
      server.catalog.denied.clear();
      assert.deepEqual((await searched({ known })).result.gone, known.slice(1));
    });

    test("a part of the dictionary that refuses is unread, and its findings stay open", async () => {
      for (const view of ["dba_objects", "dba_scheduler_jobs", "dba_db_links"]) server.catalog.denied.add(view);
      has(aTable("T", rowsOf(1)));
      const known = ["definition:SHOP.GONE", "setting:db_link.SHOP.ERP", "column:SHOP.GONE.VALUE"];
      const { result } = await searched({ known });
      assert.deepEqual(result.unread, ["db_link", "definitions", "jobs"]);
      assert.deepEqual(result.gone, ["column:SHOP.GONE.VALUE"]);
    });

    test("INVARIANT: no code of the target's users runs: tables with a policy are not queried, and none if policies are hidden", async () => {
      has(aTable("GUARDED", [], { hasPolicy: true, error: null }));
      assert.deepEqual((await searched()).result.unread, ["SHOP.GUARDED"]);
      server.catalog.denied.add("dba_policies");
      const { result } = await searched({ known: ["column:SHOP.GONE.VALUE"] });
      assert.deepEqual([result.unread, result.gone], [["tables"], []]);
    });

    test("stops at its limits of rows, tables, values and bytes", async () => {
      has(aTable("A", rowsOf(60)), aTable("B", [["n", "x".repeat(20_000)]]), aTable("C", rowsOf(1)));
      const rows = await searched({ maxRows: 30 });
      assert.deepEqual(
        rows.tables.map((each) => [each.rows.length, each.isPart]),
        [
          [30, true],
          [1, true],
          [1, false],
        ],
      );
      assert.equal(rows.tables[1]?.rows[0]?.[1]?.length, 16_384);
      const two = await searched({ maxTables: 2 });
      assert.deepEqual([two.tables.length, two.result.limit], [2, "files"]);
      const bytes = await searched({ maxTotalBytes: 100 });
      assert.deepEqual([bytes.tables.length, bytes.result.limit], [1, "bytes"]);
    });

    test("leaves out excluded tables, and reads only the requested place", async () => {
      has(aTable("A", rowsOf(1)), aTable("B", rowsOf(1)), aTable("A", rowsOf(1), { owner: "HR" }));
      assert.equal((await searched({ excludes: ["HR.*", "*.A"] })).tables.length, 1);
      const one = await searched({ only: ["column:SHOP.B.VALUE"] });
      assert.deepEqual([one.columns, one.places], [["column:SHOP.B.NAME", "column:SHOP.B.VALUE"], []]);
    });

    test("a connection that ends in the middle is a failure, after what was read", async () => {
      has(aTable("A", rowsOf(1)), aTable("B", [], { error: null }), aTable("C", rowsOf(1)));
      const { result, tables } = await trySearch(oracle, login);
      assert.deepEqual([result.outcome, "code" in result && result.code], ["unreachable", "connection-lost"]);
      assert.equal(tables.length, 1);
    });
  });
}
