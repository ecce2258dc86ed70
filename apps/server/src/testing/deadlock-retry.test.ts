// Tests a call that is retried after a deadlock.
import { endpoint } from "@strongroom/contract";
import { sql } from "kysely";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { z } from "zod";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { implement, implementInSteps } from "#kernel/http/implement.ts";
import { audited } from "./audited.ts";
import type { Audited } from "./audited.ts";

const common = {
  method: "POST",
  reply: z.object({ tries: z.number() }),
  needs: "audit.read",
  gives: "nothing",
} as const;
const inOne = endpoint({ ...common, path: "/api/v1/test/in-one", summary: "In one", audit: "test.in-one" });
const inSteps = endpoint({ ...common, path: "/api/v1/test/in-steps", summary: "In steps", audit: "test.in-steps" });

let trail: Audited;
before(async () => {
  trail = await audited();
  let tries = 0;
  implement(trail.kernel, inOne, (call, tx) => ended(call, tx, (tries += 1)));
  let steps = 0;
  implementInSteps(trail.kernel, inSteps, async (call) => {
    call.note({ reason: "before" });
    return call.commit((tx) => ended(call, tx, (steps += 1)));
  });
});
after(() => trail.close());

/** The first attempt fails like a deadlock. */
async function ended(call: Pick<Call, "note" | "setHeader">, tx: Tx, tries: number): Promise<{ tries: number }> {
  if (tries > 1) return { tries };
  call.note({ result: "failure", target: { type: "thing", id: "first" }, details: { of: "the first try" } });
  call.setHeader("x-first-try", "yes");
  await sql`do $$ begin raise exception 'deadlock detected' using errcode = '40P01'; end $$`.execute(tx);
  throw new Error("the statement did not fail");
}

const recorded = async (event: string): Promise<(AuditNote & { event: string })[]> => {
  const { rows } = await trail.database.pool.query<{ text: string }>(
    "select convert_from(canonical, 'UTF8') as text from audit_entries where event = $1",
    [event],
  );
  return rows.map(({ text }) => JSON.parse(text));
};

for (const [each, reason] of [
  [inOne, undefined],
  [inSteps, "before"],
] as const) {
  test(`${each.summary}: the entry and the answer contain nothing of the failed attempt`, async () => {
    const reply = await trail.call(each, { as: "admin" });
    assert.deepEqual([reply.status, reply.body], [200, { tries: 2 }], reply.text);
    assert.equal(reply.headers["x-first-try"], undefined);
    const [entry, ...others] = await recorded(each.audit);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [entry?.result, entry?.target, entry?.details, entry?.reason],
      ["success", undefined, undefined, reason],
    );
  });
}
