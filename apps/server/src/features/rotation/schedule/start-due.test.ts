// Tests which rotations the schedule starts and which it leaves alone.
import { listAccountRotations } from "@strongroom/contract";
import type { AccountId } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { anAccount, aPlatform } from "#testing/accounts.ts";
import { aPerson } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aSafe } from "#testing/safes.ts";
import { eventually } from "#testing/waiting.ts";
import { onPostgresql } from "../testing/on-postgresql.ts";
import type { PostgresqlSetup } from "../testing/on-postgresql.ts";

let place: PostgresqlSetup;
let owner: TestPerson;
before(async () => {
  place = await onPostgresql();
  owner = await aPerson(place.app);
});
after(() => place.close());

const DUE = { rotate_every_days: 30, rotation_jitter_minutes: 0 };

const rotationsOf = async (id: AccountId) =>
  (await place.app.call(listAccountRotations, { params: { id }, as: owner.token })).body.rotations;

/** Makes the accounts due and queues the schedule. */
async function makeDue(ids: readonly AccountId[]): Promise<void> {
  await place.sql(
    `update accounts set rotated_at = now() - interval '31 days' where id = any($1)
       and not exists (select from rotations where rotations.credential_id = accounts.id)`,
    ids,
  );
  const { database, jobs } = place.app.kernel;
  // Retries, because the job is not queued while this minute's run is active, and that run may have passed these
  // accounts already.
  await eventually(() => database.transaction((tx) => jobs.enqueue(tx, "rotation.start-due", {})));
}

/** Waits until the schedule has processed the account `until`. */
async function look(ids: readonly AccountId[], until: AccountId): Promise<void> {
  await makeDue(ids);
  await eventually(async () => ((await rotationsOf(until)).length > 0 ? true : null));
}

test("the schedule rotates accounts that are due by their platform's interval and no others", async () => {
  const due = await place.anAccountThere(owner, { platform: DUE });
  const hour = new Date().getUTCHours();
  const closed = { from_hour: (hour + 2) % 24, to_hour: (hour + 3) % 24 };
  const others = await Promise.all([
    place.anAccountThere(owner, { platform: { ...DUE, rotate_automatically: false } }),
    place.anAccountThere(owner, { platform: { ...DUE, rotation_window: closed } }),
    place.anAccountThere(owner, { platform: { ...DUE, rotate_every_days: 32 } }),
    place.anAccountThere(owner, { platform: DUE }),
    place.anAccountThere(owner, { platform: { ...DUE, exclusive_check_out: true } }),
  ]);
  const [, , , disabled, lent] = others;
  await place.sql("update accounts set status = 'disabled' where id = $1", disabled.account.id);
  await place.passwordOf(owner, lent.account.id);
  const held = await place.sql("select from account_check_outs where account_id = $1", lent.account.id);
  assert.equal(held.length, 1, "it is checked out");

  await look([due.account.id, ...others.map(({ account }) => account.id)], due.account.id);
  const [rotation] = await rotationsOf(due.account.id);
  const done = await place.settled(owner, rotation!.id);
  assert.deepEqual([done.state, done.because, done.asked_by], ["rotated", "scheduled", "Strongroom"]);
  assert.equal(await place.logsIn(due.role.username, await place.passwordOf(owner, due.account.id)), true);
  for (const { account } of others) assert.deepEqual(await rotationsOf(account.id), [], account.name);
});

test("the schedule starts at most the configured number of rotations per minute, and the rest later", async () => {
  await place.sql("update rotations set started_at = started_at - interval '2 minutes'");
  const { config } = place.app.kernel;
  const before = config.rotationsPerMinute;
  try {
    config.rotationsPerMinute = 2;
    const due = await Promise.all([1, 2, 3].map(() => place.anAccountThere(owner, { platform: DUE })));
    const ids = due.map(({ account }) => account.id);
    // One transaction starts them, so a partial count is never visible.
    const started = async (count: number) => {
      await makeDue(ids);
      await eventually(async () => {
        const all = await Promise.all(ids.map(rotationsOf));
        return all.filter((each) => each.length > 0).length === count ? true : null;
      });
    };
    await started(2);
    await place.sql("update rotations set started_at = started_at - interval '2 minutes'");
    await started(3);
  } finally {
    config.rotationsPerMinute = before;
  }
});

test("an account that cannot be rotated is retried once an hour and does not delay others", async () => {
  const platform = await aPlatform(place.app, DUE);
  const safe = await aSafe(place.app, owner);
  const hopeless = await anAccount(place.app, owner, safe, { platform_id: platform.id });
  const due = await place.anAccountThere(owner, { platform: DUE });
  await look([hopeless.id, due.account.id], due.account.id);
  const [row] = await place.sql(
    "select rotation_skipped_until > now() + interval '50 minutes' as waits from accounts where id = $1",
    hopeless.id,
  );
  assert.equal(row.waits, true);
  assert.deepEqual(await rotationsOf(hopeless.id), []);
});
