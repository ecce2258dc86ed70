// Tests listing, creating, updating and deleting platforms.
import { createPlatform, deletePlatform, listPlatforms, readPlatform, updatePlatform } from "@strongroom/contract";
import type { Platform } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPlatform, aPolicy, anAccount } from "#testing/accounts.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import { aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

async function create(fields: object, as?: string) {
  const token = as ?? (await firstAdmin(app)).token;
  return app.call(createPlatform, { body: { ...aPolicy, ...fields }, as: token });
}

async function edit(platform: Platform, fields: object) {
  const { id, account_count: _, reconcile_readiness: ____, created_at: __, updated_at: ___, ...body } = platform;
  const { token } = await firstAdmin(app);
  return app.call(updatePlatform, { params: { id }, body: { ...body, ...fields }, as: token });
}

async function detailsOf(id: string, event: string) {
  const { rows } = await app.database.pool.query(
    `select convert_from(canonical, 'UTF8')::jsonb -> 'details' as details from audit_entries
     where target_type = 'platform' and target_id = $1 and event = $2 and result = 'success' order by id`,
    [id, event],
  );
  return rows.map(({ details }) => details);
}

test("OPEN-78: a platform for each system type exists from the start, and every user may read all platforms", async () => {
  const person = await aPerson(app);
  const { body } = await app.call(listPlatforms, { as: person.token });
  const names = body.platforms.map(({ name }) => name);
  for (const name of ["Windows", "Linux", "PostgreSQL", "MySQL and MariaDB", "Website"])
    assert.ok(names.includes(name));
  assert.deepEqual(
    names,
    names.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
  );
  const linux = body.platforms.find(({ name }) => name === "Linux")!;
  const one = await app.call(readPlatform, { params: { id: linux.id }, as: person.token });
  assert.deepEqual(one.body, linux);
  const narrowed = await app.call(listPlatforms, {
    query: { system_type: "Linux", is_active: "true" },
    as: person.token,
  });
  assert.ok(narrowed.body.platforms.every((each) => each.system_type === "Linux" && each.is_active));
});

describe("changing platforms", () => {
  test("is refused for every role except administrator", async () => {
    const platform = await aPlatform(app);
    for (const role of ["user", "manager"] as const) {
      const { token } = await aPerson(app, role);
      assert.equal((await create({ name: "Their own" }, token)).status, 403);
      const params = { id: platform.id };
      assert.equal((await app.call(updatePlatform, { params, body: aPolicy, as: token })).status, 403);
      assert.equal((await app.call(deletePlatform, { params, as: token })).status, 403);
    }
  });

  test("names are unique regardless of case, and can be reused after a deletion", async () => {
    const { token } = await firstAdmin(app);
    const first = await create({ name: "Core banking" });
    assert.equal(first.status, 201, first.text);
    const second = await create({ name: "CORE Banking" });
    assert.equal(second.status, 409);
    assert.ok(second.text.includes('"platform.name-taken"') && second.text.includes('"path":"name"'), second.text);
    assert.equal((await edit(first.body, { name: "Core BANKING" })).status, 200);
    assert.equal((await app.call(deletePlatform, { params: { id: first.body.id }, as: token })).status, 200);
    assert.equal((await app.call(readPlatform, { params: { id: first.body.id }, as: token })).status, 404);
    assert.equal((await create({ name: "Core banking" })).status, 201);
  });

  test("only one of twenty simultaneous creations with the same name succeeds", async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => create({ name: "Wanted by all" })));
    const of = (status: number) => replies.filter((reply) => reply.status === status).length;
    assert.deepEqual([of(201), of(409)], [1, 19]);
  });

  test("a change is audited with the old and new value of each policy and reaches every browser", async () => {
    const person = await aPerson(app);
    const platform = await aPlatform(app);
    const heard: string[] = [];
    const subscription = await app.kernel.events.subscribe({}, ({ type, audience, data }) => {
      if (audience === "everyone") heard.push(`${type} ${String(data["platform_id"])}`);
    });
    const reply = await edit(platform, { approvals_level_1: 2, reason_required: true, description: "New" });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(await detailsOf(platform.id, "platform.updated"), [
      {
        changed: {
          approvals_level_1: { from: 0, to: 2 },
          reason_required: { from: false, to: true },
          description: true,
        },
      },
    ]);
    const same = await edit(reply.body, {});
    assert.equal(same.status, 200);
    assert.deepEqual((await detailsOf(platform.id, "platform.updated"))[1], { changed: {} });
    await eventually(async () => (heard.includes(`platform.changed ${platform.id}`) ? true : null));
    subscription.close();
    assert.equal(
      (await app.call(readPlatform, { params: { id: platform.id }, as: person.token })).body.approvals_level_1,
      2,
    );
  });
});

describe("a platform that is in use", () => {
  test("cannot be deleted while accounts use it, and the refusal states their number", async () => {
    const { token } = await firstAdmin(app);
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const platform = await aPlatform(app);
    const account = await anAccount(app, owner, safe, { platform_id: platform.id });
    assert.equal((await app.call(readPlatform, { params: { id: platform.id }, as: token })).body.account_count, 1);
    const refused = await app.call(deletePlatform, { params: { id: platform.id }, as: token });
    assert.equal(refused.status, 409);
    assert.ok(refused.text.includes("An account uses"), refused.text);
    await app.database.pool.query("update credentials set deleted_at = now() where id = $1", [account.id]);
    assert.equal((await app.call(deletePlatform, { params: { id: platform.id }, as: token })).status, 200);
  });

  test("only an existing account is accepted as the reconcile account", async () => {
    const owner = await aPerson(app);
    const account = await anAccount(app, owner, await aSafe(app, owner));
    const good = await create({ name: "With a helper", reconcile_account_id: account.id });
    assert.equal(good.status, 201, good.text);
    const bad = await create({ name: "Without", reconcile_account_id: crypto.randomUUID() });
    assert.equal(bad.status, 422);
    assert.ok(bad.text.includes('"platform.reconcile-account-unknown"'), bad.text);
  });
});

test("a change of the platform's verification interval applies to its accounts", async () => {
  const owner = await aPerson(app);
  const safe = await aSafe(app, owner);
  const platform = await aPlatform(app, { verify_every_hours: null });
  const of = { platform_id: platform.id };
  const proved = await anAccount(app, owner, safe, of);
  const refused = await anAccount(app, owner, safe, of);
  const untried = await anAccount(app, owner, safe, of);
  const tried = "last_verification_attempt = '2026-11-01T00:00:00Z', verify_after = null";
  const run = (text: string, id: string) => app.database.pool.query(text, [id]);
  await run(`update credentials set verification_status = 'verified', ${tried} where id = $1`, proved.id);
  await run(
    `update credentials set verification_status = 'rejected', rejected_revision = login_revision, ${tried} where id = $1`,
    refused.id,
  );
  const next = async (id: string) =>
    (await run("select verify_after from credentials where id = $1", id)).rows[0].verify_after as Date | null;
  const becomes = (id: string, time: string | null) =>
    eventually(async () => (((await next(id))?.toISOString() ?? null) === time ? true : null));

  assert.equal((await edit(platform, { verify_every_hours: 12 })).status, 200);
  await becomes(proved.id, "2026-11-01T12:00:00.000Z");
  assert.deepEqual([await next(refused.id), await next(untried.id)], [null, null]);
  assert.equal((await edit(platform, { verify_every_hours: null })).status, 200);
  await becomes(proved.id, null);
});

test("contradictory limits are refused with the field's name", async () => {
  const cases = [
    [{ default_duration_minutes: 120, max_duration_minutes: 60 }, "default_duration_minutes"],
    [{ approvals_level_1: 0, approvals_level_2: 1 }, "approvals_level_2"],
    [{ password_rules: { ...aPolicy.password_rules, length: 100, max_length: 64 } }, "password_rules.length"],
  ] as const;
  for (const [fields, path] of cases) {
    const reply = await create({ name: "Contradictory", ...fields });
    assert.equal(reply.status, 400);
    assert.ok(reply.text.includes(`"path":"${path}"`), reply.text);
  }
});
