// Fills a vault with many credentials of one owner, directly in the tables, because the API would take minutes. Their secrets
// cannot be revealed.
import { randomUUID } from "node:crypto";
import pg from "pg";
import { searchKeys, searchText } from "../../apps/server/src/features/secrets/index.ts";

const BATCH = 2_000;
const TYPES = ["postgresql", "mysql", "ssh", "password", "api_token"] as const;
const ENVIRONMENTS = ["production", "staging", "development"] as const;

export async function fillVault(databaseUrl: string, ownerId: string, count: number, from = 0): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  for (let begin = 0; begin < count; begin += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, count - begin) }, (_, place) =>
      rowOf(ownerId, from + begin + place),
    );
    await client.query(
      `insert into credentials (id, user_id, name, type, username, host, port, environment, ssl_enabled, additional_params,
         secret_version, created_at, updated_at, search_text, search_keys)
       select id, $1, name, type, username, host, 5432, environment, false, '{}', 1, created_at, created_at,
         lower(name) || E'\\n' || lower(username), keys::integer[]
       from jsonb_to_recordset($2::jsonb) as t
         (id uuid, name text, type text, username text, host text, environment text, created_at timestamptz, keys text)`,
      [ownerId, JSON.stringify(rows)],
    );
  }
  await client.query("analyze credentials");
  await client.end();
}

function rowOf(ownerId: string, number: number) {
  const name = `${["Billing", "Payroll", "Website", "Archive"][number % 4]} database ${String(number).padStart(6, "0")}`;
  const username = `svc_${number % 977}`;
  const findable = {
    user_id: ownerId,
    search_text: searchText([name, username]),
    type: TYPES[number % TYPES.length]!,
    environment: ENVIRONMENTS[number % ENVIRONMENTS.length]!,
    verification_status: "pending",
  };
  return {
    ...findable,
    id: randomUUID(),
    name,
    username,
    host: `db${number % 500}.example.com`,
    created_at: new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString(),
    keys: `{${searchKeys(findable).join(",")}}`,
  };
}
