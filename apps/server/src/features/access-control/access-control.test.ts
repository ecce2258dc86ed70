// Access overviews and previews: visibility of other users, the permissions that a preview requires, its result, and
// its lock timeouts.
import {
  addGroupMember,
  createToken,
  listAccessPeople,
  listAccessSafes,
  listPersonAccounts,
  listPersonSafes,
  previewAccessChange,
  readAccessPerson,
  readAccount,
  updateSafe,
} from "@strongroom/contract";
import type { AccessChange, Scope } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
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

describe("the access overview", () => {
  test("shows a manager the users of the safes they manage or audit, and nothing about other safes", async () => {
    const [manager, member, outsider] = [await aPerson(app, "manager"), await aPerson(app), await aPerson(app)];
    const own = await aSafe(app, manager);
    const foreign = await aSafe(app, admin);
    await aMember(app, manager, own, member, "user");
    await aMember(app, admin, foreign, member, ["list", "use"]);
    await aMember(app, admin, foreign, outsider, "user");
    await aMember(app, admin, foreign, manager, "user");
    await anAccount(app, manager, own);
    await anAccount(app, admin, foreign);
    const as = manager.token;
    const { people: seen } = (await app.call(listAccessPeople, { query: { limit: 100 }, as })).body;
    assert.deepEqual(new Set(seen.map(({ user_id }) => user_id)), new Set([manager.id, member.id]));
    assert.deepEqual(
      seen.filter(({ user_id }) => user_id === member.id).map((each) => [each.safes, each.accounts_usable]),
      [[1, 1]],
    );
    const safes = (await app.call(listAccessSafes, { as })).body.safes;
    assert.deepEqual(
      safes.map(({ safe_id, people: count }) => [safe_id, count]),
      [[own.id, 2]],
    );
    const params = { id: member.id };
    const elsewhere = await app.call(listPersonAccounts, { params, query: { safe_id: foreign.id }, as });
    assert.equal(elsewhere.status, 404, elsewhere.text);
    for (const endpoint of [listAccessPeople, listAccessSafes]) {
      assert.equal((await app.call(endpoint, { as: member.token })).status, 403);
    }
  });

  test("can be searched by name and role, is paged, and shows the source of each access", async () => {
    const group = await aGroup(app, [], { name: "Night shift", may_break_glass: true });
    const found: TestPerson[] = [];
    for (let number = 0; number < 3; number += 1) found.push(await aPerson(app));
    await app.database.pool.query("update users set name = 'Zoe ' || email where id = any($1)", [
      found.map(({ id }) => id),
    ]);
    const safe = await aSafe(app, admin, { access_level: "public" });
    await aMember(app, admin, safe, group, "user", new Date(Date.now() + 86_400_000).toISOString());
    await app.call(addGroupMember, { params: { id: group.id }, body: { user_id: found[0]!.id }, as: admin.token });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { search: "zoe", role: "user" as const, limit: 2, cursor };
      const page = (await app.call(listAccessPeople, { query, as: admin.token })).body;
      seen.push(...page.people.map(({ user_id }) => user_id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    assert.deepEqual(new Set(seen), new Set(found.map(({ id }) => id)));
    assert.equal(seen.length, 3);
    const params = { id: found[0]!.id };
    const one = (await app.call(readAccessPerson, { params, as: admin.token })).body;
    assert.deepEqual([one.may_break_glass, one.in_groups.map(({ name }) => name)], [true, ["Night shift"]]);
    const query = { search: safe.name };
    const [there] = (await app.call(listPersonSafes, { params, query, as: admin.token })).body.safes;
    assert.deepEqual(
      there!.paths.map(({ kind, through, expires_at }) => [kind, through, expires_at !== null]),
      [
        ["access-level", "public", false],
        ["group", "Night shift", true],
      ],
    );
  });
});

describe("a preview", () => {
  const tell = (change: AccessChange, as = admin.token) => app.call(previewAccessChange, { body: { change }, as });

  test("shows that a newly required approval removes `use` and `retrieve` from members who are not exempt from confirmation", async () => {
    const [member, confirmed] = [await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, admin);
    const platform = await aPlatform(app);
    for (let number = 0; number < 3; number += 1) await anAccount(app, admin, safe, { platform_id: platform.id });
    await anAccount(app, admin, safe);
    await aMember(app, admin, safe, member, "user");
    await aMember(app, admin, safe, confirmed, ["use", "retrieve", "access_without_confirmation"]);
    const approvals = { approvals_level_1: 1, approvals_level_2: 0 };
    const { body } = await tell({ kind: "platform-approvals", platform_id: platform.id, ...approvals });
    // The owner needs no confirmation either, so only one user loses access.
    assert.deepEqual([body.people_losing, body.people_gaining, body.accounts], [1, 0, 3]);
    assert.deepEqual(
      body.people.map(({ user_id, changes }) => [
        user_id,
        changes.map((each) => [each.permission, each.accounts_lost, each.accounts_askable]),
      ]),
      [
        [
          member.id,
          [
            ["use", 3, 3],
            ["retrieve", 3, 3],
          ],
        ],
      ],
    );
  });

  test("shows that a disabled user loses all access, and that archiving a safe removes the access of all its members", async () => {
    const member = await aPerson(app);
    const safe = await aSafe(app, admin);
    const account = await anAccount(app, admin, safe);
    await aMember(app, admin, safe, member, "user");
    const predicted = async (change: AccessChange) => {
      const { status, body, text } = await tell(change);
      assert.equal(status, 200, text);
      const own = body.people.find(({ user_id }) => user_id === member.id);
      const losses = own?.changes.filter((each) => each.accounts_lost === 1).map(({ permission }) => permission);
      return { people: body.people_losing, accounts: body.accounts, losses };
    };
    assert.deepEqual(await predicted({ kind: "person-disabled", user_id: member.id }), {
      people: 1,
      accounts: 1,
      losses: ["list", "use", "retrieve"],
    });
    const closed = await predicted({ kind: "safe-changed", safe_id: safe.id, status: "archived" });
    assert.ok(closed.people >= 2, "the owner loses too");
    assert.deepEqual(closed.losses, ["use", "retrieve"]);
    // The preview changed nothing.
    const still = await app.call(readAccount, { params: { id: account.id }, as: member.token });
    assert.equal(still.status, 200, still.text);
  });

  test("shows who would see a safe after its access level changes or a group becomes a team", async () => {
    const [owner, colleague] = [await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    const group = await aGroup(app, [owner, colleague]);
    const gaining = async (change: AccessChange): Promise<string[]> => {
      const { status, body, text } = await tell(change);
      assert.equal(status, 200, text);
      return body.people
        .filter(({ changes }) => changes.some((each) => each.safes_gained > 0))
        .map((each) => each.user_id);
    };
    const team: AccessChange = { kind: "safe-changed", safe_id: safe.id, access_level: "team" };
    assert.deepEqual(await gaining(team), []);
    const edit = { name: safe.name, description: null, access_level: "team" as const };
    assert.equal((await app.call(updateSafe, { params: { id: safe.id }, body: edit, as: owner.token })).status, 200);
    const kind: AccessChange = { kind: "group-kind-changed", group_id: group.id, group_kind: "team" };
    assert.deepEqual(await gaining(kind), [colleague.id]);
    const refused = await tell(kind, owner.token);
    assert.equal(refused.status, 403);
    const unseen: AccessChange = { kind: "safe-changed", safe_id: safe.id, status: "inactive" };
    assert.equal((await tell(unseen, colleague.token)).status, 404);
  });

  test("requires the same permissions as the change itself and is recorded in the audit trail", async () => {
    const [owner, other] = [await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    const mine: AccessChange = {
      kind: "member-added",
      safe_id: safe.id,
      member: { user_id: other.id, role: "user", expires_at: null },
    };
    assert.equal((await tell(mine, owner.token)).status, 200);
    assert.equal((await tell(mine, other.token)).status, 404);
    assert.equal((await tell({ kind: "role-changed", user_id: other.id, role: "admin" }, owner.token)).status, 403);
    const made = await tell({ kind: "role-changed", user_id: other.id, role: "admin" });
    assert.equal(made.status, 200, made.text);
    assert.ok(
      made.body.people[0]!.changes.some((each) => each.permission === "manage_members" && each.safes_gained > 0),
    );
    const { rows } = await app.database.pool.query(
      "select result, count(*)::integer from audit_entries where event = 'access-control.previewed' and actor_id = any($1) group by 1 order by 1",
      [[owner.id, other.id]],
    );
    assert.deepEqual(rows, [
      { result: "failure", count: 2 },
      { result: "success", count: 1 },
    ]);
  });

  test("needs the scope of the change if made with an API token: `access.preview` alone is not enough", async () => {
    const other = await aPerson(app);
    const platform = await aPlatform(app);
    const safe = await aSafe(app, admin);
    const asks: [AccessChange, Scope][] = [
      [{ kind: "role-changed", user_id: other.id, role: "manager" }, "user.manage"],
      [{ kind: "group-deleted", group_id: (await aGroup(app, [])).id }, "group.manage"],
      [
        { kind: "platform-approvals", platform_id: platform.id, approvals_level_1: 1, approvals_level_2: 0 },
        "platform.manage",
      ],
      [
        { kind: "member-added", safe_id: safe.id, member: { user_id: other.id, role: "user", expires_at: null } },
        "safe.share",
      ],
    ];
    const tokenWith = async (...scopes: Scope[]) => {
      const body = { name: "A token", scopes: ["access.preview" as const, ...scopes], expires_in_days: 1 };
      return (await app.call(createToken, { body, as: admin.token })).body.token;
    };
    const [alone, all] = [await tokenWith(), await tokenWith(...asks.map(([, scope]) => scope))];
    for (const [change] of asks) {
      const refused = await tell(change, alone);
      assert.deepEqual([refused.status, (refused.body as { code?: string }).code], [403, "token.scope-missing"]);
      assert.equal((await tell(change, all)).status, 200, change.kind);
    }
  });

  test("is refused quickly instead of waiting for locks while the safe is being changed", async () => {
    const safe = await aSafe(app, admin);
    const other = await aPerson(app);
    const holder = await app.database.pool.connect();
    try {
      await holder.query("begin");
      await holder.query("select from safes where id = $1 for update", [safe.id]);
      const member = { user_id: other.id, role: "user" as const, expires_at: null };
      const reply = await tell({ kind: "member-added", safe_id: safe.id, member });
      assert.deepEqual(
        [reply.status, (reply.body as { code?: string }).code],
        [409, "access-control.busy"],
        reply.text,
      );
    } finally {
      await holder.query("rollback");
      holder.release();
    }
  });
});
