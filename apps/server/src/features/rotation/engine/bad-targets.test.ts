// Measures how far targets that hang, answer garbage or send endless data delay other rotations of the same run.
import { cancelRotationRun, rotateSeveral } from "@strongroom/contract";
import type { CredentialId } from "@strongroom/contract";
import { startHostile } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { aCredential } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { eventually } from "#testing/waiting.ts";
import { onPostgresql } from "../testing/on-postgresql.ts";
import type { PostgresqlSetup } from "../testing/on-postgresql.ts";

const GOOD = 4;
/** More rotations than one process runs concurrently. */
const HANGING = 18;
const POURING = 4;
const NOBODY = { username: "nobody", password: "whatever it is" };
const MEGABYTE = 1_048_576;

let place: PostgresqlSetup;
before(async () => {
  place = await onPostgresql();
});
after(() => place.close());

/** Stores each credential with a different host name, and without the automatic verification. */
async function passwordsAt(owner: TestPerson, port: number, count: number): Promise<CredentialId[]> {
  const ids: CredentialId[] = [];
  for (let number = 0; number < count; number++) {
    const isGood = port === place.target.port;
    const { username, password: value } = isGood ? await place.target.addRole() : NOBODY;
    const { id } = await aCredential(place.app, owner, { username, value });
    const host = isGood ? place.target.host : `127.3.${port % 250}.${number + 1}`;
    await place.sql(
      "update credentials set type = 'postgresql', database_name = 'postgres', schema_name = 'public', host = $2, port = $3 where id = $1",
      id,
      host,
      port,
    );
    ids.push(id);
  }
  return ids;
}

/** Rotates all of `chosen` in one run and returns the milliseconds until those of `awaited` have ended. */
async function timeOf(owner: TestPerson, awaited: readonly string[], chosen: readonly CredentialId[]): Promise<number> {
  const started = performance.now();
  const { body } = await place.app.call(rotateSeveral, { body: { credential_ids: [...chosen] }, as: owner.token });
  assert.equal(body.queued, chosen.length, JSON.stringify(body));
  const taken = await eventually(async () => {
    const [row] = await place.sql(
      "select count(*)::int as count from rotations where run_id = $1 and outcome = 'rotated' and credential_id = any($2)",
      body.run_id,
      awaited,
    );
    return row.count === awaited.length ? performance.now() - started : null;
  });
  await place.app.call(cancelRotationRun, { params: { id: body.run_id! }, as: owner.token });
  return taken;
}

test("targets that hang, answer garbage or send endless data delay a run's other rotations only by seconds and do not exhaust memory", async (context) => {
  const owner = await aPerson(place.app);
  const hanging = await startHostile("black-hole", "0.0.0.0");
  const garbage = await startHostile("garbage", "0.0.0.0");
  const endless = await startHostile("endless-line", "0.0.0.0");
  context.after(() => Promise.all([hanging.stop(), garbage.stop(), endless.stop()]));
  const good = await passwordsAt(owner, place.target.port, GOOD);
  const bad = [
    ...(await passwordsAt(owner, hanging.port, HANGING)),
    ...(await passwordsAt(owner, garbage.port, POURING)),
    ...(await passwordsAt(owner, endless.port, POURING)),
  ];
  const alone = await timeOf(owner, good, good);
  const before = process.memoryUsage();
  const beside = await timeOf(owner, good, [...bad, ...good]);
  const { heapUsed, external } = process.memoryUsage();
  const grown = (heapUsed + external - before.heapUsed - before.external) / MEGABYTE;
  const taken = (garbage.sent() + endless.sent()) / MEGABYTE;

  context.diagnostic(`alone ${alone.toFixed(0)} ms, beside ${bad.length} bad ones ${beside.toFixed(0)} ms`);
  context.diagnostic(`${taken.toFixed(1)} MB taken of what poured; ${grown.toFixed(0)} MB of memory more`);
  assert.ok(hanging.connections() > 0 && taken > 0, "they were asked");
  // A hanging target takes 20 s, and there are more of them than slots.
  assert.ok(beside - alone < 18_000, `the good ones waited ${beside.toFixed(0)} ms instead of ${alone.toFixed(0)}`);
  // Eight connections sent endless data.
  assert.ok(taken < 200, `${taken} MB were taken`);
  assert.ok(grown < 200, `${grown} MB of memory more`);
});

test("the engine rotates at most two passwords at a time on one target", async (context) => {
  const owner = await aPerson(place.app);
  const hanging = await startHostile("black-hole");
  context.after(() => hanging.stop());
  const ids = await passwordsAt(owner, hanging.port, 6);
  await place.sql("update credentials set host = '127.0.0.1' where id = any($1)", ids);
  const { body } = await place.app.call(rotateSeveral, { body: { credential_ids: ids }, as: owner.token });
  await eventually(async () => (hanging.connections() === 2 ? true : null));
  // One claim takes all due rotations, so a third one would be among them.
  const taken = await place.sql("select from rotations where run_id = $1 and lease_until > now()", body.run_id);
  assert.deepEqual([body.queued, taken.length], [6, 2]);
  await place.app.call(cancelRotationRun, { params: { id: body.run_id! }, as: owner.token });
});
