// HTTP tests of audit trail pages that begin at an offset (API-88).
import { listAuditEntries } from "@strongroom/contract";
import type { InputOf, ReplyOf } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { audited } from "#testing/audited.ts";
import type { Audited } from "#testing/audited.ts";

type Query = NonNullable<InputOf<typeof listAuditEntries>["query"]>;

let trail: Audited;
before(async () => {
  trail = await audited();
  const target = { type: "account", id: "0190c0de-0000-7000-8000-00000000beef", name: "Billing database" };
  await trail.record(9, { target, result: "failure" }, "account.validated");
  await trail.record(6, {}, "safe.updated");
  await trail.audit.sequence();
  // These entries stay pending.
  await trail.record(5, { target }, "account.validated");
});
after(() => trail.close());

const ask = (query: object) => trail.call(listAuditEntries, { query, as: "manager" });

async function page(query: Query): Promise<ReplyOf<typeof listAuditEntries>> {
  const { body, status, text } = await ask(query);
  assert.equal(status, 200, text);
  return body;
}

const idsOf = ({ logs }: ReplyOf<typeof listAuditEntries>): string[] => logs.map(({ id }) => id);

test("API-88: a page skips as many entries as its offset, returns the total, and its cursor continues from there", async () => {
  const queries: [Query, number][] = [
    [{}, 20],
    [{ scope: "verification", status: "failure" }, 9],
    [{ search: "Billing" }, 14],
  ];
  for (const [query, count] of queries) {
    const all = idsOf(await page({ ...query, limit: 100 }));
    assert.equal(all.length, count, JSON.stringify(query));
    for (const offset of [0, 3, count - 2, count, count + 5]) {
      const first = await page({ ...query, offset, limit: 4 });
      assert.deepEqual([idsOf(first), first.total, first.is_exact], [all.slice(offset, offset + 4), count, true]);
      assert.equal(first.next_cursor === null, offset + 4 >= count);
      if (first.next_cursor === null) continue;
      const rest = await page({ ...query, cursor: first.next_cursor, limit: 100 });
      assert.deepEqual([idsOf(rest), rest.total], [all.slice(offset + 4), undefined]);
    }
  }
  const impossible = await page({ scope: "verification", event: "safe.updated", offset: 3 });
  assert.deepEqual(impossible, { logs: [], total: 0, is_exact: true, next_cursor: null });
});

test("API-88: refuses a page with both a cursor and an offset, and an offset beyond the counted entries", async () => {
  const { next_cursor: cursor } = await page({ limit: 1 });
  for (const query of [{ cursor, offset: 1 }, { offset: 10_001 }, { offset: -1 }]) {
    const { status, text } = await ask(query);
    assert.deepEqual([status, text.includes('"path":"offset"')], [400, true], text);
  }
});
