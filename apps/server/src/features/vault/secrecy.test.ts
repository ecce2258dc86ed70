// Checks that a secret occurs only in its envelope and in reveal replies: not in other replies, log lines, events or
// tables.
import {
  CredentialEdit,
  createCredential,
  deleteCredential,
  listCredentials,
  readCredential,
  readCredentialHistory,
  revealCredential,
  updateCredential,
  verifyCredential,
} from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aCredential, aSecret } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

/** Returns all rows of all tables that contain the text, as `table: row`. Also finds the text in hex and in base64. */
async function rowsWith(text: string): Promise<string[]> {
  const { pool } = app.database;
  const tables = await pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const hex = Buffer.from(text).toString("hex");
  const base64 = Buffer.from(text).toString("base64").replace(/=+$/, "").slice(0, -1);
  const found: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await pool.query(
      `select t::text as row from ${name} t where strpos(t::text, $1) > 0 or strpos(t::text, $2) > 0 or strpos(t::text, $3) > 0`,
      [text, hex, base64],
    );
    found.push(...rows.map((row) => `${name}: ${row.row}`));
  }
  return found;
}

describe("a secret occurs only in its envelope", () => {
  test("searching all tables finds a plaintext value, so the other tests can fail", async () => {
    const owner = await aPerson(app);
    const marker = aSecret();
    await aCredential(app, owner, { name: marker });
    assert.ok((await rowsWith(marker)).some((row) => row.startsWith("public.credentials:")));
    assert.ok((await rowsWith(marker)).some((row) => row.startsWith("public.audit_entries:")));
  });

  test("no operation on a credential writes its secret anywhere else", async () => {
    const owner = await aPerson(app);
    const secrets = { first: aSecret(), second: aSecret(), refused: aSecret() };
    const texts: string[] = [];
    const say = <T extends { text: string }>(reply: T): T => {
      texts.push(reply.text);
      return reply;
    };
    const fields = {
      name: "Watched",
      type: "postgresql",
      host: "127.0.0.1",
      port: 1,
      username: "app",
      database_name: "d",
      schema_name: "s",
    } as const;
    const created = say(
      await app.call(createCredential, { body: { ...fields, value: secrets.first }, as: owner.token }),
    );
    const params = { id: created.body.id };
    say(await app.call(verifyCredential, { params, as: owner.token }));
    const edit = CredentialEdit.parse({ ...fields, value: secrets.second });
    say(await app.call(updateCredential, { params, body: edit, as: owner.token }));
    say(await app.call(verifyCredential, { params, as: owner.token }));
    say(await app.call(createCredential, { body: { ...fields, name: "x", value: secrets.refused }, as: owner.token }));
    say(
      await app.call(createCredential, {
        body: { ...fields, surprise: secrets.refused, value: secrets.refused } as never,
        as: owner.token,
      }),
    );
    const revealed = await app.call(revealCredential, { params, body: { reason: "to see" }, as: owner.token });
    assert.equal(revealed.body.value, secrets.second);
    say(await app.call(readCredential, { params, as: owner.token }));
    say(await app.call(listCredentials, { query: { search: "Watched" }, as: owner.token }));
    say(await app.call(readCredentialHistory, { params, as: owner.token }));

    for (const secret of Object.values(secrets)) {
      assert.deepEqual(await rowsWith(secret), []);
      assert.deepEqual(
        texts.filter((text) => text.includes(secret)),
        [],
      );
      assert.deepEqual(
        app.logLines.filter((line) => line.includes(secret)),
        [],
      );
    }
    say(await app.call(deleteCredential, { params, as: owner.token }));
    const { rows } = await app.database.pool.query("select from secret_versions where credential_id = $1", [params.id]);
    assert.equal(rows.length, 0);
  });
});
