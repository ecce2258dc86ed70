// Stops a rotation or a dependent's update at any write of its journal, from inside the database: at the end of the transaction,
// before the commit. The product contains no code for this.
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";

/** The first advisory lock key; nothing else locks keys from this number on. */
const FIRST_KEY = 1_850_000_000;
const POLL_MS = 20;

/** The main table of a journal, its owner column, and the column that names a write. */
export interface JournalTable {
  name: "rotations" | "account_dependents";
  owner: "credential_id" | "account_id";
  step: "step" | "state";
}

export const ROTATIONS: JournalTable = { name: "rotations", owner: "credential_id", step: "step" };

const sqlFor = ({ name, owner, step }: JournalTable) => `
  create table gate_points (owner_id uuid, number int, key int);
  create table gate_writes (owner_id uuid, number int, what text);
  create function gate_stop() returns trigger language plpgsql as $$
    declare place int; held int;
    begin
      select count(*) + 1 into place from gate_writes where owner_id = new.${owner};
      insert into gate_writes values (new.${owner}, place,
        case when tg_op = 'INSERT' then 'requested'
          when new.lease_token is not null and new.lease_token is distinct from old.lease_token then 'claimed'
          else new.${step} end);
      select key into held from gate_points where owner_id = new.${owner} and number = place;
      if held is not null then perform pg_advisory_xact_lock(held); end if;
      return null;
    end $$;
  create constraint trigger gate after insert or update on ${name} deferrable initially deferred
    for each row execute function gate_stop()`;

export interface Gate {
  /** The journal writes of a credential or account, in order. */
  writes(ownerId: string): Promise<string[]>;
  /** Closes the gate at one of those writes, which are counted from 1. */
  close(ownerId: string, number: number): Promise<ClosedGate>;
  /** Expires the leases on these records, as if their time were over. */
  expireLeases(ownerIds: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

interface ClosedGate {
  /** Resolves when a transaction waits at the gate. */
  reached(): Promise<void>;
  /** Lets the waiting transaction commit, even if its client is gone. */
  open(): Promise<void>;
  /** Rolls back the waiting transaction. */
  abort(): Promise<void>;
}

export async function openGate(databaseUrl: string, table: JournalTable): Promise<Gate> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(sqlFor(table));
  let nextKey = FIRST_KEY;
  // The locks belong to this session, which runs one query at a time.
  let last: Promise<unknown> = Promise.resolve();
  const query: Query = (text, values = []) => {
    const asked = last.then(() => client.query<never>(text, values));
    last = asked.catch(() => {});
    return asked;
  };

  const waiting = async (key: number): Promise<number | null> => {
    const { rows } = await query<{ pid: number }>(
      "select pid from pg_locks where locktype = 'advisory' and objid = $1::bigint::oid and not granted",
      [key],
    );
    return rows[0]?.pid ?? null;
  };

  return {
    async writes(ownerId) {
      const { rows } = await query<{ what: string }>(
        "select what from gate_writes where owner_id = $1 order by number",
        [ownerId],
      );
      return rows.map(({ what }) => what);
    },

    async close(ownerId, number) {
      const key = nextKey++;
      await query("select pg_advisory_lock($1::bigint)", [key]);
      await query("insert into gate_points values ($1, $2, $3)", [ownerId, number, key]);
      const over = new AbortController();
      const open = async () => {
        over.abort();
        await query("delete from gate_points where key = $1", [key]);
        await query("select pg_advisory_unlock($1::bigint)", [key]);
      };
      return {
        async reached() {
          while (!over.signal.aborted && (await waiting(key)) === null) await delay(POLL_MS);
        },
        async open() {
          const pid = await waiting(key);
          await open();
          if (pid !== null) await gone(query, pid);
        },
        async abort() {
          const pid = await waiting(key);
          if (pid !== null) {
            await query("select pg_terminate_backend($1)", [pid]);
            await gone(query, pid);
          }
          await open();
        },
      };
    },

    async expireLeases(ownerIds) {
      for (const { name, owner } of table === ROTATIONS ? [table] : [ROTATIONS, table]) {
        await query(
          `update ${name} set lease_until = clock_timestamp() where ${owner} = any($1::uuid[]) and lease_until > clock_timestamp()`,
          [ownerIds],
        );
      }
    },

    stop: () => client.end(),
  };
}

type Query = <Row extends pg.QueryResultRow = never>(text: string, values?: unknown[]) => Promise<pg.QueryResult<Row>>;

/** Waits until the connection has ended, and with it the transaction. */
async function gone(query: Query, pid: number): Promise<void> {
  for (;;) {
    const { rowCount } = await query("select from pg_stat_activity where pid = $1 and state <> 'idle'", [pid]);
    if (rowCount === 0) return;
    await delay(POLL_MS);
  }
}
