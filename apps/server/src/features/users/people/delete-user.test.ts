// Tests that deleting a user destroys the user's own data and keeps shared data and the audit trail.
import {
  addSafeMember,
  changeUserRole,
  createSafe,
  deleteUser,
  listSafeMembers,
  listUsers,
  readCredential,
  register,
  setUserStatus,
  updateSafe,
} from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { aCredential } from "#testing/credentials.ts";
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

const remove = (person: TestPerson, as = admin) => app.call(deleteUser, { params: { id: person.id }, as: as.token });
const count = async (query: string, id: string): Promise<number> =>
  ((await app.database.pool.query(query, [id])).rows[0] as { count: number }).count;

test("deleting a user removes their sessions, vault, memberships and key immediately, and searches no longer find them", async () => {
  const [person, owner] = [await aPerson(app), await aPerson(app)];
  const credential = await aCredential(app, person);
  const safe = await aSafe(app, owner);
  await aMember(app, owner, safe, person, "user");
  await aGroup(app, [person]);
  const reply = await remove(person);
  assert.equal(reply.status, 200, reply.text);

  const read = await app.call(readCredential, { params: { id: credential.id }, as: person.token });
  assert.equal(read.status, 401, "the session has ended");
  const left = "select count(*)::int as count from ";
  assert.equal(await count(`${left} secret_versions where credential_id = $1`, credential.id), 0);
  assert.equal(await count(`${left} keks where purpose = 'vault:' || $1`, person.id), 0);
  assert.equal(await count(`${left} group_members where user_id = $1`, person.id), 0);
  const members = await app.call(listSafeMembers, { params: { id: safe.id }, as: owner.token });
  assert.deepEqual(
    members.body.members.map(({ user_id }) => user_id),
    [owner.id],
  );
  const found = await app.call(listUsers, { query: { search: person.email }, as: admin.token });
  assert.deepEqual(found.body.data, []);
  for (const [endpoint, body] of [
    [setUserStatus, { status: "active" }],
    [changeUserRole, { role: "manager" }],
  ] as const) {
    const again = await app.call(endpoint as typeof setUserStatus, {
      params: { id: person.id },
      body: body as { status: "active" },
      as: admin.token,
    });
    assert.equal(again.status, 404, again.text);
  }
  assert.equal((await remove(person)).status, 404);
});

test("the audit trail keeps a deleted user's actions, and the user's address can be used again", async () => {
  const person = await aPerson(app);
  await aCredential(app, person);
  await remove(person);
  const recorded =
    "select count(*)::int as count from audit_entries where actor_id = $1 and event = 'credential.created'";
  assert.equal(await count(recorded, person.id), 1);
  const body = { email: person.email, password: "another long password", name: "Somebody else", role: "user" };
  const again = await app.call(register, { body });
  assert.equal(again.status, 201, again.text);
});

test("the owner of a safe cannot be deleted until the safe has a different owner", async () => {
  const [owner, heir] = [await aPerson(app), await aPerson(app)];
  const made = await app.call(createSafe, { body: { name: "Inherited" }, as: owner.token });
  await app.call(addSafeMember, {
    params: { id: made.body.id },
    body: { user_id: heir.id, role: "user" },
    as: owner.token,
  });
  const refused = await remove(owner);
  assert.equal(refused.status, 409, refused.text);
  assert.match(refused.text, /user\.owns-safes/);
  const given = await app.call(updateSafe, {
    params: { id: made.body.id },
    body: { name: "Inherited", description: null, owner_id: heir.id },
    as: admin.token,
  });
  assert.equal(given.status, 200, given.text);
  assert.equal((await remove(owner)).status, 200);
});

test("users cannot delete themselves, and only administrators can delete users", async () => {
  assert.equal((await remove(admin)).status, 409, "the last administrator");
  const other = await aPerson(app, "admin");
  assert.equal((await remove(other, other)).status, 403);
  const [manager, person] = [await aPerson(app, "manager"), await aPerson(app)];
  assert.equal((await remove(person, manager)).status, 403);
  assert.equal((await remove(other)).status, 200);
});
