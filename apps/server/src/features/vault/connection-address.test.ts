// The address in a connection string and the stored address agree (CRED-38), also for rows from earlier versions of
// Strongroom.
import { createCredential, listCredentials, readCredential, updateCredential } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { aCredential, aSecret } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

let app: TestApp;
before(async () => (app = await testApp()));
after(() => app.close());

const DATABASE = {
  type: "postgresql",
  schema_name: "public",
  environment: "production",
  host: "shown.example.com",
  port: 1,
  connection_string: "postgresql://used.example.com:6543/orders",
} as const;
const addressOf = ({
  host,
  port,
  database_name,
}: {
  host: string | null;
  port: number | null;
  database_name: string | null;
}) => [host, port, database_name];
const USED = ["used.example.com", 6543, "orders"];

test("CRED-09, CRED-23, CRED-38: the address in the connection string is stored and listed", async () => {
  const owner = await aPerson(app);
  const body = { ...DATABASE, name: "Orders", value: aSecret() };
  const created = await app.call(createCredential, { body, as: owner.token });
  assert.equal(created.status, 201, created.text);
  assert.deepEqual(addressOf(created.body), USED);
  const listed = await app.call(listCredentials, { query: { search: "Orders" }, as: owner.token });
  assert.deepEqual(listed.body.data.map(addressOf), [USED]);
});

test("a row from an earlier version shows the address in use, and saving the row does not count as a change of the target", async () => {
  const owner = await aPerson(app);
  const made = await aCredential(app, owner, { ...DATABASE, name: "Earlier" });
  await app.database.pool.query(
    "update credentials set host = 'shown.example.com', port = 1, database_name = 'other' where id = $1",
    [made.id],
  );
  const params = { id: made.id };
  const { body } = await app.call(readCredential, { params, as: owner.token });
  assert.deepEqual(addressOf(body), USED);
  const saved = await app.call(updateCredential, {
    params,
    body: { ...body, name: "Renamed" },
    as: owner.token,
  });
  assert.equal(saved.status, 200, saved.text);
  const { rows } = await app.database.pool.query<{ host: string; port: number; database_name: string }>(
    "select host, port, database_name from credentials where id = $1",
    [made.id],
  );
  assert.deepEqual(addressOf(rows[0]!), USED);
  const entries = await app.database.pool.query(
    `select convert_from(canonical, 'UTF8')::jsonb -> 'details' -> 'changed' as changed from audit_entries
     where target_id = $1 and event = 'credential.updated'`,
    [made.id],
  );
  assert.deepEqual(entries.rows, [{ changed: ["name"] }]);
});
