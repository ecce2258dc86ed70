// Tests of grouped audit lists, which show a verification as one line, and of the filters by verification type and
// period.
import { countAuditEntries, exportAuditLogs, listAuditEntries } from "@strongroom/contract";
import type { AuditLog, InputOf } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { newId } from "#kernel/id.ts";
import { audited } from "#testing/audited.ts";
import type { Audited } from "#testing/audited.ts";

type Query = NonNullable<InputOf<typeof listAuditEntries>["query"]>;

const ACCOUNT = { type: "account", id: newId(), name: "Billing database" };
const OTHER = { type: "account", id: newId(), name: "Mail server" };
const GRANT = newId();
/** Entry ids by their names in these tests. */
const ids: Record<string, string> = {};
let trail: Audited;

before(async () => {
  trail = await audited();
  const record = async (name: string, event: string, note: Parameters<Audited["record"]>[1]) => {
    [ids[name]] = (await trail.record(1, note, event)) as [string];
  };
  const attempt = (target: typeof ACCOUNT, id: string, more = {}) => ({ target, details: { attempt: id, ...more } });
  const jit = { request: GRANT };
  trail.at("2026-11-10T09:00:00.000Z");
  await record("old", "safe.updated", {});
  trail.at("2026-11-20T09:00:00.000Z");
  await record("start1", "verification.started", { ...attempt(ACCOUNT, "a1"), result: "info" });
  await record("start2", "verification.started", { ...attempt(OTHER, "a2"), result: "info" });
  await record("result1", "account.validated", attempt(ACCOUNT, "a1"));
  await record("result2", "account.validated", { ...attempt(OTHER, "a2", jit), result: "failure" });
  trail.at("2026-11-21T08:00:00.000Z");
  await record("start3", "verification.started", { ...attempt(ACCOUNT, "a3"), result: "info" });
  const critical = { result: "failure", severity: "critical" } as const;
  await record("result3", "account.validated", { ...attempt(ACCOUNT, "a3", jit), ...critical });
  // A verification without a start entry, as recorded when no connector can verify.
  await record("unsupported", "account.validated", { ...attempt(ACCOUNT, "a4"), result: "info" });
  await trail.audit.sequence();
  await record("underWay", "verification.started", { ...attempt(ACCOUNT, "a5"), result: "info" });
  trail.at("2026-11-21T09:00:00.000Z");
});
after(() => trail.close());

async function list(query: Query) {
  const { body, status, text } = await trail.call(listAuditEntries, { query, as: "manager" });
  assert.equal(status, 200, text);
  const counts = await trail.call(countAuditEntries, { query: without(query), as: "manager" });
  assert.equal(counts.status, 200, counts.text);
  assert.equal(counts.body.total, body.logs.length, JSON.stringify(query));
  return body.logs;
}
const without = ({ limit: _limit, cursor: _cursor, offset: _offset, ...filter }: Query) => filter;
const names = (logs: readonly Pick<AuditLog, "id">[]) =>
  logs.map(({ id }) => Object.entries(ids).find((pair) => pair[1] === id)?.[0]);

test("a grouped list has one line per verification, which includes its start", async () => {
  const all = ["underWay", "unsupported", "result3", "start3", "result2", "result1", "start2", "start1", "old"];
  const separate = await list({});
  assert.deepEqual(names(separate), all);
  assert.ok(separate.every(({ started }) => started === undefined));
  const logs = await list({ attempts: "grouped" });
  assert.deepEqual(
    logs.map(({ id, started }) => [names([{ id }])[0], started && names([started])[0]]),
    [
      ["unsupported", null],
      ["result3", "start3"],
      ["result2", "start2"],
      ["result1", "start1"],
      ["old", null],
    ],
  );
  const grouped = { attempts: "grouped", scope: "verification" } as const;
  assert.deepEqual(names(await list(grouped)), ["unsupported", "result3", "result2", "result1"]);
  assert.deepEqual(names(await list({ ...grouped, search: "mail" })), ["result2"]);
});

test("a grouped list filtered to start events shows the start events", async () => {
  const starts = ["underWay", "start3", "start2", "start1"];
  const attempts = "grouped";
  assert.deepEqual(names(await list({ attempts, event: "verification.started" })), starts);
  assert.deepEqual(names(await list({ attempts, search: "verification started" })), starts);
  assert.deepEqual(names(await list({ attempts, search: ids["start2"] })), ["start2"]);
  assert.deepEqual(names(await list({ attempts, status: "pending" })), ["underWay", "unsupported", ...starts.slice(1)]);
});

test("API-88: `event_type` filters by one kind of verification, the same as named in each entry", async () => {
  const kinds = {
    account_verification: ["underWay", "unsupported", "start3", "result1", "start2", "start1"],
    jit_account_verification: ["result2"],
    jit_critical_verification_failure: ["result3"],
  } as const;
  for (const [type, wanted] of Object.entries(kinds)) {
    const event_type = type as keyof typeof kinds;
    const logs = await list({ event_type });
    assert.deepEqual(names(logs), wanted, type);
    assert.ok(logs.every((log) => log.event_type === type));
  }
  assert.deepEqual(await list({ event_type: "account_verification", view: "jit" }), []);
  assert.deepEqual(names(await list({ event_type: "jit_account_verification", view: "jit" })), ["result2"]);
  const { status } = await trail.call(listAuditEntries, { query: { event_type: "other" } as never, as: "manager" });
  assert.equal(status, 400);
});

test("API-88, API-89: `date_range` accepts a period that ends now, or a start and an end time", async () => {
  const day = ["underWay", "unsupported", "result3", "start3"];
  const two = ["result2", "result1", "start2", "start1"];
  assert.deepEqual(names(await list({ date_range: "24h" })), [...day, ...two]);
  assert.deepEqual(names(await list({ date_range: "24h", from: "2026-11-21T00:00:00.000Z" })), day);
  assert.deepEqual(names(await list({ date_range: "7d", to: "2026-11-20T12:00:00.000Z" })), two);
  assert.equal((await list({ date_range: "30d" })).length, 9);
  const [start, end] = ["2026-11-09T00:00:00Z", "2026-11-20T09:00:00Z"];
  assert.deepEqual(names(await list({ date_range: `${start}/${end}` })), [...two, "old"]);
  for (const date_range of ["1h", `${end}/${start}`, start, `${start}/`, `${start}/${end}/${end}`]) {
    const { status, text } = await trail.call(listAuditEntries, { query: { date_range }, as: "manager" });
    assert.deepEqual([status, text.includes('"path":"date_range"')], [400, true], date_range);
  }
});

test("AUDIT-14: every entry about a verification has an `event_type`", async () => {
  const { text } = await trail.call(exportAuditLogs, { query: { scope: "verification" }, as: "manager" });
  const { logs } = JSON.parse(text) as { logs: AuditLog[] };
  assert.equal(logs.length, 8);
  assert.deepEqual(
    logs.filter(({ event_type }) => event_type === null),
    [],
  );
});

test("an export with an offset skips the newest entries", async () => {
  const exported = async (query: object) => {
    const { text, status } = await trail.call(exportAuditLogs, { query, as: "manager" });
    assert.equal(status, 200, text);
    return names((JSON.parse(text) as { logs: AuditLog[] }).logs);
  };
  const query = { scope: "verification", date_range: "24h" };
  const all = await exported(query);
  assert.equal(all.length, 8);
  assert.deepEqual(await exported({ ...query, offset: 3 }), all.slice(3));
  assert.deepEqual(await exported({ ...query, offset: 2, limit: 2 }), all.slice(2, 4));
  assert.deepEqual(await exported({ ...query, offset: 9 }), []);
});
