// Tests which faults a rotation recovers from, when it stops until a user intervenes, and what it blocks until
// then.
import {
  AccountEdit,
  cancelRotation,
  deleteAccount,
  moveAccount,
  readAccountDetails,
  readPlatform,
  readRotation,
  reconcileAccount,
  retrieveAccount,
  rotateAccount,
  updateAccount,
  updatePlatform,
  validateAccount,
} from "@strongroom/contract";
import type { Account, NewPlatform, Platform } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPolicy, anAccount } from "#testing/accounts.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aSafe } from "#testing/safes.ts";
import { eventually } from "#testing/waiting.ts";
import { DATABASE, SYSTEM, onPostgresql } from "../testing/on-postgresql.ts";
import type { PostgresqlSetup } from "../testing/on-postgresql.ts";

let place: PostgresqlSetup;
let owner: TestPerson;
before(async () => {
  place = await onPostgresql();
  owner = await aPerson(place.app);
});
after(() => place.close());

const rulesWith = (rules: Partial<NewPlatform["password_rules"]>) => ({
  password_rules: { ...aPolicy.password_rules, ...rules },
});

const asBody = ({ account, role }: Awaited<ReturnType<PostgresqlSetup["anAccountThere"]>>, password?: string) =>
  AccountEdit.parse({
    ...DATABASE,
    name: account.name,
    hostname: account.hostname_ip,
    port: place.target.port,
    username: role.username,
    platform_id: account.platform_id,
    ...(password === undefined ? {} : { password }),
  });

/** Returns an account whose rotation waits at `stored` with a candidate, because its target was unreachable. */
async function stuck() {
  const there = await place.anAccountThere(owner, { account: { port: 1 } });
  const asked = await place.app.call(rotateAccount, { params: { id: there.account.id }, as: owner.token });
  const id = asked.body.rotation_id;
  await eventually(async () => {
    const { body } = await place.app.call(readRotation, { params: { id }, as: owner.token });
    return body.state === "waiting" && body.step === "stored" ? body : null;
  });
  // From here on only the test wakes the rotation, which now reaches the target.
  await place.sql("update rotations set next_at = null where id = $1", id);
  await place.sql("update credentials set port = $2 where id = $1", there.account.id, place.target.port);
  return { ...there, id };
}

const wake = (id: string) => place.sql("update rotations set next_at = now() where id = $1", id);

/** Retrieves the candidate like any other version. */
async function candidateOf({ id }: Pick<Account, "id">): Promise<string> {
  const { retrieveAccountVersion } = await import("@strongroom/contract");
  const reply = await place.app.call(retrieveAccountVersion, { params: { id, version: 2 }, body: {}, as: owner.token });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.password;
}

describe("after the death of a process that sent a change", () => {
  test("a login finds the applied change and activates the new secret", async () => {
    const { account, role, id } = await stuck();
    const candidate = await candidateOf(account);
    await place.setPassword(role.username, candidate);
    await place.dieAfterSending(id);
    assert.equal((await place.settled(owner, id)).state, "rotated");
    assert.equal(await place.passwordOf(owner, account.id), candidate);
  });

  test("the engine resends a change that was not applied", async () => {
    const { account, role, id } = await stuck();
    const candidate = await candidateOf(account);
    await place.dieAfterSending(id);
    const rotation = await place.settled(owner, id);
    assert.deepEqual([rotation.state, rotation.tries], ["rotated", 2]);
    assert.equal(await place.passwordOf(owner, account.id), candidate);
    assert.deepEqual(
      [await place.logsIn(role.username, candidate), await place.logsIn(role.username, role.password)],
      [true, false],
    );
  });

  test("both-refused: a rotation keeps both secrets when neither works, and ends after a user stores a working one", async () => {
    const there = await stuck();
    const { account, role, id } = there;
    await place.setPassword(role.username, "set-by-hand-1");
    await place.dieAfterSending(id);
    // The rotation probes again after a pause.
    await eventually(async () => {
      const { body } = await place.app.call(readRotation, { params: { id }, as: owner.token });
      return /Trying the new one again/.test(body.message) && body.state === "waiting" ? body : null;
    });
    await wake(id);
    const rotation = await place.settled(owner, id);
    assert.deepEqual([rotation.state, rotation.code], ["attention", "both-refused"], JSON.stringify(rotation));
    const { body: seen } = await place.app.call(readAccountDetails, { params: { id: account.id }, as: owner.token });
    assert.equal(seen.open_rotation?.state, "attention");
    const [row] = await place.sql(
      "select rejected_revision = login_revision as held from credentials where id = $1",
      account.id,
    );
    assert.equal(row.held, true, "the schedule must not send the refused secret again");
    const tooLate = await place.app.call(cancelRotation, { params: { id }, as: owner.token });
    assert.match(tooLate.text, /"rotation.sent"/);
    const edit = { params: { id: account.id }, body: asBody(there, "set-by-hand-1"), as: owner.token };
    assert.equal((await place.app.call(updateAccount, edit)).status, 200);
    assert.equal((await place.settled(owner, id)).state, "superseded");
    const next = await place.rotate(owner, account.id);
    assert.equal(next.state, "rotated", JSON.stringify(next));
    const versions = await place.sql(
      "select version, is_candidate from secret_versions where credential_id = $1 order by 1",
      account.id,
    );
    assert.deepEqual(
      versions.map(({ version, is_candidate }) => [version, is_candidate]),
      [
        [1, false],
        [2, true],
        [3, false],
        [4, false],
      ],
    );
  });
});

describe("a rotation stops until a user intervenes", () => {
  const stopped = async (person: TestPerson, account: Pick<Account, "id">, code: string) => {
    const rotation = await place.rotate(person, account.id);
    assert.deepEqual([rotation.state, rotation.code], ["attention", code], JSON.stringify(rotation));
    return rotation;
  };

  test("old-refused: the rotation stops when the stored secret is wrong, and a reconcile account repairs the account", async () => {
    const { account, role, platform, safe } = await place.anAccountThere(owner, {
      account: { password: "not the one" },
    });
    const rotation = await stopped(owner, account, "old-refused");
    await eventually(async () => {
      const told = await place.sql(
        "select title from notifications where type = 'rotation_attention' and user_id = $1",
        owner.id,
      );
      return told.length > 0 ? true : null;
    });
    await reconcilesBy(platform, safe, place.target.superuser);
    const asked = await place.app.call(reconcileAccount, { params: { id: account.id }, as: owner.token });
    assert.equal(asked.body.rotation_id, rotation.id, "the open rotation continues");
    const done = await place.settled(owner, rotation.id);
    assert.deepEqual([done.state, done.by], ["rotated", "reconcile-account"], JSON.stringify(done));
    assert.equal(await place.logsIn(role.username, await place.passwordOf(owner, account.id)), true);
  });

  test("a user can retry a rejected secret, but not often enough to lock the account on the target", async () => {
    const { account } = await place.anAccountThere(owner, { account: { password: "not the one" } });
    await stopped(owner, account, "old-refused");
    for (const _ of [1, 2]) await stopped(owner, account, "old-refused");
    const again = await place.app.call(rotateAccount, { params: { id: account.id }, as: owner.token });
    assert.equal(again.status, 409);
    assert.match(again.text, /"rotation.asked-often".*try again in 15 min/);
    await place.sql(
      "update rotations set asked_again_at = array[now() - interval '16 minutes', now()] where credential_id = $1",
      account.id,
    );
    await stopped(owner, account, "old-refused");
  });

  test("reconcile-refused: the engine does not try a rejected reconcile account on the next account, and raises an alert", async () => {
    const { account, platform, safe } = await place.anAccountThere(owner, {
      platform: { rotate_as: "reconcile-account" },
    });
    const reconciler = await reconcilesBy(platform, safe, { username: "postgres", password: "not the one" });
    await stopped(owner, account, "reconcile-refused");
    const [row] = await place.sql(
      "select rejected_revision = login_revision as held from credentials where id = $1",
      reconciler.id,
    );
    assert.equal(row.held, true);
    const { database, jobs } = place.app.kernel;
    // Retries, because the job is not queued while the hourly run is active, and that run may have passed this account
    // already.
    await eventually(() => database.transaction((tx) => jobs.enqueue(tx, "rotation.check-reconcilers", {})));
    const { readiness, told } = await eventually(async () => {
      const { body } = await place.app.call(readPlatform, { params: { id: platform.id }, as: owner.token });
      const alerts = await place.sql("select title from notifications where type = 'reconcile_alert'");
      const isKnown = body.reconcile_readiness !== null && alerts.length > 0;
      return isKnown ? { readiness: body.reconcile_readiness!, told: alerts } : null;
    });
    assert.equal(readiness.is_ready, false);
    assert.match(String(told[0]?.title), /is not ready/);
  });

  test("misconfigured: the engine does not use a reconcile account whose active version was changed in the database", async () => {
    const { account, role, platform, safe } = await place.anAccountThere(owner, {
      platform: { rotate_as: "reconcile-account" },
    });
    const reconciler = await reconcilesBy(platform, safe, place.target.superuser);
    await place.sql(
      `insert into secret_versions (credential_id, version, envelope, created_at, reason)
       select credential_id, 2, envelope, now(), 'edited' from secret_versions where credential_id = $1`,
      reconciler.id,
    );
    await place.sql("update credentials set secret_version = 2 where id = $1", reconciler.id);
    const { message } = await stopped(owner, account, "misconfigured");
    assert.match(message, /was changed in the database/);
    assert.equal(await place.logsIn(role.username, role.password), true, "the password was changed");
    await eventually(async () => {
      const alarms = await place.sql(
        "select from audit_entries where event = 'credential.version-mismatch' and target_id = $1",
        reconciler.id,
      );
      return alarms.length > 0 ? true : null;
    });
    const { database, jobs } = place.app.kernel;
    const readiness = await eventually(async () => {
      await database.transaction((tx) => jobs.enqueue(tx, "rotation.check-reconcilers", {}));
      const { body } = await place.app.call(readPlatform, { params: { id: platform.id }, as: owner.token });
      return body.reconcile_readiness;
    });
    assert.equal(readiness.is_ready, false);
    assert.match(readiness.message, /was changed in the database/);
  });

  test("the engine sends a reconcile account's secret only to listed hosts, whatever address an account has", async () => {
    const { account, platform, safe } = await place.anAccountThere(owner, {
      platform: { rotate_as: "reconcile-account" },
    });
    const reconciler = await reconcilesBy(platform, safe, place.target.superuser);
    await place.sql("update credentials set host = 'db.elsewhere.example' where id = $1", reconciler.id);
    const refused = await place.app.call(reconcileAccount, { params: { id: account.id }, as: owner.token });
    assert.match(refused.text, /"rotation.host-not-reconcilable"/);
    const asked = await place.app.call(rotateAccount, { params: { id: account.id }, as: owner.token });
    assert.match(asked.text, /"rotation.host-not-reconcilable"/);
    const used = await place.sql(
      "select from audit_entries where target_id = $1 and event = 'rotation.secret-used'",
      reconciler.id,
    );
    assert.equal(used.length, 0, "its secret was opened");
  });

  test("the reconcile account sets no password in a user's own safe unless the platform lists that safe", async () => {
    const { platform, safe, role } = await place.anAccountThere(owner);
    const reconciler = await reconcilesBy(platform, safe, place.target.superuser);
    const nosy = await aPerson(place.app);
    const own = await aSafe(place.app, nosy);
    const { host: hostname, port } = place.target;
    const fields = { ...DATABASE, hostname, port, username: role.username, platform_id: platform.id };
    const taken = await anAccount(place.app, nosy, own, { ...fields, password: "whatever" });
    const reconcile = () => place.app.call(reconcileAccount, { params: { id: taken.id }, as: nosy.token });
    const refused = await reconcile();
    assert.match(refused.text, /"rotation.safe-not-reconcilable"/);
    // The rotation also stops when the target rejects the account's own password.
    const asked = await place.rotate(nosy, taken.id);
    assert.deepEqual([asked.state, asked.code], ["attention", "old-refused"], JSON.stringify(asked));
    assert.equal(await place.logsIn(role.username, role.password), true, "its password was set");

    const admin = await firstAdmin(place.app);
    const names = { name: platform.name, reconcile_account_id: reconciler.id, reconcile_safe_ids: [own.id] };
    const body = { ...aPolicy, ...SYSTEM, ...names };
    const named = await place.app.call(updatePlatform, { params: { id: platform.id }, body, as: admin.token });
    assert.deepEqual(named.body.reconcile_safe_ids, [own.id], named.text);
    const done = await place.settled(nosy, (await reconcile()).body.rotation_id);
    assert.deepEqual([done.state, done.by], ["rotated", "reconcile-account"], JSON.stringify(done));
  });

  test("an account's settings do not determine how the reconcile account logs in", async () => {
    const { account, platform, safe } = await place.anAccountThere(owner);
    const reconciler = await reconcilesBy(platform, safe, place.target.superuser);
    await place.sql(`update credentials set additional_params = '{"sslmode":"disable"}' where id = $1`, account.id);
    const refused = await place.app.call(reconcileAccount, { params: { id: account.id }, as: owner.token });
    assert.match(refused.text, /"rotation.not-reached-alike"/);
    const used = await place.sql(
      "select from audit_entries where target_id = $1 and event = 'rotation.secret-used'",
      reconciler.id,
    );
    assert.equal(used.length, 0, "its secret was opened");
  });

  test("password-rules: the rotation stops when no password can meet the rules", async () => {
    const platform = rulesWith({ forbidden_characters: "abcdefghijklmnopqrstuvwxyz", min_lowercase: 1 });
    await stopped(owner, (await place.anAccountThere(owner, { platform })).account, "password-rules");
  });

  test("misconfigured: a stored secret that cannot be opened is not retried forever", async () => {
    const { account } = await place.anAccountThere(owner);
    await place.sql(
      "update secret_versions set envelope = set_byte(envelope, 40, 255 - get_byte(envelope, 40)) where credential_id = $1",
      account.id,
    );
    await stopped(owner, account, "misconfigured");
  });

  test("misconfigured: the rotation stops when the settings are wrong, and can be cancelled", async () => {
    const { account } = await place.anAccountThere(owner, { account: { database_name: "no_such_database" } });
    const rotation = await stopped(owner, account, "misconfigured");
    const cancelled = await place.app.call(cancelRotation, { params: { id: rotation.id }, as: owner.token });
    assert.equal(cancelled.body.state, "cancelled", cancelled.text);
  });

  test("unreachable: the rotation stops after many stalls, and a retry continues at the same step", async () => {
    const { id, account } = await stuck();
    await place.sql("update credentials set port = 1 where id = $1", account.id);
    await place.sql(`update rotations set journal = journal || '{"stalls": 11}' where id = $1`, id);
    await wake(id);
    await eventually(async () => {
      const { body } = await place.app.call(readRotation, { params: { id }, as: owner.token });
      return body.state === "waiting" ? body : null;
    });
    await wake(id);
    assert.equal((await place.settled(owner, id)).code, "unreachable");
    await place.sql("update credentials set port = $2 where id = $1", account.id, place.target.port);
    assert.equal((await place.rotate(owner, account.id)).state, "rotated");
  });
});

test("an unconfirmed change blocks verification, secret edits, moves and deletion, and leaves the secret retrievable", async () => {
  const there = await stuck();
  const { account, id } = there;
  await place.dieAfterSending(id);
  await place.sql("update rotations set next_at = null where id = $1", id);
  // Waits until no worker holds the lease.
  await eventually(async () =>
    (await place.sql("select from rotations where id = $1 and lease_until is null", id)).length > 0 ? true : null,
  );
  await place.sql(
    "update rotations set step = 'sent', next_at = null, outcome = null, ended_at = null where id = $1 and step <> 'ended'",
    id,
  );
  const [{ step }] = (await place.sql("select step from rotations where id = $1", id)) as [{ step: string }];
  if (step === "ended") return; // The rotation ended before the test could act. The other tests cover this ending.
  const other = await aSafe(place.app, owner);
  const as = owner.token;
  const params = { id: account.id };
  for (const reply of [
    await place.app.call(validateAccount, { params, as }),
    await place.app.call(updateAccount, { params, body: asBody(there, "another one"), as }),
    await place.app.call(moveAccount, { params, body: { safe_id: other.id }, as }),
    await place.app.call(deleteAccount, { params, as }),
  ]) {
    assert.equal(reply.status, 409, reply.text);
    assert.match(reply.text, /"rotation.under-way"/);
  }
  assert.equal((await place.app.call(retrieveAccount, { params, body: {}, as })).status, 200);
  await wake(id);
  assert.equal((await place.settled(owner, id)).state, "rotated");
  assert.equal((await place.app.call(deleteAccount, { params, as })).status, 200);
});

/** Creates an account with this login and makes it the platform's reconcile account. */
async function reconcilesBy(
  platform: Platform,
  safe: Parameters<typeof anAccount>[2],
  { username, password }: { username: string; password: string },
) {
  const { host: hostname, port } = place.target;
  const fields = { ...DATABASE, hostname, port, username, password, platform_id: platform.id };
  const reconciler = await anAccount(place.app, owner, safe, fields);
  const admin = await firstAdmin(place.app);
  const body = {
    ...aPolicy,
    ...SYSTEM,
    name: platform.name,
    rotate_as: platform.rotate_as,
    reconcile_account_id: reconciler.id,
  };
  const changed = await place.app.call(updatePlatform, { params: { id: platform.id }, body, as: admin.token });
  assert.equal(changed.status, 200, changed.text);
  return reconciler;
}
