// Creating, listing, reading, updating and deleting safes.
import {
  createSafe,
  deleteSafe,
  findPrincipals,
  listSafeMembers,
  listSafes,
  readSafe,
  readSafeHistory,
  safeStatistics,
  updateSafe,
} from "@strongroom/contract";
import type { SafeId } from "@strongroom/contract";
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
const read = (id: SafeId, by: TestPerson) => app.call(readSafe, { params: { id }, as: by.token });
const namesFor = async (by: TestPerson, query: Parameters<typeof listAs>[1] = {}) =>
  (await listAs(by, query)).safes.map(({ name }) => name);
async function listAs(by: TestPerson, query: NonNullable<Parameters<typeof app.call<typeof listSafes>>[1]>["query"]) {
  const reply = await app.call(listSafes, { query, as: by.token });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}
const entriesOf = async (event: string, id: string) => {
  const { rows } = await app.database.pool.query<{ text: string }>(
    "select convert_from(canonical, 'UTF8') as text from audit_entries where event = $1 and target_id = $2 order by at, id",
    [event, id],
  );
  return rows.map(({ text }) => JSON.parse(text));
};

describe("a new safe", () => {
  test("SAFE-09, SAFE-12: has the documented fields, and its creator owns it with all permissions", async () => {
    const owner = await aPerson(app);
    const body = { name: "  Billing  ", description: "For the month's end", safe_type: "shared", access_level: "team" };
    const reply = await app.call(createSafe, { body: body as never, as: owner.token });
    assert.equal(reply.status, 201, reply.text);
    const { id, created_at, updated_at, owner_name, my_permissions, ...shown } = reply.body;
    assert.deepEqual(shown, {
      ...body,
      name: "Billing",
      status: "active",
      session_zone: null,
      tags: [],
      owner_id: owner.id,
      owner_email: owner.email,
      members: [{ user_id: owner.id, group_id: null }],
      account_count: 0,
      permission_count: 1,
    });
    assert.equal(my_permissions.length, 15);
    assert.equal(owner_name, owner.email.split("@")[0]);
    assert.equal(created_at, updated_at);
    assert.deepEqual((await read(id, owner)).body, reply.body);
    const [entry] = await entriesOf("safe.created", id);
    assert.deepEqual(entry.target, { type: "safe", id, name: "Billing" });
    assert.deepEqual(entry.details, { type: "shared", access_level: "team" });
  });

  test("SAFE-15, SAFE-16: is standard and private by default", async () => {
    const safe = await aSafe(app, await aPerson(app));
    assert.deepEqual([safe.safe_type, safe.access_level, safe.description], ["standard", "private", null]);
  });

  for (const [row, name, description, said] of [
    ["SAFE-17", "", null, "Safe name is required"],
    ["SAFE-17", "   ", null, "Safe name is required"],
    ["SAFE-17", undefined, null, "Safe name is required"],
    ["SAFE-18, OPEN-89", "ab", null, "Safe name must be 3 to 100 characters"],
    ["SAFE-18", "x".repeat(101), null, "Safe name must be 3 to 100 characters"],
    ["SAFE-19", "A safe", "x".repeat(501), "Description can have at most 500 characters"],
  ] as const) {
    test(`${row}: is refused with "${said}" for ${JSON.stringify(name)?.slice(0, 20)} (${description?.length ?? 0})`, async () => {
      const { token } = await aPerson(app);
      const reply = await app.call(createSafe, { body: { name, description } as never, as: token });
      assert.equal(reply.status, 400);
      assert.equal((reply.body as unknown as { errors: { msg: string }[] }).errors[0]?.msg, said);
    });
  }
});

describe("the list of safes", () => {
  test("SAFE-10: shows only safes the caller may see, sorted by name, page by page", async () => {
    const [owner, other] = [await aPerson(app), await aPerson(app)];
    const names = ["delta", "Alpha", "charlie", "Bravo", "alpha"];
    for (const name of names) await aSafe(app, owner, { name });
    assert.deepEqual(await namesFor(other), []);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listAs(owner, { limit: 2, cursor });
      assert.ok(page.safes.length <= 2);
      seen.push(...page.safes.map(({ name }) => name));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    assert.deepEqual(seen, ["Alpha", "alpha", "Bravo", "charlie", "delta"]);
  });

  test("continues after a name made of surrogate pairs", async () => {
    const owner = await aPerson(app);
    for (const last of ["a", "b"]) await aSafe(app, owner, { name: "𝔸".repeat(49) + last });
    const first = await listAs(owner, { limit: 1 });
    const second = await listAs(owner, { limit: 1, cursor: first.next_cursor! });
    assert.deepEqual([first.safes[0]?.name.at(-1), second.safes[0]?.name.at(-1)], ["a", "b"]);
    assert.equal(second.next_cursor, null);
  });

  test("SAFE-03: can be searched by name, description and owner, with wildcards taken literally", async () => {
    const owner = await aPerson(app);
    await aSafe(app, owner, { name: "Payroll", description: "Salaries of 100%" });
    await aSafe(app, owner, { name: "Network" });
    assert.deepEqual(await namesFor(owner, { search: "PAYR" }), ["Payroll"]);
    assert.deepEqual(await namesFor(owner, { search: "salaries" }), ["Payroll"]);
    assert.deepEqual(await namesFor(owner, { search: "100%" }), ["Payroll"]);
    assert.deepEqual(await namesFor(owner, { search: owner.email }), ["Network", "Payroll"]);
    assert.deepEqual(await namesFor(admin, { search: owner.email.split("@")[0]! }), ["Network", "Payroll"]);
    for (const search of ["_____", "\\", "' or true --"]) assert.deepEqual(await namesFor(owner, { search }), []);
  });

  test("can be filtered by status and by the caller's permissions", async () => {
    const [owner, member] = [await aPerson(app), await aPerson(app)];
    const open = await aSafe(app, owner, { name: "Open" });
    const kept = await aSafe(app, owner, { name: "Kept", status: "archived" });
    await aMember(app, owner, open, member, ["add"]);
    await aMember(app, owner, kept, member, ["add"]);
    assert.deepEqual(await namesFor(member, { status: "archived" }), ["Kept"]);
    assert.deepEqual(await namesFor(member, { permission: "add" }), ["Open"]);
    assert.deepEqual(await namesFor(member, { permission: "retrieve" }), []);
    assert.deepEqual(await namesFor(owner, { permission: "manage_safe" }), ["Kept", "Open"]);
  });

  test("rejects an invalid cursor", async () => {
    for (const cursor of ["x", "' or true --", Buffer.from("no id").toString("base64url")]) {
      const reply = await app.call(listSafes, { query: { cursor }, as: admin.token });
      assert.equal(reply.status, 400, reply.text);
    }
  });

  test("SAFE-02, SAFE-11: statistics count visible safes; a safe with more than one user is shared", async () => {
    const [owner, member, third] = [await aPerson(app), await aPerson(app), await aPerson(app)];
    const shared = await aSafe(app, owner);
    await aSafe(app, owner, { status: "inactive" });
    const ofGroup = await aSafe(app, owner);
    await aMember(app, owner, shared, member, "user");
    // A group with only the owner does not make a safe shared.
    await aMember(app, owner, ofGroup, await aGroup(app, [owner]), "user");
    const statistics = async (by: TestPerson) => (await app.call(safeStatistics, { as: by.token })).body;
    assert.deepEqual(await statistics(owner), { total: 3, active: 2, shared: 1 });
    assert.deepEqual(await statistics(member), { total: 1, active: 1, shared: 1 });
    await aMember(app, owner, ofGroup, await aGroup(app, [third]), "user");
    assert.deepEqual(await statistics(owner), { total: 3, active: 2, shared: 2 });
    assert.deepEqual(await statistics(await aPerson(app)), { total: 0, active: 0, shared: 0 });
  });
});

describe("the visibility of a safe", () => {
  test("OPEN-19: a safe does not exist for users who may not see it", async () => {
    const [owner, other] = [await aPerson(app), await aPerson(app, "manager")];
    const safe = await aSafe(app, owner, { name: "Hidden away" });
    const body = { name: "Mine now", description: null };
    const replies = [
      await read(safe.id, other),
      await app.call(updateSafe, { params: { id: safe.id }, body, as: other.token }),
      await app.call(deleteSafe, { params: { id: safe.id }, as: other.token }),
      await app.call(listSafeMembers, { params: { id: safe.id }, as: other.token }),
    ];
    for (const reply of replies) {
      assert.deepEqual([reply.status, codeOf(reply)], [404, "safe.not-found"]);
      assert.ok(!reply.text.includes("Hidden"));
    }
    assert.equal((await read(safe.id, owner)).body.name, "Hidden away");
  });

  test("SAFE-16: a team safe is visible to the owner's team, a department safe to the owner's department, and a public safe to everyone", async () => {
    const [owner, mate, colleague, stranger] = [
      await aPerson(app),
      await aPerson(app),
      await aPerson(app),
      await aPerson(app),
    ];
    await aGroup(app, [owner, mate], { kind: "team" });
    await aGroup(app, [owner, colleague], { kind: "department" });
    await aGroup(app, [owner, stranger], { kind: "group" });
    const seenBy = async (level: "private" | "team" | "department" | "public") => {
      const safe = await aSafe(app, owner, { access_level: level });
      const replies = await Promise.all([owner, mate, colleague, stranger].map((person) => read(safe.id, person)));
      return replies.map(({ status }) => status);
    };
    assert.deepEqual(await seenBy("private"), [200, 404, 404, 404]);
    assert.deepEqual(await seenBy("team"), [200, 200, 404, 404]);
    assert.deepEqual(await seenBy("department"), [200, 404, 200, 404]);
    assert.deepEqual(await seenBy("public"), [200, 200, 200, 200]);
  });

  test("a non-member who can see a safe can neither list its members nor change the safe", async () => {
    const [owner, other] = [await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner, { access_level: "public" });
    const seen = await read(safe.id, other);
    assert.deepEqual([seen.body.my_permissions, seen.body.members], [["list"], []]);
    const members = await app.call(listSafeMembers, { params: { id: safe.id }, as: other.token });
    assert.deepEqual([members.status, codeOf(members)], [403, "safe.permission-missing"]);
    const edit = { params: { id: safe.id }, body: { name: "Mine now", description: null }, as: other.token };
    const changed = await app.call(updateSafe, edit);
    assert.deepEqual([changed.status, codeOf(changed)], [403, "safe.permission-missing"]);
    assert.match(changed.text, /You need the permission \\"Manage the safe\\" in the safe/);
  });

  test("OPEN-21: an administrator manages every safe, but cannot use or retrieve its accounts", async () => {
    const safe = await aSafe(app, await aPerson(app));
    const { my_permissions, members } = (await read(safe.id, admin)).body;
    assert.deepEqual(my_permissions, [
      "list",
      "manage_safe",
      "manage_members",
      "view_audit",
      "approve_level_1",
      "approve_level_2",
    ]);
    assert.equal(members.length, 1);
  });
});

describe("updating a safe", () => {
  test("SAFE-13, SAFE-14: changes name, description and the given optional fields, with an audit entry and an event", async () => {
    const [owner, member] = [await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner, { name: "Before", safe_type: "application" });
    await aMember(app, owner, safe, member, "user");
    const heard = await liveEvents(app, member);
    const params = { id: safe.id };
    const renamed = await app.call(updateSafe, {
      params,
      body: { name: "After", description: "Why" },
      as: owner.token,
    });
    assert.equal(renamed.status, 200, renamed.text);
    assert.deepEqual(
      [renamed.body.name, renamed.body.description, renamed.body.safe_type, renamed.body.status],
      ["After", "Why", "application", "active"],
    );
    const body = { name: "After", description: "Why", status: "inactive" } as const;
    assert.equal((await app.call(updateSafe, { params, body, as: owner.token })).body.status, "inactive");
    await heard.next(({ type, data }) => type === "safe.changed" && data["safe_id"] === safe.id);
    heard.close();
    const entries = await entriesOf("safe.updated", safe.id);
    assert.deepEqual(
      entries.map(({ details }) => details.changed),
      [{ name: { from: "Before", to: "After" }, description: true }, { status: { from: "active", to: "inactive" } }],
    );
  });

  test("OPEN-90: limits the owner's permissions when the status becomes archived, and restores them when it becomes active", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner, { status: "archived" });
    assert.deepEqual(safe.my_permissions, ["list", "delete", "manage_safe", "manage_members", "view_audit"]);
    const body = { name: safe.name, description: safe.description, status: "active" } as const;
    const back = await app.call(updateSafe, { params: { id: safe.id }, body, as: owner.token });
    assert.equal(back.body.my_permissions.length, 15);
  });

  test("is recorded in the audit trail when refused", async () => {
    const [owner, member] = [await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    await aMember(app, owner, safe, member, "user");
    await app.call(updateSafe, {
      params: { id: safe.id },
      body: { name: "Mine now", description: null },
      as: member.token,
    });
    const [entry] = await entriesOf("safe.updated", safe.id);
    assert.deepEqual([entry.result, entry.reason], ["failure", "safe.permission-missing"]);
  });
});

test("the history of a safe lists changes of the safe and its members, for users who may view its audit", async () => {
  const [owner, auditor, member] = [await aPerson(app), await aPerson(app), await aPerson(app)];
  const safe = await aSafe(app, owner);
  await aMember(app, owner, safe, auditor, "auditor");
  await aMember(app, owner, safe, member, "user");
  const historyFor = (by: TestPerson) => app.call(readSafeHistory, { params: { id: safe.id }, as: by.token });
  const told = (await historyFor(auditor)).body.history;
  assert.deepEqual(
    told.map(({ event, user }) => [event, user.id]),
    [
      ["safe.member-added", owner.id],
      ["safe.member-added", owner.id],
      ["safe.created", owner.id],
    ],
  );
  assert.equal(codeOf(await historyFor(member)), "safe.permission-missing");
  assert.equal((await historyFor(await aPerson(app, "manager"))).status, 404);
});

describe("deleting a safe", () => {
  test("SAFE-24: makes an empty safe invisible to everyone and sends its members an event", async () => {
    const [owner, member] = [await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner, { name: "Old" });
    await aMember(app, owner, safe, member, "user");
    const heard = await liveEvents(app, member);
    const reply = await app.call(deleteSafe, { params: { id: safe.id }, as: owner.token });
    assert.deepEqual([reply.status, reply.body.message], [200, '"Old" deleted successfully']);
    for (const person of [owner, member, admin]) assert.equal((await read(safe.id, person)).status, 404);
    await heard.next(({ type, data }) => type === "safe.deleted" && data["safe_id"] === safe.id);
    heard.close();
    assert.equal((await app.call(deleteSafe, { params: { id: safe.id }, as: owner.token })).status, 404);
  });

  test("destroys the safe's key in the database and in the running process", async () => {
    const owner = await aPerson(app);
    const safe = await aSafe(app, owner);
    const kek = await app.kernel.keys.kekFor(`safe:${safe.id}`);
    await app.call(deleteSafe, { params: { id: safe.id }, as: owner.token });
    const heard = await liveEvents(app, owner);
    const { id } = await aSafe(app, owner);
    // Events are delivered in order, so the process has handled the key's destruction by then.
    await heard.next(({ type, data }) => type === "safe.changed" && data["safe_id"] === id);
    heard.close();
    await assert.rejects(app.kernel.keys.kekById(kek.id), { code: "kek.unknown" });
  });

  test("requires the permission to manage the safe", async () => {
    const [owner, member] = [await aPerson(app), await aPerson(app)];
    const safe = await aSafe(app, owner);
    await aMember(app, owner, safe, member, "manager");
    const reply = await app.call(deleteSafe, { params: { id: safe.id }, as: member.token });
    assert.deepEqual([reply.status, codeOf(reply)], [403, "safe.permission-missing"]);
  });
});

describe("the directory of possible members", () => {
  test("finds users and groups by a part of the name or address, for managers and administrators", async () => {
    const [owner, other, manager] = [await aPerson(app), await aPerson(app), await aPerson(app, "manager")];
    const group = await aGroup(app, [other], { name: "Keepers of the night" });
    const search = async (by: TestPerson, text: string) =>
      app.call(findPrincipals, { query: { search: text }, as: by.token });
    await aSafe(app, owner);
    const refused = await search(owner, "night");
    assert.deepEqual([refused.status, codeOf(refused)], [403, "role.insufficient"]);
    assert.deepEqual((await search(manager, "NIGHT")).body.principals, [
      { user_id: null, group_id: group.id, name: group.name, hint: null, is_machine: false },
    ]);
    assert.deepEqual((await search(manager, other.email)).body.principals, [
      { user_id: other.id, group_id: null, name: other.email.split("@")[0], hint: other.email, is_machine: false },
    ]);
    // More than 20 match; the limit is 20.
    assert.equal((await search(admin, "person")).body.principals.length, 20);
    assert.deepEqual((await search(admin, "%%")).body.principals, []);
  });
});
