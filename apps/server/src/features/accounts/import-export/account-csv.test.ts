// Tests reading accounts from an imported CSV file, and writing accounts to an export.
import { ACCOUNT_DETAIL_NAMES, AccountId, PlatformId, SafeId, recordOf } from "@strongroom/contract";
import type { Account } from "@strongroom/contract";
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { EXPORT_HEADER, exportLine, readAccounts } from "./account-csv.ts";
import type { NameLookups } from "./account-csv.ts";

const PLATFORM = "0190c0de-0000-7000-8000-00000000000a";
const SAFE = "0190c0de-0000-7000-8000-00000000000b";
const names: NameLookups = {
  platform: (name) => (name === "Linux" ? { id: PLATFORM, system_type: "Linux", connection_method: "SSH" } : null),
  safe: (name) => (name === "" || name === "Servers" ? SAFE : null),
};
const HEADER = "name,hostname,username,password,platform,safe,port,notes";
const read = (...lines: string[]) => readAccounts([HEADER, ...lines].join("\r\n"), names);

describe("reading an import", () => {
  test("turns a good line into an account and fills omitted columns from the platform", () => {
    const { good, bad } = read('web1,web1.example.com,root," pass,""word"" ",Linux,Servers,22,"two\nlines"');
    assert.deepEqual(bad, []);
    const [line] = good;
    assert.equal(line?.account.password, ' pass,"word" ');
    assert.equal(line?.account.port, 22);
    assert.equal(line?.account.notes, "two\nlines");
    assert.deepEqual(
      [line?.account.system_type, line?.account.connection_method, line?.account.platform_id, line?.account.safe_id],
      ["Linux", "SSH", PLATFORM, SAFE],
    );
  });

  test("lists every bad line with its number and column, and keeps the good lines", () => {
    const { good, bad } = read(
      "web1,web1.example.com,root,password-1,Linux,Servers,22,",
      ",web2.example.com,root,password-2,Linux,Servers,22,",
      "web3,web3.example.com,root,,Linux,Servers,99999,",
      "web4,web4.example.com,root,password-4,Solaris,Servers,22,",
      "web5,web5.example.com,root,password-5,Linux,Elsewhere,22,",
      "web6,web6.example.com,root,password-6",
    );
    assert.deepEqual(
      good.map(({ line }) => line),
      [2],
    );
    assert.deepEqual(
      bad.map(({ line, field }) => [line, field]),
      [
        [3, "name"],
        [4, "port"],
        [4, "password"],
        [5, "platform"],
        [6, "safe"],
        [7, null],
      ].toSorted((a, b) => Number(a[0]) - Number(b[0])),
    );
    assert.equal(bad[0]?.message, "Account name is required");
  });

  test("rejects the second line of a duplicate account", () => {
    const line = "web1,web1.example.com,root,password-1,Linux,Servers,22,";
    const { good, bad } = read(line, line);
    assert.equal(good.length, 1);
    assert.deepEqual(
      bad.map((fault) => [fault.line, fault.message]),
      [[3, "The same account is already on line 2"]],
    );
  });

  test("never repeats a value from the file in a message, whatever is wrong with the value", () => {
    const secret = "Tr0ub4dor&3-secret";
    const files = [
      `${HEADER}\nweb1,web1.example.com,root,"${secret}`,
      `${HEADER}\nweb1,web1.example.com,root,${secret}"x,Linux,,,`,
      `web1,web1.example.com,root,${secret},Linux,Servers,22,x`,
      `${HEADER}\n${secret},${secret},${secret},x,${secret},${secret},${secret},${secret}`,
    ];
    for (const file of files) {
      const { good, bad } = readAccounts(file, names);
      assert.equal(good.length, 0, file);
      assert.ok(bad.length > 0, file);
      assert.ok(!JSON.stringify(bad).includes(secret), JSON.stringify(bad));
    }
  });

  test("handles an empty file, a byte order mark, empty lines, missing and unknown columns", () => {
    assert.equal(readAccounts("\n\n", names).bad[0]?.message, "The file has no header line");
    assert.equal(readAccounts(`\uFEFF${HEADER}\n\n`, names).bad.length, 0);
    const { bad } = readAccounts("name,colour\nx,red", names);
    assert.deepEqual(
      bad.map((fault) => fault.field),
      ["hostname", "username", "password", "platform", null],
    );
  });
});

describe("writing an export", () => {
  const account: Account = {
    id: AccountId.parse(SAFE),
    name: '=HYPERLINK("http://evil.example")',
    username: "root",
    hostname_ip: "web1",
    port: null,
    system_type: "Linux",
    connection_method: "SSH",
    ...recordOf(ACCOUNT_DETAIL_NAMES, () => null),
    platform_id: PlatformId.parse(PLATFORM),
    platform_name: "Linux",
    safe_id: SafeId.parse(SAFE),
    safe_name: "Servers, old",
    status: "active",
    notes: "@cell",
    tags: [],
    database_name: null,
    schema_name: null,
    connection_string: null,
    ssl_enabled: false,
    additional_params: {},
    last_validation_status: "untested",
    last_validated_at: null,
    validation_message: null,
    host_key_alarm: null,
    rotation_status: "no_policy",
    last_rotated_at: "2026-01-01T00:00:00.000Z",
    rotation_due_at: null,
    open_rotation: null,
    last_accessed: null,
    connector: null,
    check_out: null,
    access_block: null,
    my_permissions: ["list"],
    needs_approval: false,
    my_grant: null,
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-01T00:00:00.000Z",
  };

  test("quotes cells with commas and quotes, and escapes formulas", () => {
    const line = exportLine(account);
    assert.ok(line.startsWith(`"'=HYPERLINK(""http://evil.example"")",web1,root,Linux,"Servers, old",`), line);
    assert.ok(line.endsWith(",'@cell\r\n"), line);
    assert.ok(!EXPORT_HEADER.includes("password"));
  });
});
