// Fills discovery with many targets and accounts, directly in the tables.
import pg from "pg";

export interface Filled {
  safeId: string;
  credentialId: string;
}

/** Adds the accounts with numbers from `from` to `to`, 500 to a target, 1 in 20 privileged, 1 in 1,000 missing. */
export async function fillDiscovered(databaseUrl: string, { safeId, credentialId }: Filled, from: number, to: number) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const id = (kind: string, number: string) =>
    `('be0c${kind}000-0000-4000-8000-' || lpad((${number})::text, 12, '0'))::uuid`;
  await client.query(
    `insert into discovery_targets (id, safe_id, name, target_type, connection_method, hostname, port, timeout_ms,
       credential_id, credential_safe_id, created_at, updated_at)
     select ${id("7", "n")}, $1, 'host ' || n, 'linux', 'ssh', 'host' || n || '.example.com', 22, 30000, $2, $1, now(), now()
     from generate_series($3::integer / 500, ($4::integer - 1) / 500) n on conflict do nothing`,
    [safeId, credentialId, from, to],
  );
  // One build of the search index is faster than a million additions to it.
  await client.query("set maintenance_work_mem = '512MB'; set synchronous_commit = off; set jit = off");
  const { rows } = await client.query(
    "select indexdef from pg_indexes where indexname = 'discovered_accounts_by_text' and schemaname = current_schema()",
  );
  await client.query("drop index discovered_accounts_by_text");
  await client.query(
    `insert into discovered_accounts (id, target_id, identity, account_name, hostname, system_type, status, is_privileged,
       is_locked, facts, changes, discovered_at, last_seen_at, missing_since, scan_id, last_scan_id)
     select ${id("8", "n")}, ${id("7", "n / 500")}, 'user' || n, 'user' || n, 'host' || n / 500 || '.example.com', 'linux',
       case n % 4 when 0 then 'active' when 1 then 'rejected' else 'pending_approval' end, n % 20 = 0, n % 9 = 0,
       '{"uid": 1000, "shell": "/bin/bash", "groups": ["users"]}', '[]', now() - n * interval '1 second', now(),
       case when n % 1000 = 3 then now() end,
       ${id("9", "n / 500")}, ${id("9", "n / 500")}
     from generate_series($1::integer, $2::integer - 1) n`,
    [from, to],
  );
  await client.query(rows[0].indexdef);
  await client.query(
    `insert into discovered_privileges (target_id, identity, position, kind, path, detail, needs_password, is_full)
     select ${id("7", "n / 500")}, 'user' || n, 0, 'sudo-all', '[]', '[]', false, true
     from generate_series($1::integer, $2::integer - 1) n where n % 20 = 0`,
    [from, to],
  );
  // Each key opens the same account on five targets; the first account of each target holds the next target's key.
  await client.query(
    `insert into discovered_keys (target_id, position, relation, identity, fingerprint, place, options, is_encrypted, read_by)
     select ${id("7", "n / 500")}, n % 500, 'opens', 'user' || n,
       'SHA256:' || rpad(((n / 2500) * 500 + n % 500)::text, 43, 'A'), '/home/u/.ssh/authorized_keys:1', '[]', null, null
     from generate_series($1::integer, $2::integer - 1) n where n % 10 = 0`,
    [from, to],
  );
  await client.query(
    `insert into discovered_keys (target_id, position, relation, identity, fingerprint, place, options, is_encrypted, read_by)
     select ${id("7", "t")}, 1000, 'held', 'user' || t * 500, 'SHA256:' || rpad((((t + 5) / 5) * 500)::text, 43, 'A'),
       '/root/.ssh/id_ed25519', '[]', false, 'owner'
     from generate_series($1::integer / 500, ($2::integer - 1) / 500) t where t % 5 = 0`,
    [from, to],
  );
  await client.query(
    "vacuum analyze discovered_accounts, discovered_counts, discovery_targets, discovered_keys, discovered_privileges",
  );
  await client.end();
}
