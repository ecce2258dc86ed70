// Watched accounts: the permission to watch one, and the notifications of sessions that start or are terminated.
import { readAccountWatch, removeSafeMember, watchAccount } from "@strongroom/contract";
import type { Account } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember } from "#testing/safes.ts";
import type { TestApp } from "#testing/test-app.ts";
import { aSessionWorld, anAuditedAccount, noticesOf } from "../testing/opening.ts";
import type { SessionWorld } from "../testing/opening.ts";

let app: TestApp;
let sessions: SessionWorld["sessions"];
let close: SessionWorld["close"];
before(async () => {
  ({ app, sessions, close } = await aSessionWorld());
});
after(() => close());

const watch = (who: TestPerson, { id }: Pick<Account, "id">, isWatched = true) =>
  app.call(watchAccount, { params: { id }, body: { is_watched: isWatched }, as: who.token });
const read = (who: TestPerson, { id }: Pick<Account, "id">) =>
  app.call(readAccountWatch, { params: { id }, as: who.token });

describe("watching an account", () => {
  test("is stored for the caller alone, audited, and undone", async () => {
    const { account, auditor, owner } = await anAuditedAccount(app);
    assert.deepEqual((await read(auditor, account)).body, { is_watched: false });
    for (const _ of [1, 2]) assert.equal((await watch(auditor, account)).status, 200);
    assert.deepEqual((await read(auditor, account)).body, { is_watched: true });
    assert.deepEqual((await read(owner, account)).body, { is_watched: false });
    assert.equal((await watch(auditor, account, false)).status, 200);
    assert.deepEqual((await read(auditor, account)).body, { is_watched: false });
    const { rows } = await app.database.pool.query<{ details: object }>(
      `select convert_from(canonical, 'UTF8')::jsonb -> 'details' as details from audit_entries
       where event = 'account.watch-changed' and result = 'success' and target_id = $1 order by seq`,
      [account.id],
    );
    assert.deepEqual(
      rows.map(({ details }) => details),
      [true, true, false].map((isWatched) => ({ is_watched: isWatched })),
    );
  });

  test("needs the permission to view the audit trail, and reveals no account to others", async () => {
    const { account, user } = await anAuditedAccount(app);
    for (const call of [watch, read]) {
      assert.equal((await call(user, account)).status, 403);
      assert.equal((await call(await aPerson(app), account)).status, 404);
    }
  });
});

describe("a session on a watched account", () => {
  test("notifies its watchers when it starts, and neither its user nor other auditors", async () => {
    const { account, auditor, user, owner, safe } = await anAuditedAccount(app);
    const admin = await firstAdmin(app);
    for (const who of [auditor, admin]) assert.equal((await watch(who, account)).status, 200);
    const other = await aPerson(app);
    await aMember(app, owner, safe, other, "auditor");
    await sessions.open(user, account);
    for (const who of [auditor, admin]) {
      const messages = (await noticesOf(app, who, "Session started")).filter((each) => each.includes(account.name));
      assert.equal(messages.length, 1);
      assert.match(messages[0]!, /works on .*, which you watch/);
    }
    for (const who of [user, other]) assert.deepEqual(await noticesOf(app, who, "Session started"), []);
  });

  test("with a high risk sends its watchers the alert about the risk alone", async () => {
    const { account, auditor, user } = await anAuditedAccount(app);
    await app.database.pool.query("update platforms set is_production = true where id = $1", [account.platform_id]);
    await watch(auditor, account);
    await sessions.open(user, account);
    assert.equal((await noticesOf(app, auditor, "High-risk session")).length, 1);
    assert.deepEqual(await noticesOf(app, auditor, "Session started"), []);
  });

  test("notifies its watchers when it is terminated, without the reason", async () => {
    const { account, auditor, user, owner } = await anAuditedAccount(app);
    for (const who of [auditor, owner]) await watch(who, account);
    const id = await sessions.open(user, account);
    assert.equal((await sessions.terminate(owner, id, "Confidential reason")).status, 200);
    const [message, ...others] = await noticesOf(app, auditor, "Session terminated");
    assert.deepEqual(others, []);
    assert.match(message!, new RegExp(`terminated the session of .* on ${account.name}, which you watch`));
    assert.doesNotMatch(message!, /Confidential/);
    assert.deepEqual(await noticesOf(app, owner, "Session terminated"), []);
    assert.equal((await noticesOf(app, user, "Session terminated")).length, 1);
  });

  test("notifies no watcher who may no longer view the audit trail of the safe", async () => {
    const { account, auditor, user, owner, safe, membership } = await anAuditedAccount(app);
    await watch(auditor, account);
    const removed = await app.call(removeSafeMember, {
      params: { id: safe.id, member_id: membership.id },
      as: owner.token,
    });
    assert.equal(removed.status, 200, removed.text);
    await sessions.open(user, account);
    assert.deepEqual(await noticesOf(app, auditor, "Session started"), []);
  });
});
