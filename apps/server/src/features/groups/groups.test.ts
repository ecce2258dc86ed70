// Groups: administrators create and fill them, and access through a group ends with the membership.
import {
  NewGroup,
  addGroupMember,
  createGroup,
  deleteGroup,
  listGroupMembers,
  listGroups,
  readSafe,
  removeGroupMember,
  updateGroup,
} from "@strongroom/contract";
import type { Group, GroupKind } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aGroup, aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { liveEvents } from "#testing/waiting.ts";

let app: TestApp;
let admin: TestPerson;
before(async () => {
  app = await testApp();
  admin = await firstAdmin(app);
});
after(() => app.close());

const codeOf = (reply: { body: unknown }): string | undefined => (reply.body as { code?: string }).code;
const sees = async (person: TestPerson, safe: Parameters<typeof aMember>[2]) =>
  (await app.call(readSafe, { params: { id: safe.id }, as: person.token })).status === 200;
const takeOut = (group: Pick<Group, "id">, person: TestPerson) =>
  app.call(removeGroupMember, { params: { id: group.id, user_id: person.id }, as: admin.token });

describe("a group", () => {
  test("can be created, listed by name, updated and deleted", async () => {
    const body = { name: "Night shift", description: "Who is awake", kind: "team", may_break_glass: true } as const;
    const made = await app.call(createGroup, { body, as: admin.token });
    assert.equal(made.status, 201, made.text);
    const { id, created_at: _, ...shown } = made.body;
    assert.deepEqual(shown, { ...body, member_count: 0 });
    for (const name of ["Zebras", "apes"]) await aGroup(app, [], { name });
    const list = (query: object) => app.call(listGroups, { query, as: admin.token });
    const first = (await list({ limit: 2 })).body;
    const rest = (await list({ limit: 2, cursor: first.next_cursor! })).body;
    assert.deepEqual(
      [...first.groups, ...rest.groups].map(({ name }) => name),
      ["apes", "Night shift", "Zebras"],
    );
    assert.deepEqual((await list({ search: "AWAKE" })).body.groups, [made.body]);
    const edit = NewGroup.parse({ name: "Day shift", kind: "group" });
    const changed = await app.call(updateGroup, { params: { id }, body: edit, as: admin.token });
    assert.deepEqual(
      [changed.body.name, changed.body.kind, changed.body.may_break_glass, changed.body.description],
      ["Day shift", "group", false, null],
    );
    assert.equal((await app.call(deleteGroup, { params: { id }, as: admin.token })).status, 200);
    assert.equal((await app.call(deleteGroup, { params: { id }, as: admin.token })).status, 404);
  });

  test("has a unique name regardless of case, even with concurrent requests", async () => {
    const bodies = ["Firemen", "FIREMEN", "firemen"].map((name) => ({ name }));
    const replies = await Promise.all(bodies.map((body) => app.call(createGroup, { body, as: admin.token })));
    assert.deepEqual(
      replies.map(({ status }) => status).toSorted((a, b) => a - b),
      [201, 409, 409],
    );
    const others = await Promise.all([aGroup(app, []), aGroup(app, [])]);
    const renamed = await Promise.all(
      others.map(({ id }) =>
        app.call(updateGroup, { params: { id }, body: NewGroup.parse({ name: "Divers" }), as: admin.token }),
      ),
    );
    assert.deepEqual(
      renamed.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409],
    );
    assert.equal(codeOf(renamed.find(({ status }) => status === 409)!), "group.name-taken");
  });

  test("can be read by managers and managed by administrators; users can do neither", async () => {
    const [manager, user] = [await aPerson(app, "manager"), await aPerson(app)];
    const { id } = await aGroup(app, [user]);
    assert.equal((await app.call(listGroups, { as: manager.token })).status, 200);
    assert.equal((await app.call(listGroupMembers, { params: { id }, as: manager.token })).status, 200);
    assert.equal((await app.call(listGroups, { as: user.token })).status, 403);
    assert.equal((await app.call(listGroupMembers, { params: { id }, as: user.token })).status, 403);
    for (const { token } of [manager, user]) {
      const replies = [
        await app.call(createGroup, { body: { name: "Mine" }, as: token }),
        await app.call(updateGroup, { params: { id }, body: NewGroup.parse({ name: "Mine" }), as: token }),
        await app.call(deleteGroup, { params: { id }, as: token }),
        await app.call(addGroupMember, { params: { id }, body: { user_id: user.id }, as: token }),
        await app.call(removeGroupMember, { params: { id, user_id: user.id }, as: token }),
      ];
      for (const reply of replies) assert.equal(reply.status, 403);
    }
  });

  test("lists each member once, sorted by name", async () => {
    const people = [await aPerson(app), await aPerson(app), await aPerson(app)];
    const group = await aGroup(app, people);
    const list = (query: object) => app.call(listGroupMembers, { params: { id: group.id }, query, as: admin.token });
    const first = (await list({ limit: 2 })).body;
    const rest = (await list({ limit: 2, cursor: first.next_cursor! })).body;
    const names = [...first.members, ...rest.members].map(({ name }) => name);
    assert.deepEqual(names, people.map(({ email }) => email.split("@")[0]!).toSorted());
    assert.equal(rest.next_cursor, null);
    const again = await Promise.all(
      [people[0]!, await aPerson(app)].flatMap(({ id }) =>
        [1, 2].map(() =>
          app.call(addGroupMember, { params: { id: group.id }, body: { user_id: id }, as: admin.token }),
        ),
      ),
    );
    assert.deepEqual(
      again.map(({ status }) => status).toSorted((a, b) => a - b),
      [201, 409, 409, 409],
    );
    const nobody = { params: { id: group.id }, body: { user_id: group.id as never }, as: admin.token };
    assert.equal((await app.call(addGroupMember, nobody)).status, 422);
    assert.equal((await takeOut(group, await aPerson(app))).status, 404);
  });
});

describe("access through a group", () => {
  test("begins when a user joins the group, ends when they are removed, and sends the user an event each time", async () => {
    const [owner, person] = [await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    const group = await aGroup(app, []);
    await aMember(app, owner, safe, group, "user");
    const heard = await liveEvents(app, person);
    const isAboutIt = ({ data }: { data: Record<string, unknown> }) => data["safe_id"] === safe.id;
    assert.equal(await sees(person, safe), false);
    const params = { id: group.id };
    await app.call(addGroupMember, { params, body: { user_id: person.id }, as: admin.token });
    assert.equal(await sees(person, safe), true);
    await heard.next(isAboutIt);
    assert.equal((await takeOut(group, person)).status, 200);
    assert.equal(await sees(person, safe), false);
    await heard.next(() => heard.told().filter(isAboutIt).length === 2);
    heard.close();
  });

  test("ends when the group is deleted, and leaves the user's other access unchanged", async () => {
    const [owner, person, both] = [await aPerson(app), await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    const group = await aGroup(app, [person, both]);
    await aMember(app, owner, safe, group, "user");
    await aMember(app, owner, safe, both, "auditor");
    assert.deepEqual([await sees(person, safe), await sees(both, safe)], [true, true]);
    assert.equal((await app.call(deleteGroup, { params: { id: group.id }, as: admin.token })).status, 200);
    assert.deepEqual([await sees(person, safe), await sees(both, safe)], [false, true]);
  });

  test("SAFE-16: visibility of a team's safe ends when the group is no longer a team or the owner leaves it", async () => {
    const [owner, mate] = [await aPerson(app), await aPerson(app)];
    const team = await aGroup(app, [owner, mate], { kind: "team" });
    const safe = await aSafe(app, owner, { access_level: "team" });
    assert.equal(await sees(mate, safe), true);
    const setKind = (kind: GroupKind) =>
      app.call(updateGroup, {
        params: { id: team.id },
        body: { ...NewGroup.parse({ name: team.name }), kind },
        as: admin.token,
      });
    await setKind("group");
    assert.equal(await sees(mate, safe), false);
    await setKind("team");
    assert.equal(await sees(mate, safe), true);
    await takeOut(team, owner);
    assert.equal(await sees(mate, safe), false);
  });
});
