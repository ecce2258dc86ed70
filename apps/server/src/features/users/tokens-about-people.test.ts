// Tests that an API token with user management cannot create an administrator or get access to another user's account.
import {
  changeUserRole,
  createIdentityProvider,
  createMachine,
  createMachineToken,
  createToken,
  decideRoleRequest,
  deleteUser,
  endUserSessions,
  inviteAgain,
  inviteUser,
  issueResetLink,
  listUsers,
  login,
  register,
  resetFactors,
  revokeToken,
  setUserStatus,
  unlockUser,
  updateSignInPolicy,
  updateTokenPolicy,
} from "@strongroom/contract";
import type { ScopeChoice, UserId } from "@strongroom/contract";
import { endpoints } from "@strongroom/contract/all";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { sampleBody } from "#testing/sample-bodies.ts";
import { usualPolicy } from "#testing/sign-in-policy.ts";
import { testApp } from "#testing/test-app.ts";
import type { Reply, TestApp } from "#testing/test-app.ts";

const SCOPES: ScopeChoice[] = [
  "user.manage",
  "user.list",
  "policy.manage",
  "identity-provider.manage",
  "access.manage",
  "access.review",
  "group.manage",
  "token.use",
];

let app: TestApp;
/** The administrator who created the token, and another administrator. */
let holder: TestPerson;
let other: TestPerson;
let token: string;
before(async () => {
  app = await testApp();
  await firstAdmin(app);
  holder = await aPerson(app, "admin");
  other = await aPerson(app, "admin");
  const made = await app.call(createToken, {
    body: { name: "provisioning", scopes: SCOPES, expires_in_days: 30 },
    as: holder.token,
  });
  assert.equal(made.status, 201, made.text);
  token = made.body.token;
});
after(() => app.close());

const refusal = ({ status, body }: Reply<unknown>) => [status, (body as { code?: string }).code];
const byId = (id: string) => ({ params: { id: id as UserId }, as: token });
const SESSION_NEEDED = [403, "token.session-needed"];
const PERSON_NEEDED = [403, "user.person-needed"];

describe("an API token with user management", () => {
  test("cannot create a reset link or reset factors, for any user", async () => {
    const user = await aPerson(app);
    for (const person of [user, holder, other]) {
      assert.deepEqual(refusal(await app.call(issueResetLink, byId(person.id))), SESSION_NEEDED);
      assert.deepEqual(refusal(await app.call(resetFactors, byId(person.id))), SESSION_NEEDED);
    }
  });

  test("cannot change an administrator or its own holder, or end their sessions", async () => {
    for (const { id } of [other, holder]) {
      const calls = {
        role: await app.call(changeUserRole, { ...byId(id), body: { role: "user" } }),
        disable: await app.call(setUserStatus, { ...byId(id), body: { status: "disabled" } }),
        enable: await app.call(setUserStatus, { ...byId(id), body: { status: "active" } }),
        unlock: await app.call(unlockUser, byId(id)),
        delete: await app.call(deleteUser, byId(id)),
        sessions: await app.call(endUserSessions, byId(id)),
      };
      for (const [name, reply] of Object.entries(calls)) assert.deepEqual(refusal(reply), PERSON_NEEDED, name);
    }
  });

  test("cannot revoke an administrator's tokens, while a re-authenticated administrator can", async () => {
    const body = { name: "of another one", scopes: ["safe.list" as const], expires_in_days: 1 };
    const ofOther = (await app.call(createToken, { body, as: other.token })).body;
    const user = await aPerson(app);
    const ofUser = (await app.call(createToken, { body, as: user.token })).body;
    const params = { id: ofOther.details.id };
    assert.deepEqual(refusal(await app.call(revokeToken, { params, as: token })), PERSON_NEEDED);
    assert.equal((await app.call(revokeToken, { params: { id: ofUser.details.id }, as: token })).status, 200);
    await app.database.pool.query(
      "update sign_in_sessions set proved_at = now() - interval '1 day' where user_id = $1",
      [holder.id],
    );
    assert.deepEqual(refusal(await app.call(revokeToken, { params, as: holder.token })), [403, "step-up.required"]);
    await app.database.pool.query("update sign_in_sessions set proved_at = now() where user_id = $1", [holder.id]);
    assert.equal((await app.call(revokeToken, { params, as: holder.token })).status, 200);
  });

  test("can end the sessions of a user, but not those of a machine identity with the administrator role", async () => {
    assert.equal((await app.call(endUserSessions, byId((await aPerson(app)).id))).status, 200);
    const machine = await app.call(createMachine, {
      body: { name: "admin robot to stop", role: "admin", responsible_user_id: holder.id },
      as: holder.token,
    });
    assert.equal(machine.status, 201, machine.text);
    assert.deepEqual(refusal(await app.call(endUserSessions, byId(machine.body.id))), PERSON_NEEDED);
  });

  test("cannot create an administrator through a role, an invitation, a role request or a machine identity", async () => {
    const user = await aPerson(app);
    const asked = `asked-${user.email}`;
    await app.call(register, { body: { email: asked, password: user.password, role: "admin" } });
    const [asking] = (await app.call(listUsers, { query: { search: asked }, as: token })).body.data;
    const responsible = { responsible_user_id: user.id };
    const calls = {
      role: await app.call(changeUserRole, { ...byId(user.id), body: { role: "admin" } }),
      request: await app.call(decideRoleRequest, { ...byId(asking!.id), body: { decision: "approve" } }),
      invitation: await app.call(inviteUser, { body: { email: "new@example.com", role: "admin" }, as: token }),
      machine: await app.call(createMachine, { body: { name: "robot", role: "admin", ...responsible }, as: token }),
    };
    for (const [name, reply] of Object.entries(calls)) assert.deepEqual(refusal(reply), PERSON_NEEDED, name);
    const admins = await app.call(listUsers, { query: { role: "admin" }, as: token });
    assert.equal(admins.body.data.length, 3);
  });

  test("cannot get the link of an administrator's open invitation, or a token of an administrator's machine identity", async () => {
    const invited = await app.call(inviteUser, {
      body: { email: "invited-admin@example.com", role: "admin" },
      as: holder.token,
    });
    assert.equal(invited.status, 201, invited.text);
    const again = await app.call(inviteAgain, { ...byId(invited.body.user.id), body: { by: "link" } });
    assert.deepEqual(refusal(again), PERSON_NEEDED);
    const machine = await app.call(createMachine, {
      body: { name: "admin robot", role: "admin", responsible_user_id: holder.id },
      as: holder.token,
    });
    const made = await app.call(createMachineToken, {
      ...byId(machine.body.id),
      body: { name: "A token", scopes: ["user.list"], expires_in_days: 1 },
    });
    assert.deepEqual(refusal(made), PERSON_NEEDED);
  });

  test("cannot change identity providers or sign-in policies", async () => {
    const named = endpoints.find(({ name }) => name === "createIdentityProvider")!;
    const provider = sampleBody(named) as never;
    const calls = {
      provider: await app.call(createIdentityProvider, { body: provider, as: token }),
      policy: await app.call(updateSignInPolicy, { body: usualPolicy, as: token }),
      tokens: await app.call(updateTokenPolicy, { body: { person_days: 365, machine_days: 365 }, as: token }),
    };
    for (const [name, reply] of Object.entries(calls)) assert.deepEqual(refusal(reply), SESSION_NEEDED, name);
  });

  test("can invite users and managers, whose open links stop working once they become administrators", async () => {
    const email = "provisioned@example.com";
    const invited = await app.call(inviteUser, { body: { email, role: "manager" }, as: token });
    assert.equal(invited.status, 201, invited.text);
    const { id } = invited.body.user;
    const promoted = await app.call(changeUserRole, { params: { id }, body: { role: "admin" }, as: holder.token });
    assert.equal(promoted.status, 200, promoted.text);
    const link = new URLSearchParams(new URL(invited.body.link!).hash.slice(1)).get("token")!;
    const password = "chosen by the token's owner";
    const used = await app.http.inject({
      method: "POST",
      url: "/api/v1/auth/reset-password/complete",
      payload: { token: link, password },
    });
    assert.equal(used.statusCode, 400, used.body);
    assert.equal((await app.call(login, { body: { email, password } })).status, 401);
  });
});
