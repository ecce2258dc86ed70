// Tests retrieving accounts: permissions, platform policies, exclusive check-outs and their consequences.
import {
  checkInAccount,
  createAccessRequest,
  extendAccessRequest,
  moveAccount,
  readAccount,
  readAccountDetails,
  retrieveAccount,
  retrieveAccountVersion,
  setUserStatus,
} from "@strongroom/contract";
import type { Account, InputOf } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { aPlatform, anAccount } from "#testing/accounts.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import { endExpiredCheckOuts } from "./checkout/check-outs.ts";

let app: TestApp;
/** A second process on the same database. */
let second: TestApp;
before(async () => {
  app = await testApp();
  second = await testApp({
    database: { ...app, connection: app.database.connection, drop: async () => {} },
    dataFolder: app.dataFolder,
  });
});
afterEach(() => accessTime("0 seconds"));
after(async () => {
  await second.stopOnly();
  await app.close();
});

/** Shifts the database's access time from the real time by this interval. */
const accessTime = (interval: string) =>
  app.database.pool.query(
    `create or replace function access_time() returns timestamptz language sql stable parallel safe as
     $$ select statement_timestamp() + interval '${interval}' $$`,
  );

type Body = NonNullable<InputOf<typeof retrieveAccount>["body"]>;
type Which = Pick<Account, "id">;

const retrieve = (who: TestPerson, { id }: Which, body: Body = {}, at = app) =>
  at.call(retrieveAccount, { params: { id }, body, as: who.token });
const read = (who: TestPerson, { id }: Which) => app.call(readAccount, { params: { id }, as: who.token });
const details = async (who: TestPerson, { id }: Which) =>
  (await app.call(readAccountDetails, { params: { id }, as: who.token })).body;
const checkIn = (who: TestPerson, { id }: Which) => app.call(checkInAccount, { params: { id }, as: who.token });

type Policy = NonNullable<Parameters<typeof aPlatform>[1]>;

/** An account on a platform with this policy, its owner, and a member who may use and retrieve it. */
async function aScene(policy: Policy = {}) {
  const owner = await aPerson(app);
  const safe = await aSafe(app, owner);
  const platform = await aPlatform(app, policy);
  const database = { database_name: "a", schema_name: "a" };
  const ofPostgresql = { system_type: "postgresql", connection_method: "SQL", ...database } as const;
  const system = policy.system_type === "postgresql" ? ofPostgresql : {};
  const account = await anAccount(app, owner, safe, { platform_id: platform.id, ...system });
  const member = await aPerson(app);
  await aMember(app, owner, safe, member, "user");
  return { owner, safe, account, member };
}

async function entriesOf(id: string, event = "account.retrieved") {
  const { rows } = await app.database.pool.query(
    `select result, actor_id, convert_from(canonical, 'UTF8')::jsonb as entry from audit_entries
     where target_type = 'account' and target_id = $1 and event = $2 order by id`,
    [id, event],
  );
  return rows as { result: string; actor_id: string; entry: { reason?: string; details?: Record<string, unknown> } }[];
}

async function wishOf(id: string): Promise<string | null> {
  const { rows } = await app.database.pool.query("select rotation_wanted_because as wish from accounts where id = $1", [
    id,
  ]);
  return rows[0].wish;
}

describe("the password of an account", () => {
  test("OPEN-55: is returned only after its audit entry is written, including reason and ticket", async () => {
    const { account, member } = await aScene();
    const reply = await retrieve(member, account, { reason: "Restart", ticket: "CHG-1" });
    assert.deepEqual(reply.body, { password: account.password, check_out: null });
    const [entry, ...others] = await entriesOf(account.id);
    assert.deepEqual([entry?.result, entry?.actor_id, entry?.entry.reason], ["success", member.id, "Restart"]);
    assert.equal(entry?.entry.details?.["ticket"], "CHG-1");
    assert.deepEqual(others, []);
    assert.notEqual((await details(member, account)).last_accessed, null);
  });

  test("ACC-34: is returned when the account is read, which counts as a retrieval", async () => {
    const { account, member } = await aScene();
    const { body } = await read(member, account);
    assert.deepEqual([body.password, body.name], [account.password, account.name]);
    assert.deepEqual(
      (await entriesOf(account.id)).map(({ result }) => result),
      ["success"],
    );
    assert.notEqual(body.last_accessed, null);
  });

  test("is null for users who may only see the account, and the audit trail records that no password was returned", async () => {
    const { owner, safe, account } = await aScene();
    const viewer = await aPerson(app);
    await aMember(app, owner, safe, viewer, ["list", "use"]);
    for (const person of [viewer, await firstAdmin(app)]) {
      const reply = await read(person, account);
      assert.equal(reply.status, 200);
      assert.equal(reply.body.password, null);
      assert.ok(!reply.text.includes(account.password));
      assert.equal((await retrieve(person, account)).status, 403);
    }
    const results = (await entriesOf(account.id)).map(({ result, entry }) => [result, entry.details?.["password"]]);
    assert.deepEqual(results, [
      ["info", false],
      ["failure", undefined],
      ["info", false],
      ["failure", undefined],
    ]);
    assert.equal((await details(owner, account)).last_accessed, null);
  });

  test("INVARIANT: a candidate secret is returned only to secret managers, not to users with other access to the account", async () => {
    const { account, member } = await aScene({
      one_time_password: true,
      system_type: "postgresql",
      connection_method: "SQL",
    });
    await app.database.pool.query(
      `insert into secret_versions (credential_id, version, envelope, created_at, reason, is_candidate)
       select credential_id, 2, envelope, now(), 'rotated', true from secret_versions where credential_id = $1`,
      [account.id],
    );
    const params = { id: account.id, version: 2 };
    const refused = await app.call(retrieveAccountVersion, { params, as: member.token });
    assert.equal(refused.status, 403, refused.text);
    assert.match(refused.text, /"safe.permission-missing"/);
    assert.equal((await retrieve(member, account)).body.password, account.password);
  });

  test("is refused with 404 to users who may not see the account, as if it did not exist", async () => {
    const { account } = await aScene();
    const stranger = await aPerson(app);
    for (const call of [retrieve, read]) {
      const [foreign, missing] = [
        await call(stranger, account),
        await call(stranger, { id: crypto.randomUUID() as Account["id"] }),
      ];
      assert.equal(foreign.status, 404);
      assert.deepEqual({ ...foreign.body, request_id: null }, { ...missing.body, request_id: null });
    }
  });

  test("is not returned when the audit trail cannot be written", async () => {
    const { account, member, owner } = await aScene({ exclusive_check_out: true });
    await app.database.pool.query("alter table audit_pending rename to audit_pending_away");
    try {
      for (const reply of await Promise.all([
        retrieve(member, account),
        read(member, account),
        retrieve(owner, account),
      ])) {
        assert.equal(reply.status, 500);
        assert.ok(!reply.text.includes(account.password));
      }
    } finally {
      await app.database.pool.query("alter table audit_pending_away rename to audit_pending");
    }
    const { last_accessed, check_out } = await details(member, account);
    assert.deepEqual([last_accessed, check_out], [null, null]);
  });

  test("is refused when its envelope comes from another account", async () => {
    const { owner, safe, account } = await aScene();
    const other = await anAccount(app, owner, safe);
    await app.database.pool.query(
      `update secret_versions set envelope = (select envelope from secret_versions where credential_id = $1)
       where credential_id = $2`,
      [other.id, account.id],
    );
    const [refused, answered] = await Promise.all([retrieve(owner, account), retrieve(owner, other)]);
    assert.equal(refused.status, 500);
    assert.ok(!refused.text.includes(other.password));
    assert.equal(answered.body.password, other.password);
  });
});

describe("the platform's policy", () => {
  test("requires an approval from members with the permission, unless they are exempt from confirmation", async () => {
    const { account, owner, member } = await aScene({ approvals_level_1: 1 });
    const refused = await retrieve(member, account);
    assert.equal(refused.status, 403);
    assert.ok(refused.text.includes('"account.approval-needed"'), refused.text);
    const shown = await details(member, account);
    assert.deepEqual([shown.needs_approval, shown.my_permissions], [true, ["list"]]);
    assert.equal((await read(member, account)).body.password, null);
    assert.equal((await retrieve(owner, account)).body.password, account.password);
  });

  test("requires a reason and a ticket before returning anything", async () => {
    const { account, member } = await aScene({ reason_required: true, ticket_required: true });
    const cases: [Body, string][] = [
      [{}, "account.reason-required"],
      [{ reason: "   ", ticket: "CHG-1" }, "account.reason-required"],
      [{ reason: "Restart" }, "account.ticket-required"],
    ];
    for (const [body, code] of cases) {
      const reply = await retrieve(member, account, body);
      assert.equal(reply.status, 422, reply.text);
      assert.ok(reply.text.includes(`"${code}"`) && !reply.text.includes(account.password), reply.text);
    }
    assert.equal((await read(member, account)).status, 422);
    const version = { id: account.id, version: 1 };
    assert.equal((await app.call(retrieveAccountVersion, { params: version, as: member.token })).status, 422);
    const given = await retrieve(member, account, { reason: "Restart", ticket: "CHG-1" });
    assert.equal(given.body.password, account.password, given.text);
  });

  test("schedules the rotation of a one-time password as soon as it is retrieved", async () => {
    const { account, member } = await aScene({
      one_time_password: true,
      system_type: "postgresql",
      connection_method: "SQL",
    });
    assert.equal(await wishOf(account.id), null);
    await retrieve(member, account);
    assert.equal(await wishOf(account.id), "one-time");
    assert.equal((await details(member, account)).rotation_status, "overdue");
  });
});

describe("an exclusive check-out", () => {
  const policy = { exclusive_check_out: true, rotate_after_check_in: true, default_duration_minutes: 30 };

  test("starts at the retrieval, lasts for the platform's default duration, and shows its holder and end to other users", async () => {
    const { account, owner, member } = await aScene(policy);
    const { body } = await retrieve(member, account);
    const { check_out: mine } = body;
    assert.ok(mine !== null && mine.user_id === member.id && mine.is_own);
    assert.equal(Date.parse(mine.until) - Date.parse(mine.since), 30 * 60_000);
    const refused = await retrieve(owner, account);
    assert.equal(refused.status, 409);
    assert.ok(refused.text.includes('"account.checked-out"'), refused.text);
    assert.ok(refused.text.includes(mine.until.slice(11, 16)), refused.text);
    assert.equal((await read(owner, account)).status, 409);
    assert.equal((await details(owner, account)).check_out?.is_own, false);
    const again = await retrieve(member, account);
    assert.deepEqual(again.body.check_out, mine);
  });

  test("ends with the check-in, which frees the account and schedules a rotation of the retrieved secret", async () => {
    const { account, owner, member } = await aScene(policy);
    await retrieve(member, account);
    const given = await checkIn(member, account);
    assert.equal(given.status, 200, given.text);
    assert.deepEqual([given.body.check_out, given.body.rotation_status], [null, "overdue"]);
    assert.equal(await wishOf(account.id), "check-in");
    assert.equal((await retrieve(owner, account)).status, 200);
    assert.deepEqual(
      (await entriesOf(account.id, "account.checked-in")).map(({ result }) => result),
      ["success"],
    );
  });

  test("can be ended by members who manage the safe, but not by users without this permission", async () => {
    const { account, owner, safe, member } = await aScene(policy);
    const other = await aPerson(app);
    await aMember(app, owner, safe, other, "user");
    await retrieve(member, account);
    assert.equal((await checkIn(other, account)).status, 403);
    assert.equal((await checkIn(await aPerson(app), account)).status, 404);
    assert.equal((await checkIn(owner, account)).status, 200);
    const nobody = await checkIn(owner, account);
    assert.equal(nobody.status, 409);
    assert.ok(nobody.text.includes('"account.not-checked-out"'), nobody.text);
  });

  test("expires by the database's clock, and a job then records the end and schedules the rotation", async () => {
    const { account, owner, member } = await aScene(policy);
    await retrieve(member, account);
    await accessTime("29 minutes 30 seconds");
    assert.equal((await retrieve(owner, account)).status, 409);
    await accessTime("31 minutes");
    assert.equal((await details(owner, account)).check_out, null);
    assert.equal((await checkIn(member, account)).status, 409);
    await endExpiredCheckOuts(app.kernel);
    assert.equal(await wishOf(account.id), "check-in");
    const ended = await entriesOf(account.id, "account.checked-in");
    assert.equal(ended.at(-1)?.entry.details?.["is_expired"], true);
    await endExpiredCheckOuts(app.kernel);
    assert.equal((await entriesOf(account.id, "account.checked-in")).length, ended.length);
  });

  test("passes to the next user as soon as it has expired, and the rotation is still scheduled", async () => {
    const { account, owner, member } = await aScene(policy);
    await retrieve(member, account);
    await accessTime("31 minutes");
    const next = await retrieve(owner, account);
    assert.equal(next.body.check_out?.is_own, true, next.text);
    assert.equal(await wishOf(account.id), "check-in");
  });

  test("lasts as long as its grant, including extensions", async () => {
    const { account, owner, member } = await aScene({ ...policy, approve_extensions: false });
    const asked = { resource: account.name, account_id: account.id, reason: "To repair it", durationMinutes: 30 };
    const granted = await app.call(createAccessRequest, { body: asked, as: member.token });
    assert.equal((await retrieve(member, account)).status, 200);
    const params = { id: granted.body.id };
    const longer = await app.call(extendAccessRequest, { params, body: { extensionMinutes: 30 }, as: member.token });
    assert.equal(longer.status, 200, longer.text);
    assert.equal((await details(owner, account)).check_out?.until, longer.body.expires_at);
    await accessTime("45 minutes");
    await endExpiredCheckOuts(app.kernel);
    assert.equal(await wishOf(account.id), null);
    assert.equal((await retrieve(owner, account)).status, 409);
    await accessTime("61 minutes");
    assert.equal((await retrieve(owner, account)).status, 200);
  });

  test("ends when the account is moved, and the rotation of the retrieved secret is scheduled", async () => {
    const { account, owner, member } = await aScene(policy);
    await retrieve(member, account);
    const params = { id: account.id };
    const to = await aSafe(app, owner);
    const moved = await app.call(moveAccount, { params, body: { safe_id: to.id }, as: owner.token });
    assert.deepEqual([moved.status, moved.body.check_out, await wishOf(account.id)], [200, null, "check-in"]);
  });

  test("does not deadlock when its holder is disabled at the same time", async () => {
    const { account, member } = await aScene(policy);
    const asked = { resource: account.name, account_id: account.id, reason: "To repair it" };
    assert.equal((await app.call(createAccessRequest, { body: asked, as: member.token })).body.status, "active");
    const admin = await firstAdmin(app);
    const retrieval = await app.database.pool.connect();
    try {
      await retrieval.query("begin");
      await retrieval.query("set local lock_timeout = '3s'");
      await retrieval.query("select from credentials where id = $1 for no key update", [account.id]);
      const params = { id: member.id as never };
      const disabling = app.call(setUserStatus, { params, body: { status: "disabled" }, as: admin.token });
      await eventually(async () => {
        const { rows } = await app.database.pool.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return rows.length === 1 ? true : null;
      });
      await retrieval.query(
        "insert into account_check_outs (account_id, user_id, since, until) values ($1, $2, now(), now())",
        [account.id, member.id],
      );
      await retrieval.query("commit");
      const disabled = await disabling;
      assert.equal(disabled.status, 200, disabled.text);
    } finally {
      retrieval.release();
    }
  });

  test("is won by one user among 200 simultaneous attempts on two processes", async () => {
    const { account, owner, safe } = await aScene(policy);
    const people: TestPerson[] = [];
    for (let number = 0; number < 20; number++) {
      const person = await aPerson(app);
      await aMember(app, owner, safe, person, "user");
      people.push(person);
    }
    const asks = Array.from({ length: 200 }, (_, number) => ({
      person: people[number % people.length]!,
      at: number % 3 === 0 ? second : app,
    }));
    const replies = await Promise.all(
      asks.map(async ({ person, at }) => ({ person, reply: await retrieve(person, account, {}, at) })),
    );
    const won = replies.filter(({ reply }) => reply.status === 200);
    const winners = new Set(won.map(({ person }) => person.id));
    assert.equal(winners.size, 1);
    assert.equal(won.length, 10);
    for (const { person, reply } of replies) {
      if (winners.has(person.id)) assert.equal(reply.body.password, account.password);
      else {
        assert.equal(reply.status, 409, reply.text);
        assert.ok(!reply.text.includes(account.password));
      }
    }
    const recorded = await entriesOf(account.id);
    assert.equal(recorded.filter(({ result }) => result === "success").length, won.length);
    assert.equal(recorded.filter(({ result }) => result === "failure").length, 200 - won.length);
  });
});
