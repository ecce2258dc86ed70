// Tests of the list of users, roles, status, role requests and the sign-in policy.
import {
  changeUserRole,
  decideRoleRequest,
  endUserSessions,
  issueResetLink,
  listUsers,
  login,
  readSignInPolicy,
  register,
  setUserStatus,
  updateSignInPolicy,
} from "@strongroom/contract";
import type { Role, SignInPolicy, UserId, UserSort } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPerson, activate, firstAdmin, signIn } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { usualPolicy } from "#testing/sign-in-policy.ts";
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
const setRole = (id: UserId, role: Role, as: string) =>
  app.call(changeUserRole, { params: { id }, body: { role }, as });
const setStatus = (id: UserId, status: "active" | "disabled", as: string) =>
  app.call(setUserStatus, { params: { id }, body: { status }, as });
const entryOf = async (event: string, targetId: string) => {
  const { rows } = await app.database.pool.query<{ text: string }>(
    "select convert_from(canonical, 'UTF8') as text from audit_entries where event = $1 and target_id = $2 and result = 'success' order by at desc, id desc limit 1",
    [event, targetId],
  );
  return JSON.parse(rows[0]?.text ?? "null");
};

describe("the list of users", () => {
  test("shows all users, newest first and paginated, without password hashes", async () => {
    const people = [await aPerson(app), await aPerson(app), await aPerson(app)];
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const reply = await app.call(listUsers, { query: { limit: 2, cursor }, as: admin.token });
      assert.equal(reply.status, 200, reply.text);
      assert.ok(reply.body.data.length <= 2);
      assert.ok(!reply.text.includes("argon2"));
      seen.push(...reply.body.data.map((user) => user.email));
      cursor = reply.body.next_cursor ?? undefined;
    } while (cursor !== undefined);
    assert.deepEqual(seen.slice(0, 3), people.map((person) => person.email).toReversed());
    assert.equal(seen.at(-1), admin.email);
    assert.equal(new Set(seen).size, seen.length);
  });

  test("is sorted by a field, over pages, and refuses unknown fields and cursors of another order", async () => {
    for (const field of ["name", "email", "role", "last_signed_in_at"] as const) {
      const inOrder = async (sort: UserSort): Promise<string[]> => {
        const emails: string[] = [];
        let cursor: string | undefined;
        do {
          const reply = await app.call(listUsers, { query: { limit: 2, cursor, sort }, as: admin.token });
          assert.equal(reply.status, 200, reply.text);
          emails.push(...reply.body.data.map(({ email }) => email));
          cursor = reply.body.next_cursor ?? undefined;
        } while (cursor !== undefined);
        return emails;
      };
      const up = await inOrder(field);
      const users = (await app.call(listUsers, { query: { limit: 200 }, as: admin.token })).body.data;
      assert.deepEqual(up.toSorted(), users.map(({ email }) => email).toSorted());
      const valueOf = (email: string) => (users.find((user) => user.email === email)?.[field] ?? "").toLowerCase();
      assert.deepEqual(up.map(valueOf), up.map(valueOf).toSorted());
      assert.deepEqual(await inOrder(`-${field}`), up.toReversed());
    }
    const bad = await app.call(listUsers, { query: { sort: "password_hash" as never }, as: admin.token });
    assert.equal(bad.status, 400);
    const { body } = await app.call(listUsers, { query: { limit: 1, sort: "name" }, as: admin.token });
    const query = { sort: "last_signed_in_at" as const, cursor: body.next_cursor! };
    assert.equal((await app.call(listUsers, { query, as: admin.token })).status, 400);
  });

  test("finds users by part of their address or name and treats wildcards literally", async () => {
    const person = await aPerson(app);
    const find = async (search: string) =>
      (await app.call(listUsers, { query: { search }, as: admin.token })).body.data.map((user) => user.email);
    assert.deepEqual(await find(person.email.slice(0, -4).toUpperCase()), [person.email]);
    for (const search of ["%", "_", "\\", "person%example", "' or true --"]) assert.deepEqual(await find(search), []);
  });

  test("shows the last sign-in and the number of open sessions", async () => {
    const person = await aPerson(app);
    await signIn(app, person.email);
    const { body } = await app.call(listUsers, { query: { search: person.email }, as: admin.token });
    assert.equal(body.data[0]?.open_sessions, 2);
    assert.ok(Date.now() - Date.parse(body.data[0].last_signed_in_at ?? "") < 60_000);
  });

  test("can be read but not changed by managers, and cannot be read by users", async () => {
    const manager = await aPerson(app, "manager");
    const user = await aPerson(app);
    assert.equal((await app.call(listUsers, { as: manager.token })).status, 200);
    assert.equal((await app.call(listUsers, { as: user.token })).status, 403);
    for (const { token } of [manager, user]) {
      assert.equal((await setRole(user.id, "admin", token)).status, 403);
      assert.equal((await setStatus(admin.id, "disabled", token)).status, 403);
    }
  });

  test("refuses an invalid cursor", async () => {
    const reply = await app.call(listUsers, { query: { cursor: "' or true --" }, as: admin.token });
    assert.equal(reply.status, 400);
  });
});

describe("roles and status", () => {
  test("a role change is audited and ends sessions only when the role actually changes", async () => {
    const person = await aPerson(app);
    assert.equal((await setRole(person.id, "user", admin.token)).body.open_sessions, 1);
    const reply = await setRole(person.id, "manager", admin.token);
    assert.deepEqual([reply.status, reply.body.role, reply.body.open_sessions], [200, "manager", 0]);
    const entry = await entryOf("user.role-changed", person.id);
    assert.deepEqual(entry.details, { from: "user", to: "manager" });
    assert.equal(entry.actor.id, admin.id);
    assert.equal(entry.target.name, person.email);
  });

  test("users cannot change their own role or status", async () => {
    const second = await aPerson(app, "admin");
    for (const reply of [
      await setRole(second.id, "user", second.token),
      await setRole(second.id, "admin", second.token),
      await setStatus(second.id, "disabled", second.token),
    ]) {
      assert.equal(reply.status, 403);
      assert.equal(codeOf(reply), "user.oneself");
    }
    await setRole(second.id, "user", admin.token);
  });

  test("the last administrator can be neither demoted nor disabled", async () => {
    for (const reply of [
      await setRole(admin.id, "user", admin.token),
      await setStatus(admin.id, "disabled", admin.token),
    ]) {
      assert.equal(reply.status, 409);
      assert.equal(codeOf(reply), "user.last-admin");
    }
  });

  test("two administrators who concurrently demote or disable each other do not both succeed", async () => {
    for (let round = 0; round < 5; round++) {
      const own = await testApp();
      const one = await firstAdmin(own);
      const two = await aPerson(own, "admin");
      const replies = await Promise.all([
        own.call(changeUserRole, { params: { id: two.id }, body: { role: "user" }, as: one.token }),
        own.call(setUserStatus, { params: { id: one.id }, body: { status: "disabled" }, as: two.token }),
      ]);
      assert.equal(replies.filter((reply) => reply.status === 200).length, 1);
      assert.ok(replies.some((reply) => [401, 403, 409].includes(reply.status)));
      const { rows } = await own.database.pool.query("select from users where role = 'admin' and status = 'active'");
      assert.equal(rows.length, 1);
      await own.close();
    }
  });

  test("a disabled user cannot sign in until they are enabled again", async () => {
    const person = await aPerson(app);
    assert.equal((await setStatus(person.id, "disabled", admin.token)).body.status, "disabled");
    const body = { email: person.email, password: person.password };
    assert.equal((await app.call(login, { body })).status, 403);
    const link = await app.call(issueResetLink, { params: { id: person.id }, as: admin.token });
    assert.equal(codeOf(link), "user.disabled");
    await setStatus(person.id, "active", admin.token);
    assert.equal((await app.call(login, { body })).status, 200);
  });

  test("every call returns 404 for an unknown user", async () => {
    const params = { id: "0190c0de-0000-7000-8000-00000000dead" as UserId };
    const as = admin.token;
    for (const reply of [
      await app.call(changeUserRole, { params, body: { role: "user" }, as }),
      await app.call(setUserStatus, { params, body: { status: "disabled" }, as }),
      await app.call(decideRoleRequest, { params, body: { decision: "deny" }, as }),
      await app.call(endUserSessions, { params, as }),
      await app.call(issueResetLink, { params, as }),
    ]) {
      assert.deepEqual([reply.status, codeOf(reply)], [404, "user.not-found"]);
    }
  });
});

describe("OPEN-18: role requests", () => {
  async function whoAsksFor(role: Role): Promise<{ id: UserId; email: string }> {
    const email = `asks-for-${role}-${Math.random()}@example.com`;
    await app.call(register, { body: { email, password: "a long enough password", role } });
    const { body } = await app.call(listUsers, { query: { search: email }, as: admin.token });
    await activate(app, body.data[0]!);
    return { id: body.data[0]!.id, email };
  }
  const decide = (id: UserId, decision: "approve" | "deny") =>
    app.call(decideRoleRequest, { params: { id }, body: { decision }, as: admin.token });
  const waiting = async () => {
    const { body } = await app.call(listUsers, { query: { has_role_request: "true" }, as: admin.token });
    return body.data.map((user) => user.id);
  };

  test("an approved request changes the role, ends the sessions and can be decided only once", async () => {
    const { id, email } = await whoAsksFor("manager");
    const before = await signIn(app, email);
    assert.ok((await waiting()).includes(id));
    const reply = await decide(id, "approve");
    assert.deepEqual([reply.body.role, reply.body.requested_role, reply.body.open_sessions], ["manager", null, 0]);
    assert.equal((await app.call(listUsers, { as: before })).status, 401);
    assert.equal((await app.call(listUsers, { as: await signIn(app, email) })).status, 200);
    assert.ok(!(await waiting()).includes(id));
    assert.equal(codeOf(await decide(id, "approve")), "user.no-role-request");
    assert.deepEqual((await entryOf("user.role-request-decided", id)).details, {
      decision: "approve",
      requested: "manager",
    });
  });

  test("a denied request changes nothing", async () => {
    const { id, email } = await whoAsksFor("admin");
    const token = await signIn(app, email);
    const reply = await decide(id, "deny");
    assert.deepEqual([reply.body.role, reply.body.requested_role, reply.body.open_sessions], ["user", null, 1]);
    assert.equal((await app.call(listUsers, { as: token })).status, 403);
  });

  test("assigning another role closes the request", async () => {
    const { id } = await whoAsksFor("admin");
    assert.equal((await setRole(id, "manager", admin.token)).body.requested_role, null);
  });
});

describe("the sign-in policy", () => {
  const change = (body: SignInPolicy, as = admin.token) => app.call(updateSignInPolicy, { body, as });

  test("OPEN-01, OPEN-08: starts with the specified values", async () => {
    assert.deepEqual((await app.call(readSignInPolicy, { as: admin.token })).body, usualPolicy);
  });

  test("is changed by administrators, readable by managers, and audited with the values before and after", async () => {
    const manager = await aPerson(app, "manager");
    const other: SignInPolicy = { ...usualPolicy, timeout_minutes: 60, sign_up: "closed" };
    assert.deepEqual((await change(other)).body, other);
    assert.deepEqual((await app.call(readSignInPolicy, { as: manager.token })).body, other);
    assert.equal((await change(usualPolicy, manager.token)).status, 403);
    const entry = await entryOf("policy.changed", "sign-in");
    assert.deepEqual(entry.details, { from: usualPolicy, to: other });
    await change(usualPolicy);
  });

  test("OPEN-01: requires the warning before the timeout, and session limits within the specified maximum", async () => {
    for (const wrong of [
      { warning_minutes: 30 },
      { timeout_minutes: 4, warning_minutes: 1 },
      { session_hours: 13 },
      { remembered_days: 31 },
    ]) {
      assert.equal((await change({ ...usualPolicy, ...wrong })).status, 400);
    }
    assert.deepEqual((await app.call(readSignInPolicy, { as: admin.token })).body, usualPolicy);
  });
});
