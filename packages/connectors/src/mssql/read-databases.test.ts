// Tests searches of SQL Server against a fake. The comments at the top of the fake's files say what these tests do not prove.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { makeAuthority, opensslAvailable } from "../../testing/certificates.ts";
import { aContext, aTarget } from "../../testing/factories.ts";
import { searchDatabases, trySearch, type SearchedLogin } from "../../testing/search-databases.ts";
import { needs } from "../../testing/targets/availability.ts";
import { aDatabase, emptyCatalog, type FakeMssqlTable } from "../../testing/targets/fake-mssql-catalog.ts";
import { startFakeMssql, type FakeMssql } from "../../testing/targets/fake-mssql.ts";
import { inTime } from "../attempt.ts";
import type { DatabaseSearch } from "../database-search.ts";
import { mssql } from "./mssql.ts";
import { ServerError, TIMED_OUT, openSession } from "./session.ts";

const aTable = (name: string, rows: (string | null)[][], more: Partial<FakeMssqlTable> = {}): FakeMssqlTable => ({
  schema: "dbo",
  name,
  columns: ["name", "value"],
  rows,
  ...more,
});
const rowsOf = (count: number) => Array.from({ length: count }, (_, index) => [`row ${index}`, "x"]);

describe("a search in SQL Server", { ...needs(opensslAvailable()), concurrency: 1 }, () => {
  let server: FakeMssql;
  let administrator: SearchedLogin;
  let user: SearchedLogin;
  before(async () => {
    const authority = await makeAuthority();
    server = await startFakeMssql(await authority.issue(["127.0.0.1"]));
    const login = (username: string, isAdministrator: boolean): SearchedLogin => {
      const password = `${username}-password`;
      server.addLogin(username, password, { isAdministrator });
      const { host, port } = server;
      const additionalParams = { ca: authority.certificate };
      return { target: { type: "mssql", host, port, username, sslEnabled: true, additionalParams }, password };
    };
    administrator = login("sa", true);
    user = login("reader", false);
  });
  after(() => server?.stop());
  beforeEach(() => Object.assign(server.catalog, emptyCatalog()));

  const shop = (...tables: FakeMssqlTable[]) => server.catalog.databases.push(aDatabase({ name: "shop", tables }));
  const searched = (search: Partial<DatabaseSearch> = {}, login = administrator) =>
    searchDatabases(mssql, login, search);

  test("reads every row of every table, in pages", async () => {
    shop(
      aTable("settings", rowsOf(60), { isPublic: true }),
      aTable("logins", [["app", null]], { schema: "erp", columns: ["user", "password"] }),
    );
    const { tables, columns, result } = await searched();
    assert.deepEqual(columns, [
      "column:shop.dbo.settings.name",
      "column:shop.dbo.settings.value",
      "column:shop.erp.logins.user",
      "column:shop.erp.logins.password",
    ]);
    assert.deepEqual(
      tables.map(({ rows, isPart, owner, isPublic }) => [rows.length, rows.at(-1), isPart, owner, isPublic]),
      [
        [60, ["row 59", "x"], false, "dbo", true],
        [1, ["app", null], false, "dbo", false],
      ],
    );
    assert.deepEqual([result.isSuperuser, result.limit, result.unread, result.gone], [true, null, [], []]);
  });

  test("names of databases, schemas, tables and columns are quoted, whatever characters they contain", async () => {
    const [database, schema, name, column] = ["a]b", "c'd; --", 'e "f', "g].[h]] AS x"];
    const table = aTable(name, [["found"]], { schema, columns: [column] });
    server.catalog.databases.push(
      aDatabase({ name: database, tables: [table], modules: [{ schema, name, text: "SELECT 1" }] }),
    );
    const { tables, columns, definitions, result } = await searched();
    const place = `"a]b"."c'd; --"."e ""f"`;
    assert.deepEqual(columns, [`column:${place}."g].[h]] AS x"`]);
    assert.deepEqual(tables[0]?.rows, [["found"]]);
    assert.deepEqual(definitions, [[`definition:${place}`, "SELECT 1"]]);
    assert.deepEqual(result.unread, []);
  });

  test("reads modules, steps of jobs, linked servers and credentials", async () => {
    server.catalog.databases.push(
      aDatabase({
        name: "shop",
        modules: [
          ...Array.from({ length: 60 }, (_, index) => ({ schema: "dbo", name: `p${index}`, text: `SELECT ${index}` })),
          { schema: "dbo", name: "hidden", text: null },
          { schema: null, name: "audit", text: "CREATE TRIGGER audit" },
        ],
      }),
    );
    server.catalog.jobSteps.push({ job: "Nightly export", step: "1", command: "bcp shop.dbo.t out -P secret" });
    const erp = { name: "ERP", source: "erp,1433", providerString: "PWD=secret" };
    server.catalog.linkedServers.push({ ...erp, login: "reader" }, { ...erp, login: "writer" });
    server.catalog.credentials.push({ name: "backup", identity: "SHOP\\backup" });
    const { definitions, settings, result } = await searched();
    assert.equal(definitions.length, 62);
    assert.deepEqual(definitions[0], ['definition:msdb.job."Nightly export".1', "bcp shop.dbo.t out -P secret"]);
    assert.deepEqual(definitions.at(-2), ["definition:shop.dbo.p59", "SELECT 59"]);
    assert.deepEqual(definitions.at(-1), ["definition:shop.audit", "CREATE TRIGGER audit"]);
    assert.deepEqual(settings, [
      [
        "setting:linked_server.ERP",
        "data_source=erp,1433",
        "provider_string=PWD=secret",
        "username=reader",
        "username=writer",
      ],
      ["setting:credential.backup", "username=SHOP\\backup"],
    ]);
    assert.deepEqual(result.unread, ["shop.dbo.hidden"]);
  });

  test("reports tables that the login may not read as unread, and keeps their findings open", async () => {
    const places = ["column:closed.dbo.t.value", "column:shop.dbo.gone.value", "definition:msdb.job.Nightly.1"];
    const known = [...places, "setting:linked_server.ERP"];
    server.catalog.databases.push(
      aDatabase({ name: "closed", isOpen: false }),
      aDatabase({
        name: "shop",
        seesAll: false,
        tables: [aTable("denied", [], { error: 229 }), aTable("t", rowsOf(1))],
      }),
    );
    const { columns, result } = await searched({ known }, user);
    assert.deepEqual(columns, ["column:shop.dbo.t.name", "column:shop.dbo.t.value"]);
    assert.deepEqual([result.unread, result.gone], [["msdb.job", "closed", "shop.dbo.denied"], []]);
    assert.equal(result.isSuperuser, false);
  });

  test("an administrator's search reports known places that no longer exist", async () => {
    shop(aTable("t", rowsOf(1)));
    const known = ["column:shop.dbo.t.value", "column:shop.dbo.gone.value", "setting:linked_server.ERP"];
    assert.deepEqual((await searched({ known })).result.gone, known.slice(1));
  });

  test("INVARIANT: no code of the target's users runs: tables with policies and external tables are not queried", async () => {
    const refused = (["predicate", "masked", "external"] as const).map((reason) =>
      // A query would end the search.
      aTable(reason, [], { reason, error: null }),
    );
    shop(...refused, aTable("t", rowsOf(1)));
    const { columns, result } = await searched();
    assert.deepEqual(columns, ["column:shop.dbo.t.name", "column:shop.dbo.t.value"]);
    assert.deepEqual(result.unread, ["shop.dbo.masked", "shop.dbo.predicate"].toReversed());
  });

  test("reads servers older than security policies", async () => {
    server.catalog.isOld = true;
    shop(aTable("t", rowsOf(1)));
    const { tables, result } = await searched();
    assert.deepEqual([tables.length, result.unread], [1, []]);
  });

  test("stops at its limits of rows, tables, values and bytes", async () => {
    shop(aTable("a", rowsOf(60)), aTable("b", [["n", "x".repeat(20_000)]]), aTable("c", rowsOf(1)));
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
    shop(aTable("a", rowsOf(1)), aTable("b", rowsOf(1)));
    server.catalog.databases.push(aDatabase({ name: "other", tables: [aTable("a", rowsOf(1))] }));
    assert.deepEqual((await searched({ excludes: ["other.*", "*.a"] })).tables.length, 1);
    const one = await searched({ only: ["column:shop.dbo.b.value"] });
    assert.deepEqual(one.columns, ["column:shop.dbo.b.name", "column:shop.dbo.b.value"]);
    assert.deepEqual(one.places, []);
  });

  test("a connection that ends in the middle is a failure, after what was read", async () => {
    shop(aTable("a", rowsOf(1)), aTable("b", [], { error: null }), aTable("c", rowsOf(1)));
    const { result, tables } = await trySearch(mssql, administrator);
    assert.deepEqual([result.outcome, "code" in result && result.code], ["unreachable", "connection-lost"]);
    assert.equal(tables.length, 1);
  });

  test("cancels a statement that takes too long, and continues the session", async () => {
    shop(aTable("slow", [], { error: "never" }));
    const outcome = await inTime<object>(
      aContext(),
      async (attempt) => {
        const { target, password } = administrator;
        const session = await openSession(aTarget(target), { username: "sa", password }, attempt);
        assert.ok(!("failure" in session));
        const slow =
          "SELECT LEFT(CAST([name] AS nvarchar(max)), 9) AS c0 FROM [shop].[dbo].[slow] ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY OPTION (MAXDOP 1)";
        await assert.rejects(
          session.run(slow, 50),
          (error) => error instanceof ServerError && error.numbers[0] === TIMED_OUT,
        );
        return { rows: await session.run("SELECT name FROM sys.databases") };
      },
      (failure) => failure,
    );
    assert.ok("rows" in outcome);
    assert.deepEqual(outcome.rows, [{ name: "shop", is_open: "1" }]);
  });
});
