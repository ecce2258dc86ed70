// Adds verification data to the accounts of `fillSafes`: their status, attempts of the last days, and active grants, directly in
// the tables.
import pg from "pg";

export interface Verified {
  /** Every account is verified once a day. */
  days: number;
  /** One account in this many fails verification. */
  failingOneIn: number;
  /** One account in this many has an active grant. */
  grantedOneIn: number;
}

export async function fillAttempts(databaseUrl: string, { days, failingOneIn, grantedOneIn }: Verified): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const place = "(right(credentials.id::text, 12))::int";
  await client.query(
    `update credentials set last_verification_attempt = now() - (${place} % 1440) * interval '1 minute',
       verification_status = case when ${place} % ($1 * 2) = 0 then 'rejected' when ${place} % $1 = 0 then 'unreachable'
         else 'verified' end,
       verification_error = case when ${place} % $1 = 0 then 'The server refused the password.' end,
       rejected_revision = case when ${place} % ($1 * 2) = 0 then login_revision end,
       verified_at = case when ${place} % $1 = 0 then now() - interval '40 days' else now() end,
       verify_after = now() + interval '1 day'
     where safe_id is not null and ${place} % 50 <> 49`,
    [failingOneIn],
  );
  for (let day = 0; day < days; day++) {
    await client.query(
      `insert into verification_attempts (id, credential_id, revision, trigger, triggered_by, credential_name, type, host,
         username, method, started_at, lease_until, finished_at, outcome, code, message, duration_ms)
       select gen_random_uuid(), id, 1, 'scheduled', 'Strongroom', name, type, host, username, 'linux', at, at, at,
         verification_status, null, 'said', 120
       from credentials cross join lateral (
         select date_trunc('milliseconds', last_verification_attempt - $1 * interval '1 day') as at) tried
       where safe_id is not null and last_verification_attempt is not null order by at`,
      [day],
    );
  }
  await client.query(
    `insert into access_requests (id, user_id, account_id, resource, reason, duration_minutes, state, starts_at, ends_at, created_at)
     select gen_random_uuid(), safes.owner_id, credentials.id, credentials.name, 'To restart the queue', 600, 'granted',
       now() - interval '1 hour', now() + interval '9 hours', now()
     from credentials join safes on safes.id = credentials.safe_id where ${place} % $1 = 0`,
    [grantedOneIn],
  );
  await client.query("vacuum analyze");
  await client.end();
}
