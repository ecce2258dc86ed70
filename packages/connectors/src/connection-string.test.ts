// Tests which parts of a connection string are used, and which are refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { aTarget } from "../testing/factories.ts";
import { databaseAddress, schemeOf } from "./connection-string.ts";
import type { Target } from "./connector.ts";

const read = (target: Partial<Target>) => databaseAddress(aTarget(target), ["postgres", "postgresql"], 5432);
const entry = { host: "entry.example", port: 1, username: "entry", databaseName: "entry" };

test("without a connection string the entry's fields are used, and the port has a default", () => {
  assert.deepEqual(read({ ...entry, port: null }), {
    scheme: null,
    host: "entry.example",
    port: 5432,
    username: "entry",
    database: "entry",
    tlsMode: null,
  });
});

test("CRED-38: a connection string overrides host, port and database, not the user name", () => {
  assert.deepEqual(
    read({
      ...entry,
      connectionString: "PostgreSQL://string@db.example:6543/sales%20eu?sslmode=require&application_name=x",
    }),
    {
      scheme: "postgresql",
      host: "db.example",
      port: 6543,
      username: "entry",
      database: "sales eu",
      tlsMode: "require",
    },
  );
});

test("parts that a connection string omits come from the entry", () => {
  assert.deepEqual(read({ ...entry, connectionString: "postgres:///sales" }), {
    scheme: "postgres",
    host: "entry.example",
    port: 1,
    username: "entry",
    database: "sales",
    tlsMode: null,
  });
  const named = read({ ...entry, username: null, connectionString: "postgres://string@[2001:db8::1]" });
  assert.deepEqual(named, {
    scheme: "postgres",
    host: "2001:db8::1",
    port: 1,
    username: "string",
    database: "entry",
    tlsMode: null,
  });
});

const REFUSED: [string, RegExp][] = [
  ["postgres://u:password@h/d", /contains a password/],
  ["postgres://:password@h/d", /contains a password/],
  ["postgres://h/d?password=x", /contains a password/],
  ["mysql://h/d", /is for mysql/],
  ["not a url", /must have the form/],
  ["postgres://h/d?sslrootcert=/etc/passwd", /refers to a certificate file/],
  ["postgres://h/d?sslkey=/root/.ssh/id", /refers to a certificate file/],
  ["postgres://h/%e0%a4%a", /percent sign/],
  ["postgres://h:99999/d", /must have the form/],
];
for (const [connectionString, words] of REFUSED) {
  test(`refuses the connection string ${connectionString}`, () => {
    const address = read({ ...entry, connectionString });
    assert.ok("failure" in address && address.failure.outcome === "misconfigured");
    assert.match(address.failure.message, words);
    assert.ok(!address.failure.message.includes("password@"));
  });
}

test("refuses an entry without host or user name", () => {
  for (const target of [
    { ...entry, host: null },
    { ...entry, username: "" },
  ]) {
    const address = read(target);
    assert.ok("failure" in address);
  }
});

test("the scheme is the text before `://`, in lower case", () => {
  assert.equal(schemeOf("MariaDB://h/d"), "mariadb");
  for (const text of [null, "", "h/d", "://h", "1x://h", "mysql:/h"]) assert.equal(schemeOf(text), null, String(text));
});
