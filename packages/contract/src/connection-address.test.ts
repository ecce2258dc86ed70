import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AccountEdit, NewAccount } from "./accounts.ts";
import { withConnectionAddress } from "./connection-address.ts";
import { CredentialEdit, NewCredential } from "./vault.ts";

const ID = "0190c0de-0000-7000-8000-000000000001";
const CREDENTIAL = {
  name: "Orders database",
  type: "mysql",
  value: "correct horse battery",
  host: "old.example.com",
  port: 1,
  database_name: "old",
};
const ACCOUNT = {
  name: "Owner of orders",
  hostname: "old.example.com",
  port: "1",
  username: "owner",
  password: "correct horse battery",
  system_type: "mysql",
  connection_method: "SQL",
  platform_id: ID,
  safe_id: ID,
  database_name: "old",
};
const at = { host: "old", port: 1, database_name: "old" };

describe("withConnectionAddress", () => {
  const CASES: [string | null, object][] = [
    ["mysql://db1.example.com:3307/orders", { host: "db1.example.com", port: 3307, database_name: "orders" }],
    ["mysql://app@db1.example.com", { ...at, host: "db1.example.com" }],
    ["mysql://db1/a%20b?ssl-mode=required", { ...at, host: "db1", database_name: "a b" }],
    ["mysql://[fd00::1]:3306/", { ...at, host: "fd00::1", port: 3306 }],
    ["mysql:///orders", { ...at, database_name: "orders" }],
    ["mysql://db1/%zz", at],
    ["no url", at],
    [null, at],
  ];
  for (const [text, expected] of CASES) {
    test(`reads ${text}`, () => assert.deepEqual(withConnectionAddress(text, at), expected));
  }
});

test("CRED-09, CRED-38: the connection string overwrites host, port and database of a credential", () => {
  const connection_string = "mysql://db1.example.com:3307/orders";
  for (const read of [
    NewCredential.parse({ ...CREDENTIAL, connection_string }),
    CredentialEdit.parse({ ...CREDENTIAL, connection_string }),
  ]) {
    assert.equal(read.host, "db1.example.com");
    assert.equal(read.port, 3307);
    assert.equal(read.database_name, "orders");
    assert.equal(read.connection_string, connection_string);
  }
  const { host, port } = NewCredential.parse({ ...CREDENTIAL, type: "password", connection_string });
  assert.deepEqual([host, port], ["old.example.com", 1], "other types do not use the string");
});

test("CRED-32: the database may be named by the string alone", () => {
  const { database_name: _, ...unnamed } = CREDENTIAL;
  const read = NewCredential.parse({ ...unnamed, connection_string: "mysql://db1/orders" });
  assert.equal(read.database_name, "orders");
  assert.equal(NewCredential.safeParse({ ...unnamed, connection_string: "mysql://db1" }).success, false);
});

test("ACC-57, CRED-38: the connection string overwrites host, port and database of an account", () => {
  const connection_string = "mysql://db1.example.com:3307/orders";
  const { safe_id: _, ...edit } = ACCOUNT;
  for (const read of [
    NewAccount.parse({ ...ACCOUNT, connection_string }),
    AccountEdit.parse({ ...edit, connection_string }),
  ]) {
    assert.equal(read.hostname, "db1.example.com");
    assert.equal(read.port, 3307);
    assert.equal(read.database_name, "orders");
  }
  const other = NewAccount.parse({ ...ACCOUNT, system_type: "Linux", connection_string });
  assert.deepEqual([other.hostname, other.port], ["old.example.com", 1]);
});

test("refuses a string whose parts do not fit their fields", () => {
  for (const part of [`${"a".repeat(64)}.`.repeat(4), `db1/${"d".repeat(129)}`, "db1:0/orders"]) {
    const { error } = NewCredential.safeParse({ ...CREDENTIAL, connection_string: `mysql://${part}` });
    assert.deepEqual(error?.issues[0]?.path, ["connection_string"], part);
  }
});
