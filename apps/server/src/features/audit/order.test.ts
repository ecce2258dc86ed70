// Tests that lists follow the database's order, whatever the clocks of the processes show (decision 0032).
import { exportAuditLogs, listAuditEntries } from "@strongroom/contract";
import type { AuditLog, InputOf } from "@strongroom/contract";
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import { newId } from "#kernel/id.ts";
import { audited } from "#testing/audited.ts";
import type { Audited } from "#testing/audited.ts";
import { historyOf } from "./audit.ts";
import { readLeaves } from "./tree/tree.store.ts";

type Query = NonNullable<InputOf<typeof listAuditEntries>["query"]>;

const opened: Audited[] = [];
async function aTrail(): Promise<Audited> {
  const trail = await audited();
  opened.push(trail);
  return trail;
}
afterEach(async () => {
  for (const trail of opened.splice(0)) await trail.close();
});

const TARGET = { type: "account", id: "0190c0de-0000-7000-8000-00000000beef", name: "Billing database" };

/** Reads all pages of a list with cursors; `meanwhile` runs after the first page. */
async function listed(trail: Audited, query: Query, meanwhile = async () => {}): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const given: Query = { ...query, limit: 4, ...(cursor === undefined ? {} : { cursor }) };
    const { body, status, text } = await trail.call(listAuditEntries, { query: given, as: "manager" });
    assert.equal(status, 200, text);
    if (cursor === undefined) await meanwhile();
    ids.push(...body.logs.map(({ id }) => id));
    cursor = body.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return ids;
}

/** Records six entries until 14:00 and, after the clock is set back to 13:00, six more; the last three are pending. */
async function afterJump(trail: Audited): Promise<string[]> {
  const ids: string[] = [];
  const recordAt = async (...times: string[]) => {
    for (const time of times) {
      trail.at(`2026-11-21T${time}:00.000Z`);
      ids.push(...(await trail.record(1, { target: TARGET, result: "failure" }, "account.validated")));
    }
  };
  await recordAt("12:10", "12:50", "13:10");
  await trail.audit.sequence();
  await recordAt("13:30", "13:50", "14:00", "13:00", "13:20", "13:40");
  await trail.audit.sequence();
  await recordAt("13:45", "13:55", "13:56");
  return ids;
}

test("after a clock jumps back an hour, lists still begin with the newest entries, and no page repeats or skips an entry", async () => {
  const trail = await aTrail();
  const ids = await afterJump(trail);
  const newestFirst = ids.toReversed();
  const queries: Query[] = [
    {},
    { target_id: TARGET.id },
    { event: "account.validated", status: "failure" },
    { status: "failure" },
    { severity: "medium" },
    { search: "billing" },
  ];
  for (const query of queries) assert.deepEqual(await listed(trail, query), newestFirst, JSON.stringify(query));

  // While the pages are read, pending entries are sequenced and new ones arrive with an even earlier time.
  const during = await listed(trail, {}, async () => {
    trail.at("2026-11-21T11:00:00.000Z");
    ids.push(...(await trail.record(5)));
    await trail.audit.sequence();
  });
  assert.deepEqual(during, newestFirst);
  assert.deepEqual(await listed(trail, {}), ids.toReversed());
  assert.deepEqual(await trail.said(), []);

  const placed: string[] = [];
  for await (const { entryId } of readLeaves(trail.database.db, Number.MAX_SAFE_INTEGER)) placed.push(entryId);
  assert.deepEqual(placed, ids, "the tree has the same order");
});

test("the history and the export of a target keep the same order after a clock jump", async () => {
  const trail = await aTrail();
  const newestFirst = (await afterJump(trail)).toReversed();
  const pages: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await historyOf(trail.database.db, TARGET, { limit: 5, cursor }, async () => new Map());
    pages.push(...page.history.map(({ id }) => id));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  assert.deepEqual(pages, newestFirst);
  const { text } = await trail.call(exportAuditLogs, { query: { target_id: TARGET.id }, as: "manager" });
  const { logs } = JSON.parse(text) as { logs: AuditLog[] };
  assert.deepEqual(
    logs.map(({ id }) => id),
    newestFirst,
  );
});

test("a time filter finds all entries of an hour that occurred twice after a clock jump", async () => {
  const trail = await aTrail();
  const [first, , ...rest] = await afterJump(trail);
  const times = ["13:10", "13:30", "13:50", "14:00", "13:00", "13:20", "13:40", "13:45", "13:55", "13:56"];
  const between = (from: string, to: string) =>
    rest.filter((_, index) => times[index]! >= from && times[index]! <= to).toReversed();
  const at = (time: string) => `2026-11-21T${time}:00.000Z`;
  for (const [from, to] of [
    ["13:00", "13:59"],
    ["13:15", "13:45"],
    ["13:56", "14:30"],
  ] as const) {
    assert.deepEqual(await listed(trail, { from: at(from), to: at(to) }), between(from, to), `${from} to ${to}`);
  }
  assert.deepEqual(await listed(trail, { from: at("12:55") }), rest.toReversed());
  assert.deepEqual(await listed(trail, { to: at("12:10") }), [first]);
  assert.deepEqual(await listed(trail, { from: at("15:00") }), []);
});

test("an entry that commits after later ones were sequenced is listed at its position in the tree", async () => {
  const trail = await aTrail();
  const late = systemEntry("credential.revealed", "rotation", {}, trail.kernel.clock.now());
  const timely: string[] = [];
  await trail.database.transaction(async (tx) => {
    await appendAudit(tx, [late]);
    timely.push(...(await trail.record(3)));
    assert.equal(await trail.audit.sequence(), 3);
  });
  assert.equal(await trail.audit.sequence(), 1);
  assert.deepEqual(await listed(trail, {}), [late.id, ...timely.toReversed()]);
  assert.deepEqual(await trail.said(), []);
});

test("late entries wait while a batch is full, so that no other entry becomes late", async () => {
  const trail = await aTrail();
  const late = systemEntry("credential.revealed", "rotation", {}, trail.kernel.clock.now());
  const recorded: string[] = [];
  await trail.database.transaction(async (tx) => {
    await appendAudit(tx, [late]);
    recorded.push(...(await trail.record(1)));
    await trail.audit.sequence();
    recorded.push(...(await trail.record(1500)));
  });
  assert.equal(await trail.audit.sequence(), 1501);
  const placed: string[] = [];
  for await (const { entryId } of readLeaves(trail.database.db, Number.MAX_SAFE_INTEGER)) placed.push(entryId);
  assert.deepEqual(placed, [...recorded, late.id]);
  assert.deepEqual(await trail.said(), []);
});

test("verifying the trail detects a changed position in the lists", async () => {
  const trail = await aTrail();
  await trail.recordInBatches(9);
  const swap = (one: number, other: number) => [
    `update audit_entries set seq = -1 where seq = ${one}`,
    `update audit_entries set seq = ${one} where seq = ${other}`,
    `update audit_entries set seq = ${other} where seq = -1`,
  ];
  await trail.spoil(...swap(3, 8));
  assert.deepEqual(await trail.said(), [
    "changed 3: entry 3 is listed before earlier entries of the log",
    "changed 7: entry 7 is listed before earlier entries of the log",
  ]);
  await trail.spoil(...swap(3, 8), "update audit_hours set first_seq = first_seq + 4");
  assert.deepEqual(await trail.said(), ["changed -: the list counters do not match the entries"]);
});

test("the database lets only the order of a recorded entry change", async () => {
  const trail = await aTrail();
  await trail.recordInBatches(2);
  const { pool } = trail.database;
  for (const column of ["id", "at", "event", "actor_name", "result", "severity", "canonical"]) {
    await assert.rejects(pool.query(`update audit_entries set ${column} = ${column}`), /append-only/, column);
  }
  await assert.rejects(pool.query("delete from audit_entries"), /append-only/);
  await assert.rejects(pool.query("truncate audit_entries"), /append-only/);
});

test("a cursor from an earlier version is refused with instructions", async () => {
  const trail = await aTrail();
  await trail.record(3);
  const old = Buffer.from(newId().replaceAll("-", ""), "hex").toString("base64url");
  for (const cursor of [old, "AAAA", "_____________"]) {
    const { status, text } = await trail.call(listAuditEntries, { query: { cursor }, as: "manager" });
    assert.equal(status, 400);
    assert.match(text, /"code":"cursor.invalid".*Start again at the first page/);
  }
});
