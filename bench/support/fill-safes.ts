// Fills safes with users, groups and accounts, directly in the tables: 25 users per group and 50 accounts per safe; each safe has
// an owner, three more users and a group. The secrets of these accounts cannot be retrieved.
import pg from "pg";
import { searchKeys, searchText } from "../../apps/server/src/features/secrets/index.ts";

export interface Population {
  users: number;
  safes: number;
  accounts: number;
}

/** The id of the safe with this number. */
export const safeId = (number: number): string => `be0c3000-0000-4000-8000-${String(number).padStart(12, "0")}`;

/** Adds a user to the first safes and to the first group. */
export async function joinSafes(databaseUrl: string, userId: string, count: number, role: "user" | "manager") {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    "insert into group_members select id, $1, now() from groups where name = 'Group 0' on conflict do nothing",
    [userId],
  );
  await client.query(
    `insert into safe_members
     select gen_random_uuid(), safe, $1, null, $3, $4, null, now(), null from unnest($2::uuid[]) safe on conflict do nothing`,
    [userId, Array.from({ length: count }, (_, number) => safeId(number)), role, role === "manager" ? 3583 : 7],
  );
  await client.end();
}

/** Adds the data between two sizes and keeps existing data. */
export async function fillSafes(databaseUrl: string, from: Population, to: Population): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const run = (text: string, values: unknown[] = []) => client.query(text, values);
  const id = (kind: number, number: string): string =>
    `('be0c${kind}000-0000-4000-8000-' || lpad((${number})::text, 12, '0'))::uuid`;
  const groups = (people: number) => Math.ceil(people / 25);
  await run(
    `insert into users (id, email, name, role, password_hash, created_at)
     select ${id(1, "n")}, 'person' || n || '@bench.example.com', 'Person ' || n, 'user', '', now()
     from generate_series($1::int, $2::int - 1) n`,
    [from.users, to.users],
  );
  await run(
    `insert into groups select ${id(2, "n")}, 'Group ' || n, null, (array['group', 'team', 'department'])[n % 3 + 1], false, now()
     from generate_series($1::int, $2::int - 1) n`,
    [groups(from.users), groups(to.users)],
  );
  await run(
    `insert into group_members select ${id(2, "n / 25")}, ${id(1, "n")}, now() from generate_series($1::int, $2::int - 1) n
     on conflict do nothing`,
    [from.users, to.users],
  );
  await run(
    `insert into safes (id, name, description, safe_type, access_level, owner_id, created_at, updated_at)
     select ${id(3, "n")}, (array['Billing', 'Payroll', 'Website', 'Archive'])[n % 4 + 1] || ' ' || n, null, 'standard',
       case when n % 20 = 7 then 'public' when n % 10 = 3 then 'team' when n % 10 = 5 then 'department' else 'private' end,
       ${id(1, "(n::bigint * 7919 % $3::int)")}, now(), now()
     from generate_series($1::int, $2::int - 1) n`,
    [from.safes, to.safes, to.users],
  );
  await run(
    `insert into safe_members
     select gen_random_uuid(), ${id(3, "n")}, ${id(1, "((n::bigint * 7919 + place * 31) % $3::int)")}, null,
       case place when 0 then 'owner' when 1 then 'manager' else 'user' end,
       case place when 0 then 32767 when 1 then 3583 else 7 end, null, now(), null
     from generate_series($1::int, $2::int - 1) n, generate_series(0, 3) place on conflict do nothing`,
    [from.safes, to.safes, to.users],
  );
  await run(
    `insert into safe_members
     select gen_random_uuid(), ${id(3, "n")}, null, ${id(2, "(n % $3::int)")}, 'user', 7, null, now(), null
     from generate_series($1::int, $2::int - 1) n`,
    [from.safes, to.safes, groups(to.users)],
  );
  await fillAccounts(client, from, to, id);
  await run("analyze");
  await client.end();
}

const BATCH = 2_000;

/** Adds the same search keys as the product. */
async function fillAccounts(
  client: pg.Client,
  from: Population,
  to: Population,
  id: (kind: number, number: string) => string,
): Promise<void> {
  for (let begin = from.accounts; begin < to.accounts; begin += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, to.accounts - begin) }, (_, place) => begin + place);
    await client.query(
      `insert into credentials (id, safe_id, name, type, username, host, port, environment, ssl_enabled,
         additional_params, secret_version, verification_status, created_at, updated_at, search_text, search_keys)
       select ${id(4, "n")}, ${id(3, "$1::int + (n - $2::int) / 50")}, name, 'ssh', username, host, 22, 'production',
         false, '{}', 1, 'pending', timestamptz '2026-01-01' + n * interval '1 second', now(),
         lower(name) || E'\\n' || username || E'\\n' || host, keys::integer[]
       from jsonb_to_recordset($3::jsonb) as t (n int, name text, username text, host text, keys text)`,
      [from.safes, from.accounts, JSON.stringify(numbers.map(accountWith))],
    );
  }
  await client.query(
    `insert into accounts (id, platform_id, system_type, connection_method, status, rotated_at, created_by)
     select ${id(4, "n")}, (select id from platforms where name = 'Linux'), 'Linux', 'SSH', 'active', now(), ${id(1, "0")}
     from generate_series($1::int, $2::int - 1) n`,
    [from.accounts, to.accounts],
  );
}

function accountWith(n: number) {
  const named = {
    name: `root on web${String(n).padStart(6, "0")}`,
    username: `svc_${n % 977}`,
    host: `web${n % 500}.example.com`,
  };
  const search_text = searchText([named.name, named.username, named.host]);
  const kind = { user_id: null, search_text, type: "ssh", environment: "production", verification_status: "pending" };
  return { n, ...named, keys: `{${searchKeys(kind).join(",")}}` };
}
