// Members of safes: permission to add and remove them, and the permissions they can get.
import {
  addSafeMember,
  listSafeMembers,
  readSafe,
  removeSafeMember,
  setUserStatus,
  updateSafe,
  updateSafeMember,
} from "@strongroom/contract";
import type { InputOf, Safe, SafeMember } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { maskedAddress } from "#kernel/masked-address.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aGroup, aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { liveEvents } from "#testing/waiting.ts";
import { announceLostMembers } from "./lost-members.ts";

let app: TestApp;
let admin: TestPerson;
before(async () => {
  app = await testApp();
  admin = await firstAdmin(app);
});
after(() => app.close());

const codeOf = (reply: { body: unknown }): string | undefined => (reply.body as { code?: string }).code;
const add = (by: TestPerson, safe: Safe, body: NonNullable<InputOf<typeof addSafeMember>["body"]>) =>
  app.call(addSafeMember, { params: { id: safe.id }, body, as: by.token });
const edit = (
  by: TestPerson,
  safe: Safe,
  member: SafeMember,
  change: Partial<NonNullable<InputOf<typeof updateSafeMember>["body"]>> & Pick<SafeMember, "role">,
) => {
  const body = { expires_at: null, ...change };
  return app.call(updateSafeMember, { params: { id: safe.id, member_id: member.id }, body, as: by.token });
};
const remove = (by: TestPerson, safe: Safe, member: Pick<SafeMember, "id">) =>
  app.call(removeSafeMember, { params: { id: safe.id, member_id: member.id }, as: by.token });
const permissionsOf = async (person: TestPerson, safe: Safe) => {
  const reply = await app.call(readSafe, { params: { id: safe.id }, as: person.token });
  return reply.status === 200 ? reply.body.my_permissions : reply.status;
};
const membersOf = async (by: TestPerson, safe: Safe) => {
  const reply = await app.call(listSafeMembers, { params: { id: safe.id }, as: by.token });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.members;
};
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const lastEntry = async (event: string, safe: Safe) => {
  const { rows } = await app.database.pool.query<{ text: string }>(
    "select convert_from(canonical, 'UTF8') as text from audit_entries where event = $1 and target_id = $2 order by at desc, id desc limit 1",
    [event, safe.id],
  );
  return JSON.parse(rows[0]?.text ?? "null");
};
/** Makes a membership expire now. */
const expire = (member: SafeMember) =>
  app.database.pool.query("update safe_members set expires_at = now() - interval '1 second' where id = $1", [
    member.id,
  ]);

describe("a member", () => {
  test("gets the permissions of the chosen role, and is listed by name, with the user who added them and the expiry", async () => {
    const [owner, person] = [await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    const until = inHours(2);
    const reply = await add(owner, safe, { user_id: person.id, role: "approver", expires_at: until });
    assert.equal(reply.status, 201, reply.text);
    const { id: _, added_at, ...shown } = reply.body;
    assert.deepEqual(shown, {
      user_id: person.id,
      group_id: null,
      name: person.email.split("@")[0],
      email: maskedAddress(person.email),
      people: null,
      role: "approver",
      permissions: ["list", "approve_level_1", "approve_level_2"],
      expires_at: until,
      is_expired: false,
      added_by: owner.email.split("@")[0],
    });
    const listed = (await membersOf(person, safe)).map(({ name }) => name);
    assert.deepEqual(listed, [owner, person].map(({ email }) => email.split("@")[0]!).toSorted());
    const seenBy = async (viewer: TestPerson) =>
      (await membersOf(viewer, safe)).find(({ user_id }) => user_id === person.id)?.email;
    assert.deepEqual([await seenBy(person), await seenBy(admin)], [person.email, person.email]);
    const entry = await lastEntry("safe.member-added", safe);
    assert.deepEqual(entry.details.permissions, shown.permissions);
    assert.deepEqual([entry.details.user_id, entry.result], [person.id, "success"]);
    assert.ok(added_at <= inHours(0));
  });

  test("a member with a custom role gets the chosen permissions and `list`", async () => {
    const [owner, person] = [await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    await aMember(app, owner, safe, person, ["use"]);
    assert.deepEqual(await permissionsOf(person, safe), ["list", "use"]);
  });

  test("has the permissions of their groups in addition to their own", async () => {
    const [owner, person] = [await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    const group = await aGroup(app, [person]);
    const member = await aMember(app, owner, safe, group, ["retrieve"]);
    assert.deepEqual([member.name, member.people, member.email], [group.name, 1, null]);
    assert.deepEqual(await permissionsOf(person, safe), ["list", "retrieve"]);
    await aMember(app, owner, safe, person, ["use"]);
    assert.deepEqual(await permissionsOf(person, safe), ["list", "use", "retrieve"]);
  });

  test("receives an event when they are added, changed and removed", async () => {
    const [owner, person] = [await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    const heard = await liveEvents(app, person);
    const times = (count: number) => heard.next(() => heard.told().filter(isAboutIt).length >= count);
    const isAboutIt = ({ type, data }: { type: string; data: Record<string, unknown> }) =>
      type === "safe.changed" && data["safe_id"] === safe.id;
    const member = await aMember(app, owner, safe, person, "user");
    await times(1);
    await edit(owner, safe, member, { role: "auditor" });
    await times(2);
    await remove(owner, safe, member);
    await times(3);
    heard.close();
    assert.equal(await permissionsOf(person, safe), 404);
  });

  test("has no permissions after the membership expires, and is still listed as expired", async () => {
    const [owner, person] = [await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    const member = await aMember(app, owner, safe, person, "manager", inHours(1));
    await expire(member);
    assert.equal(await permissionsOf(person, safe), 404);
    assert.deepEqual(
      (await membersOf(owner, safe))
        .toSorted((one, other) => Number(one.user_id === person.id) - Number(other.user_id === person.id))
        .map(({ user_id, is_expired }) => [user_id === person.id, is_expired]),
      [
        [false, false],
        [true, true],
      ],
    );
    assert.equal((await app.call(readSafe, { params: { id: safe.id }, as: owner.token })).body.permission_count, 1);
    await edit(owner, safe, member, { role: "user", expires_at: inHours(1) });
    assert.deepEqual(await permissionsOf(person, safe), ["list", "use", "retrieve"]);
  });
});

describe("adding a member", () => {
  test("is refused for a user or group that is already a member, even with concurrent requests", async () => {
    const [owner, person] = [await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    const group = await aGroup(app, [person]);
    for (const who of [{ user_id: person.id }, { group_id: group.id }]) {
      const replies = await Promise.all([1, 2, 3, 4].map(() => add(owner, safe, { ...who, role: "user" })));
      assert.deepEqual(
        replies.map(({ status }) => status).toSorted((a, b) => a - b),
        [201, 409, 409, 409],
      );
      assert.ok(replies.every((reply) => reply.status === 201 || codeOf(reply) === "safe.already-member"));
    }
    assert.equal((await membersOf(owner, safe)).length, 3);
  });

  test("is refused without a principal, with both a user and a group, for an unknown id, and for a disabled user", async () => {
    const [owner, gone] = [await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    const group = await aGroup(app, []);
    assert.equal((await add(owner, safe, { role: "user" })).status, 400);
    assert.equal((await add(owner, safe, { user_id: gone.id, group_id: group.id, role: "user" })).status, 400);
    await app.call(setUserStatus, { params: { id: gone.id }, body: { status: "disabled" }, as: admin.token });
    for (const who of [{ user_id: gone.id }, { user_id: group.id }, { group_id: gone.id }]) {
      const reply = await add(owner, safe, { ...who, role: "user" } as never);
      assert.deepEqual([reply.status, codeOf(reply)], [422, "safe.member-unknown"]);
    }
  });

  test("is refused for an expiry in the past, and for an empty list of custom permissions", async () => {
    const [owner, person] = [await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    const past = await add(owner, safe, { user_id: person.id, role: "user", expires_at: inHours(-1) });
    assert.equal(past.status, 400);
    assert.match(past.text, /The expiry must be in the future/);
    const none = await add(owner, safe, { user_id: person.id, role: "custom", permissions: [] });
    assert.match(none.text, /Choose at least one permission/);
  });

  test("is refused to members who may not manage members, with a clear message", async () => {
    const [owner, member, other] = [await aPerson(app), await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    const theirs = await aMember(app, owner, safe, member, "user");
    for (const reply of [
      await add(member, safe, { user_id: other.id, role: "user" }),
      await edit(member, safe, theirs, { role: "owner" }),
      await remove(member, safe, theirs),
    ]) {
      assert.deepEqual([reply.status, codeOf(reply)], [403, "safe.permission-missing"]);
      assert.match(reply.text, /You need the permission \\"Manage members\\"/);
    }
  });

  test("a membership cannot be changed or removed through a different safe", async () => {
    const [owner, person] = [await aPerson(app), await aPerson(app)];
    const [safe, other] = [await aSafe(app, owner), await aSafe(app, owner)];
    const member = await aMember(app, owner, other, person, "user");
    assert.equal((await edit(owner, safe, member, { role: "auditor" })).status, 404);
    assert.equal((await remove(owner, safe, member)).status, 404);
    assert.deepEqual(await permissionsOf(person, other), ["list", "use", "retrieve"]);
  });
});

describe("members cannot give more than they have", () => {
  test("a manager can give a manager's permissions, but not those of the owner", async () => {
    const [owner, manager, person] = [await aPerson(app), await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    await aMember(app, owner, safe, manager, "manager");
    for (const role of ["owner", "approver"] as const) {
      const reply = await add(manager, safe, { user_id: person.id, role });
      assert.deepEqual([reply.status, codeOf(reply)], [403, "safe.gives-too-much"]);
    }
    assert.equal((await add(manager, safe, { user_id: person.id, role: "manager" })).status, 201);
  });

  test("a manager cannot give themselves more, directly or through a group", async () => {
    const [owner, manager] = [await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    const own = await aMember(app, owner, safe, manager, "manager");
    const group = await aGroup(app, [manager]);
    assert.equal(codeOf(await edit(manager, safe, own, { role: "owner" })), "safe.gives-too-much");
    assert.equal(codeOf(await add(manager, safe, { group_id: group.id, role: "owner" })), "safe.gives-too-much");
    assert.ok(!((await permissionsOf(manager, safe)) as string[]).includes("manage_safe"));
  });

  test("a temporary manager cannot give anyone, including themselves, a membership that lasts longer", async () => {
    const [owner, manager, person] = [await aPerson(app), await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    const own = await aMember(app, owner, safe, manager, "manager", inHours(24));
    assert.equal(codeOf(await add(manager, safe, { user_id: person.id, role: "user" })), "safe.gives-too-much");
    assert.equal(codeOf(await edit(manager, safe, own, { role: "manager" })), "safe.gives-too-much");
    const longer = { user_id: person.id, role: "user", expires_at: inHours(25) } as const;
    assert.equal(codeOf(await add(manager, safe, longer)), "safe.gives-too-much");
    assert.equal((await add(manager, safe, { ...longer, expires_at: inHours(23) })).status, 201);
  });

  test("a manager can shorten or reduce a membership with more permissions than their own", async () => {
    const [owner, manager, approver] = [await aPerson(app), await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    await aMember(app, owner, safe, manager, "manager");
    const theirs = await aMember(app, owner, safe, approver, "approver");
    const shorter = await edit(manager, safe, theirs, { role: "approver", expires_at: inHours(1) });
    assert.equal(shorter.status, 200, shorter.text);
    const back = await edit(manager, safe, theirs, { role: "approver" });
    assert.equal(codeOf(back), "safe.gives-too-much");
    const less = await edit(manager, safe, theirs, { role: "auditor" });
    assert.deepEqual(less.body.permissions, ["list", "view_audit"]);
  });

  test("an administrator can give any permissions; those they give themselves are recorded as a warning", async () => {
    const [owner, person] = [await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    assert.equal((await add(admin, safe, { user_id: person.id, role: "owner" })).status, 201);
    assert.equal((await lastEntry("safe.member-added", safe)).result, "success");
    assert.equal((await add(admin, safe, { user_id: admin.id, role: "user" })).status, 201);
    const entry = await lastEntry("safe.member-added", safe);
    assert.deepEqual([entry.result, entry.details.to_oneself], ["warning", true]);
    assert.ok(((await permissionsOf(admin, safe)) as string[]).includes("retrieve"));
  });
});

describe("the owner's membership", () => {
  test("cannot be removed, reduced or limited, not even by an administrator", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const [own] = await membersOf(owner, safe);
    for (const by of [owner, admin]) {
      for (const reply of [
        await remove(by, safe, own!),
        await edit(by, safe, own!, { role: "user" }),
        await edit(by, safe, own!, { role: "owner", expires_at: inHours(1) }),
      ]) {
        assert.deepEqual([reply.status, codeOf(reply)], [409, "safe.owner-membership"]);
      }
    }
    assert.equal((await edit(owner, safe, own!, { role: "owner" })).status, 200);
  });

  test("passes to the new owner, and the previous owner's membership becomes an ordinary one", async () => {
    const [owner, next] = [await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    await aMember(app, owner, safe, next, "user", inHours(1));
    const give = (by: TestPerson, to: TestPerson) =>
      app.call(updateSafe, {
        params: { id: safe.id },
        body: { name: safe.name, description: null, owner_id: to.id },
        as: by.token,
      });
    assert.equal((await give(next, next)).status, 403);
    const given = await give(owner, next);
    assert.deepEqual([given.status, given.body.owner_id], [200, next.id]);
    const entry = await lastEntry("safe.updated", safe);
    assert.deepEqual(entry.details.changed, { owner_id: { from: owner.id, to: next.id } });
    assert.equal(((await permissionsOf(next, safe)) as string[]).length, 15);
    const members = await membersOf(next, safe);
    assert.equal(members.length, 2);
    assert.equal(
      (
        await remove(
          next,
          safe,
          members.find((each) => each.user_id === owner.id)!,
        )
      ).status,
      200,
    );
    assert.equal(await permissionsOf(owner, safe), 404);
  });

  test("cannot be taken by members who manage the safe; if an administrator takes it, the audit entry is a warning", async () => {
    const [owner, second] = [await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    await aMember(app, owner, safe, second, "owner");
    const take = (by: TestPerson) =>
      app.call(updateSafe, {
        params: { id: safe.id },
        body: { name: safe.name, description: null, owner_id: by.id },
        as: by.token,
      });
    const reply = await take(second);
    assert.deepEqual([reply.status, codeOf(reply)], [403, "safe.not-owner"]);
    assert.equal((await take(admin)).status, 200);
    assert.equal((await lastEntry("safe.updated", safe)).result, "warning");
  });
});

describe("a safe keeps a manager of its members", () => {
  /** A safe whose owner is disabled. */
  async function anOrphan() {
    const [owner, first, second] = [await aPerson(app), await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    const members = [
      await aMember(app, owner, safe, first, "manager"),
      await aMember(app, owner, safe, second, "manager"),
    ] as const;
    await app.call(setUserStatus, { params: { id: owner.id }, body: { status: "disabled" }, as: admin.token });
    return { safe, people: [first, second] as const, members };
  }

  test("the last manager cannot be removed or demoted, except by an administrator", async () => {
    const { safe, people, members } = await anOrphan();
    assert.equal((await remove(people[0], safe, members[1])).status, 200);
    const replies = [
      await remove(people[0], safe, members[0]),
      await edit(people[0], safe, members[0], { role: "user" }),
    ];
    for (const reply of replies) assert.deepEqual([reply.status, codeOf(reply)], [409, "safe.last-manager"]);
    assert.equal((await remove(admin, safe, members[0])).status, 200);
  });

  test("when two managers remove each other at the same time, one of them stays", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { safe, people, members } = await anOrphan();
      const replies = await Promise.all([remove(people[0], safe, members[1]), remove(people[1], safe, members[0])]);
      assert.deepEqual(
        replies.map(({ status }) => status).toSorted((a, b) => a - b),
        [200, 404],
      );
      const left = await Promise.all(people.map((person) => permissionsOf(person, safe)));
      assert.equal(left.filter((each) => each === 404).length, 1);
    }
  });
});

test("only users without a remaining membership are reported as having lost access", async () => {
  const [owner, expired, both, stranger] = [
    await aPerson(app),
    await aPerson(app),
    await aPerson(app),
    await aPerson(app),
  ];
  const safe = await aSafe(app, owner);
  await expire(await aMember(app, owner, safe, expired, "user", inHours(1)));
  await aMember(app, owner, safe, await aGroup(app, [both]), "user");
  const people = [owner, expired, both, stranger].map(({ id }) => id);
  const told: unknown[] = [];
  const by = { ...owner, name: "Owner", role: "user", sessionId: owner.id } as never;
  await app.database.transaction((tx) =>
    announceLostMembers(tx, safe.id, people, by, async (_tx, lost) => void told.push(lost)),
  );
  assert.deepEqual(told, [{ safeId: safe.id, userIds: [expired.id, stranger.id] }]);
});
