// Tests database failures during a call: a refusal with a stable code and Retry-After, and never a 500.
import { createCredential, listCredentials } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { testDatabase } from "#kernel/testing/test-database.ts";
import { firstAdmin } from "./people.ts";
import type { TestPerson } from "./people.ts";
import { testApp } from "./test-app.ts";
import type { TestApp } from "./test-app.ts";

/** By SQLSTATE (PostgreSQL, appendix A). */
const FAILURES = {
  "53100": { name: "a full disk", code: "database.full" },
  "53200": { name: "a lack of memory", code: "database.busy" },
  "53300": { name: "too many connections", code: "database.busy" },
  "25006": { name: "a read-only database", code: "database.read-only" },
  "55P03": { name: "a lock timeout", code: "database.busy" },
  "57P01": { name: "a shutdown", code: "database.unavailable" },
  "08006": { name: "a lost connection behind a pooler", code: "database.unavailable" },
};

let app: TestApp;
let admin: TestPerson;
before(async () => {
  app = await testApp({ database: await testDatabase() });
  admin = await firstAdmin(app);
});
after(() => app.close());

const write = () =>
  app.call(createCredential, {
    body: { name: "A password", type: "password", value: "a secret value" },
    as: admin.token,
  });

describe("a call during a database failure", () => {
  for (const [state, { name, code }] of Object.entries(FAILURES)) {
    test(`answers 503 with ${code} and Retry-After for ${name}, and the next call works`, async () => {
      const { pool } = app.database;
      await pool.query(`
        create function fail() returns trigger language plpgsql as $$
          begin raise exception using errcode = '${state}', message = 'injected'; end $$;
        create trigger fail before insert on credentials execute function fail()`);
      const reply = await write();
      await pool.query("drop function fail() cascade");
      assert.deepEqual([reply.status, (reply.body as { code?: string }).code], [503, code], reply.text);
      assert.match(String(reply.headers["retry-after"]), /^\d+$/);
      assert.doesNotMatch(reply.text, /injected|a secret value/);
      assert.equal((await write()).status, 201);
    });
  }

  test("writes nothing of a refused change", async () => {
    const { data } = (await app.call(listCredentials, { as: admin.token })).body;
    assert.equal(data.length, Object.keys(FAILURES).length);
  });
});
