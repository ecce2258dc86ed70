// Simulates every change that the database's owner can make to the audit trail, with and without a running server, and
// tests how and when it is detected. `docs/threat-model.md` has the same table; the last test in this file compares the
// two.
import { readCheckpoint } from "@strongroom/contract";
import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, describe, it } from "node:test";
import { sql } from "kysely";
import { audited, restarted } from "#testing/audited.ts";
import type { Audited } from "#testing/audited.ts";

const opened: Audited[] = [];
async function aTrail(): Promise<Audited> {
  const trail = await audited();
  opened.push(trail);
  await trail.recordInBatches(10, 50, 40);
  await trail.record(1, {
    target: { type: "credential", id: "0190c0de-0000-7000-8000-0000000000cc", name: "Billing" },
  });
  await trail.audit.sequence();
  return trail;
}
async function again(trail: Audited): Promise<Audited> {
  const next = await restarted(trail);
  opened.splice(opened.indexOf(trail), 1, next);
  return next;
}
afterEach(async () => {
  for (const trail of opened.splice(0)) await trail.close();
});

/**
 * How a change is detected. `next check`: within a second, by any running process. `start`: before the first signature.
 */
type Finder = "next check" | "start" | "verify" | "witness only";
interface Kind {
  sql: string[];
  /** While a server that knows the newest checkpoint is running. */
  live: Finder;
  /** What finds the tampering at the next start with the same data folder. */
  stopped: Finder;
}

const entryAt = (index: number) => `(select entry_id from audit_leaves where leaf_index = ${index})`;
const aForgery = (id: string) => [
  `insert into audit_entries (id, at, event, actor_name, result, canonical)
   select '${id}', at, event, actor_name, result,
     convert_to(replace(convert_from(canonical, 'UTF8'), id::text, '${id}'), 'UTF8')
   from audit_entries limit 1`,
];
const FORGED = "0190c0de-0000-7000-8000-000000000001";
const cut = (size: number) => [
  `delete from audit_entries where id in (select entry_id from audit_leaves where leaf_index >= ${size})`,
  `delete from audit_leaves where leaf_index >= ${size}`,
  `delete from audit_nodes where (index + 1) << level > ${size}`,
  `delete from audit_checkpoints where size > ${size}`,
];
const COUNTED_ANEW = [
  "delete from audit_counts",
  `insert into audit_counts (span, since, event, result, severity, is_jit, entries)
   select span, date_trunc(span, entry.at, 'UTC'), entry.event, entry.result, coalesce(entry.severity, 'low'),
     entry.grant_id is not null, count(*)
   from audit_leaves leaf join audit_entries entry on entry.id = leaf.entry_id, unnest(array['hour', 'day', 'century']) span
   group by 1, 2, 3, 4, 5, 6`,
];

const kinds: Record<string, Kind> = {
  "delete an entry": {
    sql: [`delete from audit_entries where id = ${entryAt(41)}`],
    live: "verify",
    stopped: "verify",
  },
  "delete an entry and its leaf": {
    sql: [`delete from audit_entries where id = ${entryAt(41)}`, "delete from audit_leaves where leaf_index = 41"],
    live: "verify",
    stopped: "verify",
  },
  "delete only a leaf": { sql: ["delete from audit_leaves where leaf_index = 41"], live: "verify", stopped: "verify" },
  "change an entry": {
    sql: [
      `update audit_entries set canonical = replace(convert_from(canonical, 'UTF8'), 'rotation', 'somebody')::bytea
       where id = ${entryAt(41)}`,
    ],
    live: "verify",
    stopped: "verify",
  },
  "change an entry and its leaf hash": {
    sql: [
      `update audit_entries set canonical = replace(convert_from(canonical, 'UTF8'), 'rotation', 'somebody')::bytea
       where id = ${entryAt(41)}`,
      `update audit_leaves set leaf_hash = sha256('\\x00'::bytea || (select canonical from audit_entries where id = entry_id))
       where leaf_index = 41`,
    ],
    live: "verify",
    stopped: "verify",
  },
  "change the listed columns of an entry": {
    sql: [`update audit_entries set actor_name = 'somebody' where id = ${entryAt(41)}`],
    live: "verify",
    stopped: "verify",
  },
  "swap the contents of two entries": {
    sql: [
      `update audit_entries one set canonical = other.canonical from audit_entries other where one.id <> other.id
       and one.id in (${entryAt(41)}, ${entryAt(77)}) and other.id in (${entryAt(41)}, ${entryAt(77)})`,
    ],
    live: "verify",
    stopped: "verify",
  },
  "swap two leaves": {
    sql: [
      "update audit_leaves set leaf_index = 1041 where leaf_index = 41",
      "update audit_leaves set leaf_index = 41 where leaf_index = 77",
      "update audit_leaves set leaf_index = 77 where leaf_index = 1041",
    ],
    live: "verify",
    stopped: "verify",
  },
  "insert an entry without a leaf": { sql: aForgery(FORGED), live: "verify", stopped: "verify" },
  "insert an entry with a leaf": {
    sql: [
      ...aForgery(FORGED),
      `insert into audit_leaves select 101, id, sha256('\\x00'::bytea || canonical) from audit_entries where id = '${FORGED}'`,
    ],
    live: "next check",
    stopped: "start",
  },
  "forge a pending entry": {
    sql: [...aForgery(FORGED), `insert into audit_pending (entry_id) values ('${FORGED}')`],
    live: "next check",
    stopped: "start",
  },
  "forge a pending entry with the MAC of another entry": {
    sql: [
      ...aForgery(FORGED),
      `insert into audit_pending (entry_id, mac, mac_key) values ('${FORGED}', sha256('x'), 'vault')`,
    ],
    live: "next check",
    stopped: "start",
  },
  "queue an old entry for signing again": {
    sql: [`insert into audit_pending (entry_id) values (${entryAt(41)})`],
    live: "next check",
    stopped: "start",
  },
  "cut off the newest entries": { sql: cut(60).slice(0, 2), live: "next check", stopped: "start" },
  "cut the log back to an earlier checkpoint, counters included": {
    sql: [...cut(60), ...COUNTED_ANEW],
    live: "next check",
    stopped: "start",
  },
  "empty every table of the trail": {
    sql: [
      "truncate audit_entries, audit_leaves, audit_nodes, audit_checkpoints, audit_pending, audit_counts, audit_names",
    ],
    live: "next check",
    stopped: "start",
  },
  "rewrite the whole trail and have it signed again": {
    sql: [
      "delete from audit_leaves",
      "delete from audit_nodes",
      "delete from audit_checkpoints",
      "delete from audit_counts",
      "update audit_entries set canonical = replace(convert_from(canonical, 'UTF8'), 'rotation', 'somebody')::bytea",
      "insert into audit_pending (entry_id) select id from audit_entries",
    ],
    live: "next check",
    stopped: "start",
  },
  "delete the newest checkpoint": {
    sql: ["delete from audit_checkpoints where size = 101"],
    live: "next check",
    stopped: "start",
  },
  "delete all checkpoints": { sql: ["delete from audit_checkpoints"], live: "next check", stopped: "start" },
  "change the newest checkpoint": {
    sql: ["update audit_checkpoints set note = replace(note, E'\\n101\\n', E'\\n102\\n') where size = 101"],
    live: "next check",
    stopped: "start",
  },
  "change an older checkpoint": {
    sql: ["update audit_checkpoints set note = replace(note, E'\\n60\\n', E'\\n61\\n') where size = 60"],
    live: "verify",
    stopped: "verify",
  },
  "change a node that the next leaf needs": {
    sql: ["update audit_nodes set hash = sha256('x') where level = 5 and index = 2"],
    live: "verify",
    stopped: "start",
  },
  "change another node": {
    sql: ["update audit_nodes set hash = sha256('x') where level = 2 and index = 3"],
    live: "verify",
    stopped: "verify",
  },
  "change the order of the lists (`seq`, `audit_hours`)": {
    sql: [
      `update audit_entries set seq = -seq where id = ${entryAt(41)}`,
      `update audit_entries set seq = (select -seq from audit_entries where seq < 0) where id = ${entryAt(77)}`,
    ],
    live: "verify",
    stopped: "verify",
  },
  "delete a node": {
    sql: ["delete from audit_nodes where level = 1 and index = 3"],
    live: "verify",
    stopped: "verify",
  },
  "change the counters of the lists": {
    sql: ["update audit_counts set entries = entries - 1 where span = 'hour'"],
    live: "verify",
    stopped: "verify",
  },
  "remove a name from the search": {
    sql: ["update audit_names set name = 'nobody' where kind = 'target'"],
    live: "verify",
    stopped: "verify",
  },
  "replace the signing key": {
    sql: ["update audit_log set sealed_seed = sha256('x') || sealed_seed"],
    live: "next check",
    stopped: "start",
  },
  "delete the signing key": { sql: ["delete from audit_log"], live: "next check", stopped: "start" },
  "move the position of a sink beyond the end of the log": {
    sql: ["update audit_sinks set cursor = 5000"],
    live: "next check",
    stopped: "start",
  },
  "move the position of a sink back": {
    sql: ["update audit_sinks set cursor = 3, settled = 3"],
    live: "next check",
    stopped: "start",
  },
  "delete an open contradiction": { sql: ["delete from audit_contradictions"], live: "next check", stopped: "start" },
};

const findings = async (trail: Audited): Promise<string[]> => trail.said();

/** Simulates a sink of the audit-sinks feature. */
async function withSink(trail: Audited): Promise<void> {
  await sql`insert into audit_sinks (id, name, content, format, every_seconds, config, secret_names, is_enabled, cursor, settled, created_at, updated_at)
    values ('0190c0de-0000-7000-8000-0000000000f0', 'siem', 'entries', 'json', 1, '{"kind":"file","name":"x"}', '{}', true, 50, 50, now(), now())
    on conflict do nothing`.execute(trail.database.db);
  compareSinks(trail);
  await trail.audit.compare();
}
const compareSinks = (trail: Audited) =>
  trail.audit.compareWith((db) => db.selectFrom("audit_sinks").selectAll().execute());

const REMOVED = "delete an open contradiction";

/** A SQL expression for a valid value that differs from the stored one. */
function differently(column: string, type: string): string {
  if (column === "result") return "case result when 'failure' then 'success' else 'failure' end";
  if (column === "severity") return "case severity when 'critical' then null else 'critical' end";
  if (type === "uuid") return "gen_random_uuid()";
  if (type.startsWith("timestamp")) return `${column} + interval '1 second'`;
  if (type === "bigint") return `-${column}`;
  return `'other ' || coalesce(${column}, '')`;
}

describe("the owner of the database", () => {
  for (const [kind, { sql: statements, live, stopped }] of Object.entries(kinds)) {
    it(`cannot ${kind} unnoticed while a server runs`, async () => {
      const trail = await aTrail();
      await withSink(trail);
      if (kind === REMOVED) await contradicted(trail);
      await trail.spoil(...statements);
      await trail.audit.compare();
      await trail.record(1);
      const done = await trail.audit.sequence();
      const isSeen = trail.audit.contradictions().length > 0;
      if (live === "next check") assert.ok(isSeen, "the next check finds it");
      else assert.deepEqual([isSeen, done], [false, 1], "only a check of everything finds it");
      assert.notDeepEqual(await findings(trail), [], "Verify says so");
      assert.equal((await trail.audit.verify()).isIntact, false);
      if (isSeen) assert.ok((await trail.audit.health.problem()) !== null, "and health");
    });

    it(`cannot ${kind} unnoticed while no server runs`, async () => {
      const before = await aTrail();
      await withSink(before);
      if (kind === REMOVED) await contradicted(before);
      await before.audit.stop();
      await before.spoil(...statements);
      const trail = await again(before);
      compareSinks(trail);
      await trail.audit.sequence();
      await trail.audit.compare();
      const isSeen = trail.audit.contradictions().length > 0;
      assert.equal(
        isSeen,
        stopped === "start",
        trail.audit
          .contradictions()
          .map(({ message }) => message)
          .join("\n"),
      );
      if (kind !== "replace the signing key") {
        assert.notDeepEqual(await findings(trail), [], "Verify says so");
        assert.equal((await trail.audit.verify()).isIntact, false);
      }
    });
  }

  it("cannot change any column of an entry unnoticed", async () => {
    const trail = await aTrail();
    const { rows: columns } = await sql<{ name: string; type: string }>`
      select column_name as name, data_type as type from information_schema.columns
      where table_name = 'audit_entries' and column_name not in ('id', 'canonical')`.execute(trail.database.db);
    assert.ok(columns.length >= 10, "the columns are listed");
    await trail.spoil("create table saved as select * from audit_entries");
    const unnoticed: string[] = [];
    for (const { name, type } of columns) {
      await trail.spoil(`update audit_entries set ${name} = ${differently(name, type)} where id = ${entryAt(41)}`);
      if ((await findings(trail)).length === 0) unnoticed.push(name);
      await trail.spoil(
        `update audit_entries set ${name} = saved.${name} from saved
         where saved.id = audit_entries.id and saved.id = ${entryAt(41)}`,
      );
      assert.deepEqual(await findings(trail), [], `${name} is restored`);
    }
    assert.deepEqual(unnoticed, []);
  });

  it("a server without history signs nothing that contradicts a witness's checkpoint in the database", async () => {
    const before = await aTrail();
    const { body } = await before.call(readCheckpoint, { as: "manager" });
    await before.audit.stop();
    await before.spoil(...cut(60), ...COUNTED_ANEW);
    rmSync(join(before.dataFolder, "audit"), { recursive: true });
    const trail = await again(before);
    const standing = { id: "w", name: "witness", content: "checkpoints", cursor: 101, settled: 101 } as const;
    trail.audit.compareWith(async () => [{ ...standing, cosigned: body.checkpoint }]);
    await trail.record(1);
    assert.equal(await trail.audit.sequence(), null);
    const { body: after } = await trail.call(readCheckpoint, { as: "manager" });
    assert.equal(after.size, 60);
  });

  it("only a witness detects an owner who also rewrites the data folder and restarts the server", async () => {
    const before = await aTrail();
    const { body } = await before.call(readCheckpoint, { as: "manager" });
    await before.audit.stop();
    await before.spoil(...cut(60), ...COUNTED_ANEW);
    rmSync(join(before.dataFolder, "audit"), { recursive: true });
    const trail = await again(before);
    await trail.recordInBatches(1);
    assert.deepEqual(await findings(trail), [], "nothing on this machine detects it");
    trail.audit.compareWith(async () => [
      { id: "w", name: "witness", content: "checkpoints", cursor: 61, settled: 61, cosigned: body.checkpoint },
    ]);
    assert.match((await findings(trail)).join(), /the checkpoint cosigned by "witness" signed 101 entries/);
  });
});

/** Creates a contradiction that needs an administrator's decision. */
async function contradicted(trail: Audited): Promise<void> {
  await trail.spoil(...aForgery("0190c0de-0000-7000-8000-000000000002"));
  await sql`insert into audit_pending (entry_id) values ('0190c0de-0000-7000-8000-000000000002')`.execute(
    trail.database.db,
  );
  await trail.audit.sequence();
  assert.equal(trail.audit.contradictions().length, 1);
}

const THREATS = readFileSync(join(import.meta.dirname, "../../../../../docs/threat-model.md"), "utf8");
after(() => {
  const rows = [
    ...THREATS.matchAll(
      /^\| (.+) \| (next check|start|verify|witness only) \| (next check|start|verify|witness only) \|$/gm,
    ),
  ];
  const table = Object.fromEntries(rows.map(([, kind, live, stopped]) => [kind, { live, stopped }]));
  const expected = Object.fromEntries(
    Object.entries(kinds).map(([kind, { live, stopped }]) => [kind, { live, stopped }]),
  );
  assert.deepEqual(table, expected, "docs/threat-model.md has the table of these kinds");
});
