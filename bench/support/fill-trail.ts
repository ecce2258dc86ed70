// Fills the audit trail with a year of entries, directly in the tables: 5,000 users and a machine identity that makes a fifth of all
// calls, 100,000 accounts, 24 kinds of events. Entries are not sequenced: the sequencer would not sign unknown entries.
import pg from "pg";

const EVENTS = 24;

export const busyActor = "be0c5000-0000-4000-8000-000000000000";
export const aPerson = "be0c5000-0000-4000-8000-000000001234";
export const anAccount = "be0c6000-0000-4000-8000-000000054321";

/** Rows per statement; two connections work in parallel, since generating a row costs more than storing it. */
const BATCH = 250_000;
const CONNECTIONS = 2;
/** The data need not survive a power cut, and indexes are built in memory at the end. */
const IN_A_HURRY = `set synchronous_commit = off; set maintenance_work_mem = '1GB'; set work_mem = '1GB';
  set max_parallel_maintenance_workers = 2`;

/** Extends the trail from `from` to `to` entries and prints progress. */
export async function fillTrail(databaseUrl: string, from: number, to: number): Promise<void> {
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => connected(databaseUrl)));
  const run: Run = (text, values = []) => clients[0]!.query(text, values);
  const started = performance.now();
  const say = (what: string): void => console.log(`${Math.round((performance.now() - started) / 1000)} s: ${what}`);
  const { rows: indexes } = await run(
    "select indexname, indexdef from pg_indexes where tablename = 'audit_entries' and indexname not like '%pkey'",
  );
  await run("select setval('audit_seq', greatest(nextval('audit_seq'), $1))", [LAST_SEQ + 1]);
  for (const { indexname } of indexes) await run(`drop index ${indexname}`);
  let end = to;
  let done = from;
  const work = async (client: pg.Client): Promise<void> => {
    while (end > from) {
      const [begin, before] = [Math.max(from, end - BATCH), end];
      end = begin;
      await insert((text, values = []) => client.query(text, values), begin, before, to);
      done += before - begin;
      say(`${done.toLocaleString("en")} of ${to.toLocaleString("en")} entries`);
    }
  };
  await Promise.all(clients.map(work));
  for (const { indexname, indexdef } of indexes) {
    await run(indexdef);
    say(`index ${indexname}`);
  }
  await count(run);
  if (from === 0) await name(run);
  say("counted");
  for (const table of ["audit_entries", "audit_counts", "audit_hours", "audit_names"])
    await run(`vacuum analyze ${table}`);
  say("analysed");
  for (const client of clients) await client.end();
}

async function connected(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(IN_A_HURRY);
  return client;
}

type Run = (text: string, values?: unknown[]) => Promise<pg.QueryResult>;

/** Counts by hour first: the counts of days and of the century are sums of these. The key is created at the end. */
async function count(run: Run): Promise<void> {
  await run("begin");
  await run("alter table audit_counts drop constraint audit_counts_pkey");
  await run("truncate audit_counts");
  await run(`
    insert into audit_counts
    select 'hour', date_trunc('hour', at, 'UTC'), event, result, coalesce(severity, 'low'), grant_id is not null, count(*)
    from audit_entries group by 1, 2, 3, 4, 5, 6`);
  for (const span of ["day", "century"]) {
    await run(
      `insert into audit_counts
       select $1, date_trunc($1, since, 'UTC'), event, result, severity, is_jit, sum(entries)
       from audit_counts where span = 'hour' group by 1, 2, 3, 4, 5, 6`,
      [span],
    );
  }
  await run("alter table audit_counts add primary key (span, since, event, result, severity, is_jit)");
  await run("truncate audit_hours");
  await run(`
    insert into audit_hours
    select date_trunc('hour', at, 'UTC'), min(seq), max(seq) from audit_entries group by 1`);
  await run("commit");
}

/** Keeps generated entries before any entry that the server records later in list order. */
const LAST_SEQ = 1_000_000_000;

/** Oldest first, in list order, spread over a year that ends now. Later additions precede existing entries, so ids never collide. */
const insert = (run: Run, begin: number, end: number, total: number) =>
  run(
    `insert into audit_entries (seq, id, at, event, actor_id, actor_name, target_type, target_id, result, severity, grant_id, canonical)
     select ${LAST_SEQ} - n, id, at, event, actor_id, 'Person ' || actor, 'account', target_id, result, severity, grant_id,
       convert_to(format('{"actor":{"id":"%s","name":"Person %s","role":"user","session":"be0c9000-0000-4000-8000-000000000000"},'
         || '"at":"%s","details":{"host":"host%s.example.com","message":"logged in within 120 ms"},"event":"%s","id":"%s",'
         || '"request":{"agent":"Mozilla/5.0 (X11; Linux x86_64)","id":"be0ca000-0000-4000-8000-000000000000","ip":"192.0.2.7"},'
         || '"result":"%s","target":{"id":"%s","name":"account %s","type":"account"},"v":1}',
         actor_id, actor, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), target, event, id, result, target_id,
         target), 'UTF8')
     from (
       select date_trunc('milliseconds', now() - interval '365 days' * ((n + 0.5) / $3::float8)) as at, n,
         case when n % 5 = 0 then 0 else (n * 7919 % 5000)::int end as actor, (n * 104729 % 100000)::int as target,
         case when n % 3 = 0 then 'account.validated' when n % 7 = 0 then 'account.retrieved'
           else 'event.number-' || (n * 31 % ${EVENTS})::text end as event,
         case when luck < 400 then 'failure' when luck < 600 then 'info' when luck < 700 then 'warning' else 'success' end as result,
         case when luck < 4 then 'critical' when luck < 24 then 'high' when luck < 400 or luck between 600 and 699 then 'medium' end
           as severity,
         case when n % 10 = 0 then ('be0c7000-0000-4000-8000-' || lpad((n % 20000)::text, 12, '0'))::uuid end as grant_id
       from generate_series($2::bigint - 1, $1::bigint, -1) n, lateral (select (n * 48271 % 9973)::int as luck) thrown
     ) made
     cross join lateral (select
       (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0') || '8' ||
         lpad(to_hex(n), 15, '0'))::uuid as id,
       ('be0c5000-0000-4000-8000-' || lpad(actor::text, 12, '0'))::uuid as actor_id,
       'be0c6000-0000-4000-8000-' || lpad(target::text, 12, '0') as target_id) named`,
    [begin, end, total],
  );

const name = (run: Run) =>
  run(`
    insert into audit_names
    select 'actor', 'be0c5000-0000-4000-8000-' || lpad(n::text, 12, '0'), 'person ' || n from generate_series(0, 4999) n
    union all
    select 'target', 'be0c6000-0000-4000-8000-' || lpad(n::text, 12, '0'), 'account ' || n from generate_series(0, 99999) n
    union all
    select 'target', 'be0c6000-0000-4000-8000-' || lpad(n::text, 12, '0'), 'host' || n || '.example.com' from generate_series(0, 99999) n
    union all
    select 'event', 'event.number-' || n, 'event number ' || n || ' event.number-' || n from generate_series(0, ${EVENTS - 1}) n
    on conflict do nothing`);
