// Fills the tables of scans for tests of their orders.
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { TestPerson } from "#testing/people.ts";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { DiscoveryWorld } from "./discovery-world.ts";

export const TABLES = ["discovery_scans", "scans"] as const;
type Table = (typeof TABLES)[number];

interface NewScan {
  target: string;
  status: string;
  /** Seconds before now. */
  age: number;
  /** Seconds; null for a scan that has not ended. */
  took: number | null;
  found: number;
}

/** Inserts a scan that nothing runs. */
export async function insertScan({ app }: DiscoveryWorld, table: Table, scan: NewScan): Promise<void> {
  const { target, status, age, took, found } = scan;
  const [others, values] =
    table === "scans"
      ? [
          "scan_type, config, frameworks, auto_vault, requester_id, findings_discovered",
          `'enhanced', '{}', '{}', false, gen_random_uuid(), $5`,
        ]
      : ["include_system_accounts, timeout_ms, max_accounts, accounts_discovered", "false, 30000, 1000, $5"];
  await app.database.pool.query(
    `insert into ${table} (id, target_id, status, requested_by, created_at, started_at, completed_at, ${others})
     select gen_random_uuid(), $1, $2, 'a test', at, case when $2 <> 'pending' then at end,
       at + $4 * interval '1 second', ${values}
     from date_trunc('milliseconds', now() - $3 * interval '1 second') at`,
    [target, status, age, took, found],
  );
}

/** 100,000 scans of 500 copies of the target, which must be the only one. */
export async function fillScans({ app }: DiscoveryWorld, table: Table): Promise<void> {
  const { pool } = app.database;
  await pool.query(
    `insert into discovery_targets (id, safe_id, name, target_type, connection_method, hostname, port, timeout_ms,
       credential_id, credential_safe_id, is_active, created_at, updated_at)
     select gen_random_uuid(), safe_id, 'host ' || number, target_type, connection_method, hostname, port, timeout_ms,
       credential_id, credential_safe_id, true, created_at, updated_at
     from discovery_targets, generate_series(1, 499) number`,
  );
  const [others, values] =
    table === "scans"
      ? [
          "scan_type, config, frameworks, auto_vault, requester_id, findings_discovered",
          `'enhanced', '{}', '{}', false, gen_random_uuid(), number * 7 % 100`,
        ]
      : [
          "include_system_accounts, timeout_ms, max_accounts, accounts_discovered",
          "false, 30000, 1000, number * 7 % 100",
        ];
  await pool.query(
    `insert into ${table} (id, target_id, status, requested_by, created_at, started_at, completed_at, ${others})
     select gen_random_uuid(), target.id, (array['completed', 'failed', 'cancelled'])[1 + number % 3], 'a test', at,
       at + interval '1 second', at + interval '1 second' + number * interval '37 milliseconds', ${values}
     from discovery_targets target, generate_series(1, 200) number,
       lateral (select now() - interval '1 day' - number * interval '1 hour' as at) moment`,
  );
  await pool.query("analyze");
}

export const actorOf = ({ id, email }: TestPerson): Actor =>
  ({ id, name: email, role: "manager", token: null }) as Actor;

/** The plan of the query, as text. */
export async function planOf(db: Db, query: RawBuilder<unknown>): Promise<string> {
  const { rows } = await sql<{ "QUERY PLAN": string }>`explain ${query}`.execute(db);
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
}
