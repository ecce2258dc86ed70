// A world with affected items behind most risk factors: accounts, a scanned target and its findings.
import { aWorld } from "#features/validation/testing/world.ts";
import type { World } from "#features/validation/testing/world.ts";
import type { TestApp } from "#testing/test-app.ts";

export interface RiskyWorld {
  world: World;
  targetId: string;
}

export async function aRiskyWorld(app: TestApp): Promise<RiskyWorld> {
  const world = await aWorld(app);
  const { safe, works, lent } = world;
  const { pool } = app.database;
  await pool.query("update accounts set rotated_at = now() - interval '200 days' where id = any($1)", [
    [works.id, lent.id],
  ]);
  await pool.query("update credentials set expires_at = now() + interval '5 days' where id = $1", [works.id]);
  for (const account of [works, lent])
    await pool.query(
      "insert into known_secrets (secret_id, version, fingerprint, forms) values ($1, 1, 'same', '[]') on conflict (secret_id) do update set fingerprint = 'same'",
      [account.id],
    );
  const targetId = crypto.randomUUID();
  await pool.query(
    `insert into discovery_targets (id, safe_id, name, target_type, connection_method, hostname, port, timeout_ms,
       credential_id, credential_safe_id, created_at, updated_at)
     values ($1, $2, 'Works', 'linux', 'ssh', 'works.example.com', 22, 30000, $3, $2, now(), now())`,
    [targetId, safe.id, works.id],
  );
  await pool.query(
    `insert into discovered_accounts (id, target_id, identity, account_name, hostname, system_type, status,
       is_privileged, is_locked, facts, changes, discovered_at, last_seen_at, scan_id, last_scan_id)
     select gen_random_uuid(), $1, name, name, 'works.example.com', 'linux', 'pending_approval',
       name <> 'guest', false, '{}', '[]', now(), now(), $1, $1
     from unnest(array['root', 'toor', 'guest']) name`,
    [targetId],
  );
  await pool.query(
    `insert into scans (id, target_id, scan_type, status, config, frameworks, auto_vault, requester_id, requested_by,
       created_at, completed_at)
     values ($1, $1, 'enhanced', 'completed', '{}', '{}', false, $1, 'test', now(), now())`,
    [targetId],
  );
  await pool.query(
    `insert into findings (id, target_id, identity, path, finding_type, class, detector, reason, confidence, status,
       risk_score, risk_factors, is_below_threshold, line, preview, context, file_owner, file_group, file_mode,
       file_modified_at, first_scan_id, last_scan_id, created_at, last_seen_at)
     select gen_random_uuid(), $1, score || status, '/etc/' || score, 'hardcoded_password', 'password', 'test', 'test',
       1, status, score, '[]', false, 1, '****', '[]', 'root', 'root', '0644', now(), $1, $1, now(), now()
     from (values (90, 'new'), (65, 'investigating'), (50, 'new'), (95, 'accepted')) as rows (score, status)`,
    [targetId],
  );
  await pool.query(
    `insert into findings (id, target_id, identity, path, finding_type, class, detector, reason, confidence, status,
       risk_score, risk_factors, is_below_threshold, line, preview, context, file_owner, file_group, file_mode,
       file_modified_at, first_scan_id, last_scan_id, created_at, last_seen_at)
     select gen_random_uuid(), $1, reason, '/etc/ssl/' || row_number() over (), type, class, 'test', reason, 1, 'new',
       38, '[]', true, 1, '****', '[]', 'root', 'root', '0644', now(), $1, $1, now(), now()
     from (values ('certificate', 'certificate', 'It expired on 2026-01-31. It is self-signed.'),
       ('certificate', 'certificate', 'It is self-signed.')) as rows (type, class, reason)`,
    [targetId],
  );
  return { world, targetId };
}
