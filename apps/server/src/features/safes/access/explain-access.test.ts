// The access panel of a safe: it lists everyone who can use or retrieve its accounts, and why.
import { SAFE_PERMISSIONS, explainSafeAccess, setUserStatus, updateSafe } from "@strongroom/contract";
import type { EffectiveAccess, Safe } from "@strongroom/contract";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { aPlatform, anAccount } from "#testing/accounts.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aGroup, aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

let app: TestApp;
let admin: TestPerson;
before(async () => {
  app = await testApp();
  admin = await firstAdmin(app);
});
after(() => app.close());

const codeOf = (reply: { body: unknown }): string | undefined => (reply.body as { code?: string }).code;
const explain = (by: TestPerson, safe: Safe, query: { limit?: number; cursor?: string } = {}) =>
  app.call(explainSafeAccess, { params: { id: safe.id }, query, as: by.token });
async function accessTo(safe: Safe): Promise<EffectiveAccess[]> {
  const reply = await explain(admin, safe);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.access;
}
const of = (access: EffectiveAccess[], person: TestPerson) => access.filter(({ user_id }) => user_id === person.id);

/** Inserts an active grant as it is stored after approval. */
async function lend(account: { id: string }, to: TestPerson, how: { isBreakGlass?: boolean; isMapped?: boolean } = {}) {
  await app.database.pool.query(
    `insert into access_requests (id, user_id, account_id, is_mapped, resource, reason, duration_minutes, is_break_glass,
       state, starts_at, ends_at, created_at)
     values ($1, $2, $3, $4, 'An account', 'Nightly repair', 60, $5, 'granted', now(), now() + interval '1 hour', now())`,
    [randomUUID(), to.id, account.id, how.isMapped ?? false, how.isBreakGlass ?? false],
  );
}

test("lists members with their role or group and their permissions, and omits members who can only list", async () => {
  const [owner, user, lister, both] = [await aPerson(app), await aPerson(app), await aPerson(app), await aPerson(app)];
  const safe = await aSafe(app, owner);
  await anAccount(app, owner, safe);
  await aMember(app, owner, safe, user, ["use"]);
  await aMember(app, owner, safe, lister, "auditor");
  await aMember(app, owner, safe, both, "user");
  const group = await aGroup(app, [both]);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await aMember(app, owner, safe, group, ["retrieve"], until);
  const access = await accessTo(safe);
  const path = { needs_approval: false, expires_at: null };
  assert.deepEqual(of(access, owner)[0]?.paths, [
    { kind: "member", through: "Owner", can: ["use", "retrieve"], ...path },
  ]);
  assert.deepEqual(of(access, user)[0]?.paths, [{ kind: "member", through: "Custom", can: ["use"], ...path }]);
  assert.deepEqual([of(access, user)[0]?.can_use, of(access, user)[0]?.can_retrieve], [true, false]);
  assert.deepEqual(of(access, both)[0]?.paths, [
    { kind: "group", through: group.name, can: ["retrieve"], needs_approval: false, expires_at: until },
    { kind: "member", through: "User", can: ["use", "retrieve"], ...path },
  ]);
  assert.deepEqual([of(access, lister), of(access, admin), access.length], [[], [], 3]);
});

test("marks access as needing approval if every platform requires approval, except for members exempt from confirmation", async () => {
  const [owner, user] = [await aPerson(app), await aPerson(app)];
  const safe = await aSafe(app, owner);
  const platform = await aPlatform(app, { approvals_level_1: 1 });
  await anAccount(app, owner, safe, { platform_id: platform.id });
  await aMember(app, owner, safe, user, "user");
  const asks = async () => {
    const access = await accessTo(safe);
    return [of(access, owner)[0]?.paths[0]?.needs_approval, of(access, user)[0]?.paths[0]?.needs_approval];
  };
  assert.deepEqual(await asks(), [false, true]);
  // Now one account in the safe can be used without approval.
  await anAccount(app, owner, safe);
  assert.deepEqual(await asks(), [false, false]);
});

test("lists grants with account, reason and end time, including emergency access and grants to users outside the safe", async () => {
  const [owner, lister, outsider, stranger] = [
    await aPerson(app),
    await aPerson(app),
    await aPerson(app),
    await aPerson(app),
  ];
  const safe = await aSafe(app, owner);
  const account = await anAccount(app, owner, safe);
  await aMember(app, owner, safe, lister, "auditor");
  await lend(account, lister, { isBreakGlass: true });
  await lend(account, outsider, { isMapped: true });
  await lend(account, stranger);
  const access = await accessTo(safe);
  const [emergency] = of(access, lister);
  assert.deepEqual([emergency?.account_id, emergency?.paths[0]?.kind], [account.id, "break-glass"]);
  assert.deepEqual(
    [of(access, outsider)[0]?.paths[0]?.kind, of(access, outsider)[0]?.paths[0]?.through],
    ["grant", "Nightly repair"],
  );
  assert.ok(Date.parse(of(access, outsider)[0]?.paths[0]?.expires_at ?? "") > Date.now());
  assert.deepEqual(of(access, stranger), []);
});

test("is empty while the safe is inactive, and omits disabled users and expired memberships", async () => {
  const [owner, gone, expired] = [await aPerson(app), await aPerson(app), await aPerson(app)];
  const safe = await aSafe(app, owner);
  await aMember(app, owner, safe, gone, "user");
  const member = await aMember(app, owner, safe, expired, "user");
  await app.database.pool.query("update safe_members set expires_at = now() where id = $1", [member.id]);
  await app.call(setUserStatus, { params: { id: gone.id }, body: { status: "disabled" }, as: admin.token });
  assert.deepEqual(
    (await accessTo(safe)).map(({ user_id }) => user_id),
    [owner.id],
  );
  const body = { name: safe.name, description: safe.description, status: "archived" } as const;
  await app.call(updateSafe, { params: { id: safe.id }, body, as: owner.token });
  assert.deepEqual(await accessTo(safe), []);
});

test("is paged, and lists each user once", async () => {
  const owner = await aPerson(app);
  const safe = await aSafe(app, owner);
  const people = [owner, await aPerson(app), await aPerson(app), await aPerson(app), await aPerson(app)];
  await aMember(app, owner, safe, await aGroup(app, people), "user");
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const { body } = await explain(owner, safe, { limit: 2, ...(cursor === undefined ? {} : { cursor }) });
    assert.ok(body.access.length <= 2);
    seen.push(...body.access.map(({ user_id }) => user_id));
    cursor = body.next_cursor ?? undefined;
  } while (cursor !== undefined);
  assert.deepEqual(seen.toSorted(), people.map(({ id }) => id).toSorted());
});

test("requires the permission to manage members or view the audit, or the administrator role", async () => {
  const owner = await aPerson(app);
  const safe = await aSafe(app, owner);
  for (const permission of SAFE_PERMISSIONS) {
    const member = await aPerson(app);
    await aMember(app, owner, safe, member, [permission]);
    const reply = await explain(member, safe);
    const isAllowed = permission === "manage_members" || permission === "view_audit";
    assert.equal(reply.status, isAllowed ? 200 : 403, permission);
    if (!isAllowed) assert.equal(codeOf(reply), "safe.permission-missing");
  }
  assert.equal((await explain(await aPerson(app, "manager"), safe)).status, 404);
});
