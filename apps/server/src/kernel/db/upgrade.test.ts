// What earlier editions could leave behind, and what a migration makes of it.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import pg from "pg";
import { openLog } from "#kernel/log.ts";
import { dropTestDatabase, emptyTestDatabase } from "#kernel/testing/test-database.ts";
import { migrate, readMigrations } from "./migrate.ts";

const log = openLog("silent");

let connection: pg.ClientConfig;
let client: pg.Client;
beforeEach(async () => {
  connection = await emptyTestDatabase();
  client = new pg.Client(connection);
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await dropTestDatabase(connection);
});

const upTo = async (version: number) => (await readMigrations()).filter((each) => each.version <= version);

test("0008: of runs over the same that were started at once, the first goes on and the others are cancelled", async () => {
  await migrate({ connection }, log, await upTo(7));
  await client.query(`
    insert into users (id, email, name, role, password_hash, created_at)
    values ('00000000-0000-7000-8000-000000000001', 'a@example.com', 'A', 'user', 'x', now())`);
  await client.query(`
    insert into verification_runs (id, user_id, scope, total, started_at)
    select ('00000000-0000-7000-8000-00000000001' || n)::uuid, '00000000-0000-7000-8000-000000000001', scope, 2,
      now() + n * interval '1 second'
    from unnest(array['all', 'all', 'scheduled', 'selected', 'selected', 'all']) with ordinality as t (scope, n)`);
  await client.query(`
    insert into verification_run_items (run_id, credential_id, claimed_until)
    select id, gen_random_uuid(), claimed from verification_runs, unnest(array[null, now()]) claimed`);

  await migrate({ connection }, log, await upTo(8));

  const { rows } = await client.query(`
    select scope, status, completed_at is null as is_open, count(credential_id)::int as items
    from verification_runs join verification_run_items on run_id = id group by id order by id`);
  const running = { status: "running", is_open: true, items: 2 };
  // What was begun ends; what was not begun is dropped.
  const cancelled = { status: "cancelled", is_open: false, items: 1 };
  assert.deepEqual(rows, [
    { scope: "all", ...running },
    { scope: "all", ...cancelled },
    { scope: "scheduled", ...running },
    { scope: "selected", ...running },
    { scope: "selected", ...running },
    { scope: "all", ...cancelled },
  ]);
  await assert.rejects(
    client.query(`
      insert into verification_runs (id, user_id, scope, total, started_at)
      select gen_random_uuid(), id, 'all', 0, now() from users`),
    /verification_runs_under_way/,
  );
});

test("0025: of reviews begun before it is known how far back they had looked", async () => {
  await migrate({ connection }, log, await upTo(24));
  const add = (digit: number) =>
    client.query(
      `insert into access_reviews (id, name, scope, due_at, unreviewed, started_by, started_at)
       select $1, 'Quarterly', 'all', now(), 'stays', id, now() from users`,
      [`00000000-0000-7000-8000-00000000000${digit}`],
    );
  await client.query(`
    insert into users (id, email, name, role, password_hash, created_at)
    values ('00000000-0000-7000-8000-000000000001', 'a@example.com', 'A', 'user', 'x', now())`);
  await add(2);
  await migrate({ connection }, log, await upTo(25));
  await add(3);
  const { rows } = await client.query("select use_days from access_reviews order by id");
  assert.deepEqual(rows, [{ use_days: 90 }, { use_days: 365 }]);
});

test("0026: a run of rotations that was under way may have been forsaken while it was queued; one that ended was not", async () => {
  await migrate({ connection }, log, await upTo(25));
  await client.query(`
    insert into users (id, email, name, role, password_hash, created_at)
    values ('00000000-0000-7000-8000-000000000001', 'a@example.com', 'A', 'user', 'x', now())`);
  await client.query(`
    insert into rotation_runs (id, user_id, status, total, started_at)
    select gen_random_uuid(), id, state, 1, '2026-11-01' from users, unnest(array['running', 'completed']) state`);
  await migrate({ connection }, log, await upTo(26));
  const { rows } = await client.query(
    "select status, queueing_at = started_at as may_be_forsaken from rotation_runs order by status",
  );
  assert.deepEqual(rows, [
    { status: "completed", may_be_forsaken: null },
    { status: "running", may_be_forsaken: true },
  ]);
});

test("0037: the last used code of an authenticator app stays marked as used", async () => {
  await migrate({ connection }, log, await upTo(36));
  await client.query(`
    insert into users (id, email, name, role, password_hash, created_at)
    values ('00000000-0000-7000-8000-000000000001', 'a@example.com', 'A', 'user', 'x', now());
    insert into factors (id, user_id, kind, name, sealed, last_step, created_at)
    select gen_random_uuid(), users.id, 'totp', app.name, 'x', app.last_step, now()
    from users cross join (values ('used', 58000000), ('unused', null)) as app (name, last_step)`);
  await migrate({ connection }, log, await upTo(37));
  const { rows } = await client.query("select name, used_steps::text from factors order by name");
  assert.deepEqual(rows, [
    { name: "unused", used_steps: "{}" },
    { name: "used", used_steps: "{58000000}" },
  ]);
});
