// Tests that migrations convert the data of earlier versions.
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

test("0008: keeps the first of concurrent runs with the same scope and cancels the others", async () => {
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
  // Started items end, and the others are dropped.
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

test("0025: stores the look-back period of existing reviews", async () => {
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

test("0026: marks only unfinished rotation runs as possibly abandoned", async () => {
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

test("0037: keeps the last code of an authenticator app marked as used", async () => {
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

test("0044: the entries of an existing trail are listed in the order of the tree, with pending entries last", async () => {
  await migrate({ connection }, log, await upTo(43));
  // Entries 1 to 6 have positions in the order 1, 3, 2, 6; 4 is in quarantine, 5 is pending. Their ids are in the order
  // of their times.
  const idOf = (n: number) => `0190c0de-0000-7000-8000-00000000000${n}`;
  await client.query(`
    insert into audit_entries (id, at, event, actor_name, target_id, result, canonical)
    select ('0190c0de-0000-7000-8000-00000000000' || n)::uuid, '2026-11-21T09:40:00Z'::timestamptz + n * interval '10 minutes',
      'credential.revealed', 'rotation', 'thing', 'success', 'x'
    from generate_series(1, 6) n`);
  for (const [index, n] of [1, 3, 2, 6].entries()) {
    await client.query("insert into audit_leaves values ($1, $2, sha256('x'))", [index, idOf(n)]);
  }
  await client.query("insert into audit_quarantine values ($1, null, null, 'mac', now())", [idOf(4)]);
  await client.query("insert into audit_pending (entry_id) values ($1)", [idOf(5)]);
  await migrate({ connection }, log, await upTo(44));

  const { rows } = await client.query("select id, seq::int from audit_entries order by seq");
  // The entry recorded before entry 4 is entry 3, at the second position.
  assert.deepEqual(
    rows.map(({ id, seq }) => [Number(id.at(-1)), seq]),
    [
      [1, 1],
      [3, 2],
      [4, 3],
      [2, 4],
      [6, 5],
      [5, 6],
    ],
  );
  const { rows: pending } = await client.query("select entry_id, seq::int from audit_pending");
  assert.deepEqual(pending, [{ entry_id: idOf(5), seq: 6 }]);
  const { rows: hours } = await client.query(
    "select hour, first_seq::int, last_seq::int from audit_hours order by hour",
  );
  assert.deepEqual(hours, [
    { hour: new Date("2026-11-21T09:00:00Z"), first_seq: 1, last_seq: 1 },
    { hour: new Date("2026-11-21T10:00:00Z"), first_seq: 2, last_seq: 5 },
  ]);
  const { rows: next } = await client.query("select nextval('audit_seq')::int as seq");
  assert.deepEqual(next, [{ seq: 7 }]);
  await assert.rejects(client.query("update audit_entries set result = 'failure'"), /append-only/);
});

test("0048: a failed secret gets the outcome of its latest attempt that counts, and daily totals get their rejections", async () => {
  await migrate({ connection }, log, await upTo(47));
  const idOf = (n: number) => `0190c0de-0000-7000-8000-0000000000${String(n).padStart(2, "0")}`;
  const owner = idOf(0);
  await client.query(
    `insert into users (id, email, name, role, password_hash, created_at) values ($1, 'a@example.com', 'A', 'user', 'x', now())`,
    [owner],
  );
  const [unreached, refused, misconfigured, rejected, unknown, verified] = [1, 2, 3, 4, 5, 6].map(idOf);
  const add = (id = "", status = "failed", rejectedRevision: number | null = null) =>
    client.query(
      `insert into credentials (id, user_id, name, type, environment, ssl_enabled, additional_params, secret_version,
         verification_status, rejected_revision, search_text, search_keys, created_at, updated_at)
       values ($1, $2, 'A', 'postgresql', 'production', false, '{}', 1, $3, $4, 'a', '{}', now(), now())`,
      [id, owner, status, rejectedRevision],
    );
  for (const id of [unreached, refused, misconfigured, unknown]) await add(id);
  await add(rejected, "failed", 1);
  await add(verified, "verified");
  let attempts = 0;
  const attempt = (id = "", outcome = "", { code = null as string | null, isOutdated = false } = {}) =>
    client.query(
      `insert into verification_attempts (id, credential_id, user_id, revision, trigger, triggered_by, credential_name, type,
         method, started_at, lease_until, finished_at, outcome, code, is_outdated)
       values ($1, $2, $3, 1, 'manual', 'A', 'A', 'postgresql', 'login', $4::timestamptz, now(), now(), $5, $6, $7)`,
      [idOf(10 + ++attempts), id, owner, `2026-11-20T10:00:0${attempts}Z`, outcome, code, isOutdated],
    );
  await attempt(unreached, "rejected");
  await attempt(unreached, "unreachable");
  await attempt(refused, "rejected");
  await attempt(refused, "unreachable", { code: "interrupted" });
  await attempt(refused, "unreachable", { isOutdated: true });
  await attempt(misconfigured, "misconfigured");
  await attempt(verified, "rejected");
  const day = (type: string) =>
    client.query(
      `insert into validation_days (day, user_id, system_type, attempts, successes, duration_ms)
       values ('2026-11-20', $1, $2, 7, 0, 70)`,
      [owner, type],
    );
  await day("postgresql");
  await day("mysql");

  await migrate({ connection }, log, await upTo(48));

  const { rows } = await client.query("select id, verification_status as status from credentials order by id");
  assert.deepEqual(
    rows.map(({ id, status }) => [id, status]),
    [
      [unreached, "unreachable"],
      [refused, "rejected"],
      [misconfigured, "misconfigured"],
      [rejected, "rejected"],
      [unknown, "unreachable"],
      [verified, "verified"],
    ],
  );
  const { rows: days } = await client.query("select system_type, rejections from validation_days order by 1");
  assert.deepEqual(days, [
    { system_type: "mysql", rejections: 0 },
    { system_type: "postgresql", rejections: 3 },
  ]);
  await assert.rejects(client.query("update credentials set verification_status = 'failed'"), /status_check/);
});

test("0058: attempts that Strongroom did not finish become aborted, and attempts that the target did not answer stay", async () => {
  await migrate({ connection }, log, await upTo(57));
  const idOf = (n: number) => `0190c0de-0000-7000-8000-0000000000${String(n).padStart(2, "0")}`;
  // The migration reads nothing but these rows.
  await client.query("alter table verification_attempts drop constraint verification_attempts_credential_id_fkey");
  const codes = ["internal-error", "interrupted", "cancelled", "deleted", "timeout", null];
  await client.query(
    `insert into verification_attempts (id, credential_id, revision, trigger, triggered_by, credential_name, type,
       method, started_at, lease_until, finished_at, outcome, code)
     select id, $3, 1, 'scheduled', 'A', 'A', 'postgresql', 'login', now(), now(), now(), 'unreachable', code
     from unnest($1::uuid[], $2::text[]) as attempt (id, code)`,
    [codes.map((_, index) => idOf(index + 1)), codes, idOf(99)],
  );

  await migrate({ connection }, log, await upTo(58));

  const { rows } = await client.query("select code, outcome from verification_attempts order by id");
  assert.deepEqual(
    rows.map(({ outcome }) => outcome),
    ["aborted", "aborted", "aborted", "aborted", "unreachable", "unreachable"],
  );
  await assert.rejects(client.query("update verification_attempts set outcome = 'failed'"), /outcome_check/);
});

test("0186: keeps the dependents of an earlier version without a MAC, so that the first start binds them", async () => {
  await migrate({ connection }, log, await upTo(184));
  const idOf = (n: number) => `0190c0de-0000-7000-8000-00000000000${n}`;
  // The migration reads nothing but the dependent.
  await client.query(`
    alter table account_dependents drop constraint account_dependents_account_id_fkey,
      drop constraint account_dependents_added_by_fkey`);
  const config = { kind: "webhook", url: "https://example.com/hook" };
  await client.query(
    `insert into account_dependents (id, account_id, name, config, added_by, version, state, created_at)
     values ($1, $2, 'A webhook', $3, $4, 3, 'current', now())`,
    [idOf(1), idOf(2), JSON.stringify(config), idOf(3)],
  );

  await migrate({ connection }, log, await upTo(186));

  const { rows } = await client.query("select id, config, version, state, mac from account_dependents");
  assert.deepEqual(rows, [{ id: idOf(1), config, version: 3, state: "current", mac: null }]);
  await client.query("insert into dependent_mismatches values ($1, now())", [idOf(1)]);
  await client.query("delete from account_dependents");
  const { rows: mismatches } = await client.query("select from dependent_mismatches");
  assert.deepEqual(mismatches, [], "removing the dependent ends its alarm");
});

test("0185: findings that scans matched are hidden until the next scan reads their files again", async () => {
  await migrate({ connection }, log, await upTo(184));
  // The migration reads nothing but the rows below.
  await client.query(`
    do $$ declare each record; begin
      for each in select conrelid::regclass as owner, conname from pg_constraint where contype = 'f'
        and conrelid in ('findings'::regclass, 'finding_fixes'::regclass, 'discovery_targets'::regclass) loop
        execute format('alter table %s drop constraint %I', each.owner, each.conname);
      end loop;
    end $$`);
  const [target, account] = ["00000000-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000000002"];
  await client.query(
    `insert into discovery_targets (id, safe_id, name, target_type, connection_method, hostname, port, timeout_ms,
       credential_id, credential_safe_id, created_at, updated_at)
     values ($1, $2, 'A host', 'linux', 'ssh', 'db1', 22, 30000, $2, $2, now(), now())`,
    [target, account],
  );
  const rows: [path: string, kind: string, account: string | null, status: string][] = [
    ["/matched", "known_secret", account, "new"],
    ["/rotated", "password", account, "accepted"],
    ["/deleted", "known_secret", null, "new"],
    ["/fixed", "known_secret", account, "remediated"],
    ["/vaulted", "known_secret", account, "investigating"],
    ["/other", "password", null, "new"],
  ];
  for (const [path, kind, of, status] of rows) {
    await client.query(
      `insert into findings (id, target_id, identity, path, fingerprint, finding_type, class, detector, reason, confidence,
         status, risk_score, risk_factors, is_below_threshold, line, preview, context, file_owner, file_group, file_mode,
         file_modified_at, first_scan_id, last_scan_id, fixed_scan_id, created_at, last_seen_at, account_id)
       values (gen_random_uuid(), $1, $2, $2, md5($2), 'hardcoded_password', $3, 'assignment', 'A password.', 0.9, $4, 90,
         '[]', false, 0, '••••', '[]', 'root', 'root', '644', now(), gen_random_uuid(), gen_random_uuid(),
         case $4 when 'remediated' then gen_random_uuid() end, now(), now(), $5)`,
      [target, path, kind, status, of],
    );
    await client.query("insert into scan_files (target_id, path, stamp, engine) values ($1, $2, '', '')", [
      target,
      path,
    ]);
  }
  await client.query(`
    insert into finding_fixes (finding_id, account_id, is_new_account, version, settings, requested_by, created_at)
    select id, account_id, true, 1, '{}', 'A', now() from findings where path = '/vaulted'`);
  const counts = "select status, count::integer from finding_counts where count > 0 order by status";
  const before = (await client.query(counts)).rows;

  await migrate({ connection }, log, await upTo(185));

  const { rows: found } = await client.query(
    "select path, identity, match_account_id, hidden_from from findings order by path",
  );
  const matchOf = new Map(found.map(({ path, match_account_id }) => [path, match_account_id]));
  assert.deepEqual(
    ["/matched", "/rotated", "/fixed", "/vaulted", "/other"].map((path) => matchOf.get(path)),
    [account, account, account, null, null],
  );
  assert.match(matchOf.get("/deleted"), /^[0-9a-f-]{36}$/);
  for (const { path, identity, match_account_id, hidden_from } of found) {
    assert.equal(identity, match_account_id === null ? path : `${path}+${match_account_id}`);
    assert.equal(hidden_from, null);
  }
  const { rows: read } = await client.query("select path from scan_files order by path");
  assert.deepEqual(
    read.map(({ path }) => path),
    ["/fixed", "/other", "/vaulted"],
  );
  assert.deepEqual((await client.query(counts)).rows, before);
});
