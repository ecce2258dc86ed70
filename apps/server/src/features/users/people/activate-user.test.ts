// Tests of activating accounts after sign-up, its notifications, and the lists that exclude pending users.
import {
  activateUser,
  activateUsers,
  addGroupMember,
  addSafeMember,
  createGroup,
  createSafe,
  findPrincipals,
  listAccessPeople,
  listNotifications,
  listUsers,
  readOwnProfile,
  readSignInPolicy,
  register,
  updateSignInPolicy,
} from "@strongroom/contract";
import type { SignInPolicy, UserId } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setUserStatus as setStatusOf } from "#features/sign-in/index.ts";
import { revokeAsDisabled } from "#features/tokens/index.ts";
import { aPendingPerson, aPerson, firstAdmin, signIn } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { usualPolicy } from "#testing/sign-in-policy.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";

let app: TestApp;
let admin: TestPerson;
before(async () => {
  app = await testApp();
  admin = await firstAdmin(app);
});
after(() => app.close());

const codeOf = (reply: { body: unknown }) => (reply.body as { code?: string }).code;
const statusOf = async ({ id }: { id: UserId }) => {
  const { rows } = await app.database.pool.query<{ status: string }>("select status from users where id = $1", [id]);
  return rows[0]?.status;
};
const activateBy = (as: string, id: UserId, body = {}) => app.call(activateUser, { params: { id }, body, as });
const entries = async (event: string, target: string) => {
  const { rows } = await app.database.pool.query<{ text: string }>(
    "select convert_from(canonical, 'UTF8') as text from audit_entries where event = $1 and target_id = $2 order by id",
    [event, target],
  );
  return rows.map(({ text }) => JSON.parse(text) as { result: string; actor: { id: string }; details: unknown });
};
let count = 0;
/** A user who signed up and requested a role. */
async function whoAsksFor(role: "manager" | "admin"): Promise<{ id: UserId; email: string }> {
  count += 1;
  const email = `asks-${count}@example.com`;
  const made = await app.call(register, { body: { email, password: "a long enough password", role } });
  assert.equal(made.status, 201, made.text);
  const { body } = await app.call(listUsers, { query: { search: email }, as: admin.token });
  return { id: body.data[0]!.id, email };
}

describe("activation", () => {
  test("requires an administrator, is audited and notifies both sides", async () => {
    const waiting = await aPendingPerson(app);
    const others = [await aPerson(app, "manager"), await aPerson(app), waiting];
    for (const { token } of others) assert.equal((await activateBy(token, waiting.id)).status, 403);
    assert.equal(await statusOf(waiting), "pending");
    const told = await eventually(async () => {
      const { body } = await app.call(listNotifications, { as: admin.token });
      return body.notifications.find(({ type }) => type === "user_activation") ?? null;
    });
    assert.ok(told.actionRequired);
    const reply = await activateBy(admin.token, waiting.id);
    assert.deepEqual([reply.status, reply.body.status], [200, "active"]);
    const success = (await entries("user.activated", waiting.id)).filter(({ result }) => result === "success");
    assert.deepEqual(
      success.map(({ actor }) => actor.id),
      [admin.id],
    );
    await eventually(async () => {
      const { body } = await app.call(listNotifications, { as: waiting.token });
      return body.notifications.find(({ title }) => title === "Your account is active") ?? null;
    });
    assert.equal(codeOf(await activateBy(admin.token, waiting.id)), "user.not-pending");
  });

  test("decides the requested role in the same call", async () => {
    const [approved, denied, open] = [
      await whoAsksFor("manager"),
      await whoAsksFor("admin"),
      await whoAsksFor("manager"),
    ];
    const before = await signIn(app, approved.email);
    const first = await activateBy(admin.token, approved.id, { role_request: "approve" });
    assert.deepEqual([first.body.role, first.body.requested_role, first.body.open_sessions], ["manager", null, 0]);
    assert.equal((await app.call(readOwnProfile, { as: before })).status, 401);
    const second = await activateBy(admin.token, denied.id, { role_request: "deny" });
    assert.deepEqual([second.body.role, second.body.requested_role], ["user", null]);
    const third = await activateBy(admin.token, open.id);
    assert.deepEqual([third.body.role, third.body.requested_role], ["user", "manager"]);
    const none = await aPendingPerson(app);
    assert.equal(codeOf(await activateBy(admin.token, none.id, { role_request: "approve" })), "user.no-role-request");
    assert.equal(await statusOf(none), "pending");
  });

  test("activates several accounts with an audit entry for each, and skips those that are not pending", async () => {
    const waiting = [await aPendingPerson(app), await aPendingPerson(app)];
    const active = await aPerson(app);
    const user_ids = [...waiting.map(({ id }) => id), active.id, "0190c0de-0000-7000-8000-00000000dead" as UserId];
    const reply = await app.call(activateUsers, { body: { user_ids }, as: admin.token });
    assert.deepEqual(reply.body.activated.toSorted(), waiting.map(({ id }) => id).toSorted());
    for (const { id } of waiting) {
      assert.equal(await statusOf({ id }), "active");
      assert.equal((await entries("user.activated", id)).length, 1);
    }
  });

  test("lets only one of several parallel calls succeed", async () => {
    const waiting = await aPendingPerson(app);
    const replies = await Promise.all(Array.from({ length: 10 }, () => activateBy(admin.token, waiting.id)));
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    assert.equal((await entries("user.activated", waiting.id)).filter(({ result }) => result === "success").length, 1);
  });
});

describe("before activation", () => {
  test("a pending user is not found by search and cannot be added to a safe or a group", async () => {
    const waiting = await aPendingPerson(app);
    const owner = await aPerson(app, "manager");
    const safe = await app.call(createSafe, { body: { name: `Safe of ${owner.id}` }, as: owner.token });
    assert.equal(safe.status, 201, safe.text);
    const found = await app.call(findPrincipals, { query: { search: waiting.email }, as: owner.token });
    assert.equal(found.status, 200, found.text);
    assert.ok(!found.text.includes(waiting.id));
    const people = await app.call(listAccessPeople, { query: { search: waiting.email }, as: admin.token });
    assert.equal(people.status, 200, people.text);
    assert.ok(!people.text.includes(waiting.id));
    const params = { id: safe.body.id };
    const body = { user_id: waiting.id, role: "viewer" } as never;
    const added = await app.call(addSafeMember, { params, body, as: owner.token });
    assert.ok([400, 404, 422].includes(added.status), added.text);
    const group = await app.call(createGroup, { body: { name: `Group of ${owner.id}` }, as: admin.token });
    assert.equal(group.status, 201, group.text);
    const joined = await app.call(addGroupMember, {
      params: { id: group.body.id },
      body: { user_id: waiting.id },
      as: admin.token,
    });
    assert.ok([404, 409, 422].includes(joined.status), joined.text);
    const { rows } = await app.database.pool.query(
      "select from safe_members where user_id = $1 union all select from group_members where user_id = $1",
      [waiting.id],
    );
    assert.equal(rows.length, 0);
  });

  test("pending users appear in the list of users for administrators who filter for them", async () => {
    const waiting = await aPendingPerson(app);
    const { body } = await app.call(listUsers, { query: { status: "pending" }, as: admin.token });
    assert.ok(body.data.some(({ id }) => id === waiting.id));
    assert.ok(body.data.every(({ status }) => status === "pending"));
  });
});

describe("the sign-up rule", () => {
  const rule = async (change: Partial<SignInPolicy>) => {
    const reply = await app.call(updateSignInPolicy, { body: { ...usualPolicy, ...change }, as: admin.token });
    assert.equal(reply.status, 200, reply.text);
  };
  const trySignUp = async (email: string) =>
    app.call(register, { body: { email, password: "a long enough password" } });

  test("admits all addresses, some domains after activation, or none", async () => {
    try {
      await rule({ sign_up: "open" });
      assert.equal((await trySignUp("trial@elsewhere.example")).status, 201);
      await rule({ sign_up: "domains", sign_up_domains: ["corp.example"] });
      assert.equal((await trySignUp("ada@corp.example")).status, 201);
      for (const email of ["eve@elsewhere.example", "eve@evil-corp.example", "eve@sub.corp.example"]) {
        const reply = await trySignUp(email);
        assert.deepEqual([reply.status, codeOf(reply)], [403, "sign-up.other-domain"], email);
      }
      await rule({ sign_up: "closed" });
      assert.equal(codeOf(await trySignUp("late@corp.example")), "sign-up.closed");
    } finally {
      await rule({});
    }
    const { body } = await app.call(listUsers, { query: { limit: 50 }, as: admin.token });
    const statuses = new Map(body.data.map(({ email, status }) => [email, status]));
    assert.equal(statuses.get("trial@elsewhere.example"), "active");
    assert.equal(statuses.get("ada@corp.example"), "pending");
  });

  test("cannot limit sign-up to domains without listing one", async () => {
    const body = { ...usualPolicy, sign_up: "domains" as const };
    assert.equal((await app.call(updateSignInPolicy, { body, as: admin.token })).status, 400);
  });

  test("is chosen by the first administrator through the setup link, and no later sign-up can change it", async () => {
    const own = await testApp();
    try {
      const sign_up = { sign_up: "domains" as const, sign_up_domains: ["corp.example"] };
      const body = { email: "first@example.com", password: "a long enough password", sign_up };
      const first = await own.call(register, { body: { ...body, setup_token: own.config.setupToken! } });
      assert.equal(first.status, 201, first.text);
      const reply = await own.call(register, {
        body: { ...body, email: "x@corp.example", sign_up: { sign_up: "open", sign_up_domains: [] } },
      });
      assert.deepEqual([reply.status, codeOf(reply)], [403, "sign-up.not-first"]);
      const as = await signIn(own, "first@example.com");
      const policy = (await own.call(readSignInPolicy, { as })).body;
      assert.deepEqual([policy.sign_up, policy.sign_up_domains], ["domains", ["corp.example"]]);
    } finally {
      await own.close();
    }
  });
});

test("the command line can neither disable nor enable an account that is waiting for activation", async () => {
  const waiting = await aPendingPerson(app);
  for (const status of ["disabled", "active"] as const) {
    await assert.rejects(setStatusOf(app.kernel, waiting.email, status, revokeAsDisabled), /waiting for activation/);
    assert.equal(await statusOf(waiting), "pending");
  }
});
