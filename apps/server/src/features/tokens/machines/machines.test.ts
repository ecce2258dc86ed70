// Tests of machine identities.
import {
  approveAccessRequest,
  changeUserRole,
  completePasswordReset,
  createAccessRequest,
  createMachine,
  createMachineToken,
  createToken,
  deleteUser,
  issueResetLink,
  listMachines,
  listNotifications,
  listOwnTokens,
  listSafeMembers,
  listUsers,
  login,
  requestPasswordReset,
  retrieveAccount,
  revokeToken,
  setUserStatus,
  updateMachine,
} from "@strongroom/contract";
import type { InputOf, MachineIdentity, ScopeChoice } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { aPlatform, anAccount } from "#testing/accounts.ts";
import { setUserStatus as disableAtCommandLine } from "#features/sign-in/index.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aGroup, aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { Reply, TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";

let app: TestApp;
let admin: TestPerson;
before(async () => {
  app = await testApp();
  admin = await firstAdmin(app);
});
after(() => app.close());

type Fields = Partial<NonNullable<InputOf<typeof createMachine>["body"]>>;
let count = 0;

async function aMachine(fields: Fields = {}): Promise<MachineIdentity> {
  count += 1;
  const responsible = fields.responsible_group_id === undefined ? { responsible_user_id: admin.id } : {};
  const body = { name: `Build server ${count}`, ...responsible, ...fields };
  const made = await app.call(createMachine, { body, as: admin.token });
  assert.equal(made.status, 201, made.text);
  return made.body;
}

async function aTokenOf(machine: MachineIdentity, scopes: ScopeChoice[]) {
  const body = { name: "pipeline", scopes, expires_in_days: 300 };
  const made = await app.call(createMachineToken, { params: { id: machine.id }, body, as: admin.token });
  assert.equal(made.status, 201, made.text);
  return { text: made.body.token, ...made.body.details };
}

const refusal = ({ status, body }: Reply<unknown>) => [status, (body as { code?: string }).code];
const asPerson = (machine: MachineIdentity) => ({ ...machine, password: "", token: "" });

test("a machine identity can be a member of a safe and retrieve secrets within its token's scopes", async () => {
  const owner = await aPerson(app);
  const safe = await aSafe(app, owner);
  const account = await anAccount(app, owner, safe);
  const machine = await aMachine({ description: "Deploys at night" });
  const token = await aTokenOf(machine, ["retrieve"]);
  const retrieve = () => app.call(retrieveAccount, { params: { id: account.id }, body: {}, as: token.text });
  assert.equal((await retrieve()).status, 404);
  await aMember(app, owner, safe, asPerson(machine), "user");
  const secret = await retrieve();
  assert.deepEqual([secret.status, secret.body.password], [200, account.password]);
  const members = await app.call(listSafeMembers, { params: { id: safe.id }, as: owner.token });
  assert.ok(members.body.members.some(({ user_id }) => user_id === machine.id));
  const listed = await app.call(listMachines, { query: { search: machine.name }, as: admin.token });
  const [shown] = listed.body.data;
  assert.deepEqual([shown?.active_tokens, shown?.responsible?.user_id], [1, admin.id]);
  assert.ok(shown?.last_used_at);
  const people = await app.call(listUsers, { query: { limit: 200 }, as: admin.token });
  assert.ok(!people.body.data.some(({ id }) => id === machine.id), "people are listed without machines");
});

test("only administrators can create machine identities and their tokens, and names are unique", async () => {
  const manager = await aPerson(app, "manager");
  const body = { name: "Own robot", responsible_user_id: manager.id };
  assert.equal((await app.call(createMachine, { body, as: manager.token })).status, 403);
  const machine = await aMachine({ responsible_user_id: manager.id });
  const token = { name: "t", scopes: ["retrieve" as const], expires_in_days: 1 };
  const params = { id: machine.id };
  assert.equal((await app.call(createMachineToken, { params, body: token, as: manager.token })).status, 403);
  const again = await app.call(createMachine, {
    body: { name: machine.name.toUpperCase(), responsible_user_id: admin.id },
    as: admin.token,
  });
  assert.deepEqual(refusal(again), [409, "machine-identity.name-taken"]);
  const ofPerson = await app.call(createMachineToken, { params: { id: manager.id }, body: token, as: admin.token });
  assert.equal(ofPerson.status, 404, "a user cannot create tokens that act as another user");
});

test("changing a machine identity during a decision about the same user does not cause a deadlock", async () => {
  const machine = await aMachine();
  const deciding = await app.database.pool.connect();
  try {
    await deciding.query("begin");
    await deciding.query("set local lock_timeout = '3s'");
    await deciding.query("select from users where role = 'admin' and kind = 'person' for no key update");
    const body = { name: `${machine.name} again`, description: null, responsible_user_id: admin.id };
    const changing = app.call(updateMachine, { params: { id: machine.id }, body, as: admin.token });
    await eventually(async () => {
      const waiting = await app.database.pool.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return waiting.rowCount === 0 ? null : true;
    });
    await deciding.query("select from users where id = $1 for no key update", [machine.id]);
    await deciding.query("commit");
    const changed = await changing;
    assert.equal(changed.status, 200, changed.text);
  } finally {
    deciding.release();
  }
});

test("the responsible user or group can list and revoke a machine identity's tokens, and exactly one of the two must be set", async () => {
  const [one, other] = [await aPerson(app), await aPerson(app)];
  const group = await aGroup(app, [one]);
  const machine = await aMachine({ responsible_group_id: group.id });
  const token = await aTokenOf(machine, ["read-only"]);
  const own = await app.call(listOwnTokens, { as: one.token });
  assert.deepEqual(
    own.body.data.map(({ id, holder }) => [id, holder.kind]),
    [[token.id, "machine"]],
  );
  const params = { id: token.id };
  assert.equal((await app.call(revokeToken, { params, as: other.token })).status, 404);
  assert.equal((await app.call(revokeToken, { params, as: one.token })).status, 200);
  const both = { name: "Both", responsible_user_id: one.id, responsible_group_id: group.id };
  assert.equal((await app.call(createMachine, { body: both, as: admin.token })).status, 400);
  const answeredByMachine = { name: "Chain", responsible_user_id: machine.id };
  assert.equal((await app.call(createMachine, { body: answeredByMachine, as: admin.token })).status, 422);

  const change = await app.call(updateMachine, {
    params: { id: machine.id },
    body: { name: "Renamed", description: null, responsible_user_id: other.id },
    as: admin.token,
  });
  assert.deepEqual([change.body.name, change.body.responsible?.user_id], ["Renamed", other.id]);
  await app.call(deleteUser, { params: { id: other.id }, as: admin.token });
  const listed = await app.call(listMachines, { query: { search: "Renamed" }, as: admin.token });
  assert.equal(
    listed.body.data[0]?.responsible?.user_id,
    admin.id,
    "the administrator who deletes a user becomes responsible for the machine",
  );
});

test("attack: a machine identity cannot sign in with a password, a reset or a link", async () => {
  const machine = await aMachine({ role: "admin" });
  for (const password of ["", " ", "a long enough password"]) {
    const reply = await app.call(login, { body: { email: machine.email, password } });
    assert.ok(reply.status === 401 || reply.status === 400, reply.text);
  }
  const asked = await app.call(requestPasswordReset, { body: { email: machine.email } });
  assert.equal(asked.status, 200, "as for every address");
  const link = await app.call(issueResetLink, { params: { id: machine.id }, as: admin.token });
  assert.deepEqual(refusal(link), [409, "user.machine"]);
  const { rows } = await app.database.pool.query("select from sign_in_resets where user_id = $1", [machine.id]);
  assert.equal(rows.length, 0);
  const done = await app.call(completePasswordReset, {
    body: { token: "not-a-token-that-exists", password: "a long enough password" },
  });
  assert.ok(done.status >= 400);
  await assert.rejects(
    app.database.pool.query("update users set password_hash = 'x' where id = $1", [machine.id]),
    /users_machine_without_password/,
  );
});

test("attack: a machine identity cannot approve requests of its responsible user", async () => {
  const owner = await aPerson(app);
  const safe = await aSafe(app, owner);
  const platform = await aPlatform(app, { approvals_level_1: 1 });
  const account = await anAccount(app, owner, safe, { platform_id: platform.id });
  const requester = await aPerson(app);
  await aMember(app, owner, safe, requester, "user");
  const machine = await aMachine({ role: "admin", responsible_user_id: requester.id });
  await aMember(app, owner, safe, asPerson(machine), "approver");
  const token = await aTokenOf(machine, ["access-request.decide", "access-request.list"]);
  const asked = await app.call(createAccessRequest, {
    body: { resource: account.name, account_id: account.id, reason: "For myself" },
    as: requester.token,
  });
  const approved = await app.call(approveAccessRequest, {
    params: { id: asked.body.id },
    body: {},
    as: token.text,
  });
  assert.deepEqual(refusal(approved), [403, "token.scope-missing"]);
});

test("attack: a machine identity's token with user management cannot grant more than its own scopes", async () => {
  const machine = await aMachine({ role: "admin" });
  const token = await aTokenOf(machine, ["user.manage", "token.use"]);
  const stronger = { name: "stronger", scopes: ["retrieve" as const], expires_in_days: 1 };
  const forItself = await app.call(createMachineToken, { params: { id: machine.id }, body: stronger, as: token.text });
  assert.deepEqual(refusal(forItself), [403, "user.person-needed"]);
  const params = { id: (await aMachine()).id };
  const forAnother = await app.call(createMachineToken, { params, body: stronger, as: token.text });
  assert.deepEqual(refusal(forAnother), [403, "token.more-than-own"]);
  const asPersonsToken = await app.call(createToken, { body: stronger, as: token.text });
  assert.equal(asPersonsToken.status, 404, "its tokens are made as a machine's");
});

test("the responsible users and administrators are notified one day before a machine identity's token expires", async () => {
  const [member, other] = [await aPerson(app), await aPerson(app)];
  const group = await aGroup(app, [member]);
  const machine = await aMachine({ responsible_group_id: group.id });
  const token = await aTokenOf(machine, ["retrieve"]);
  const lived =
    "update tokens set created_at = now() - interval '99 days', expires_at = now() + interval '9 hours' where id = $1";
  await app.database.pool.query(lived, [token.id]);
  await app.database.transaction((tx) => app.kernel.jobs.enqueue(tx, "tokens.tell-of-ends", {}));
  const noticesOf = async ({ token: as }: TestPerson) => {
    const { notifications } = (await app.call(listNotifications, { as })).body;
    return notifications.filter(({ metadata }) => metadata["token_id"] === token.id);
  };
  for (const person of [member, admin]) {
    const { title, message } = await eventually(async () => (await noticesOf(person))[0] ?? null);
    assert.equal(title, "An API token expires within a day");
    assert.ok(message.includes(`"pipeline" of the machine identity ${machine.name}`), message);
  }
  assert.deepEqual(await noticesOf(other), []);
});

test("disabling a machine identity blocks its tokens, and deleting it deletes them", async () => {
  const machine = await aMachine({ role: "manager" });
  const token = await aTokenOf(machine, ["user.list"]);
  const use = () => app.call(listUsers, { as: token.text });
  assert.equal((await use()).status, 200);
  const params = { id: machine.id };
  await app.call(setUserStatus, { params, body: { status: "disabled" }, as: admin.token });
  assert.deepEqual(refusal(await use()), [401, "token.unknown"]);
  await app.call(setUserStatus, { params, body: { status: "active" }, as: admin.token });
  assert.equal((await use()).status, 200);
  assert.equal((await app.call(deleteUser, { params, as: admin.token })).status, 200);
  assert.equal((await use()).status, 401);
  const again = await app.call(createMachine, {
    body: { name: machine.name, responsible_user_id: admin.id },
    as: admin.token,
  });
  assert.equal(again.status, 201, "its name is free");
});

test("a machine identity with the administrator role does not count as the last administrator", async () => {
  await aMachine({ role: "admin" });
  const demoted = await app.call(changeUserRole, {
    params: { id: admin.id },
    body: { role: "user" },
    as: (await aPerson(app, "admin")).token,
  });
  assert.equal(demoted.status, 200, "there are two people");
  const back = await app.database.pool.query("update users set role = 'admin' where id = $1", [admin.id]);
  assert.equal(back.rowCount, 1);
  admin = {
    ...admin,
    token: (await app.call(login, { body: { email: admin.email, password: admin.password } })).body.token!,
  };
  const { rows } = await app.database.pool.query<{ id: string }>(
    "select id from users where role = 'admin' and kind = 'person' and id <> $1",
    [admin.id],
  );
  for (const { id } of rows) {
    const params = { id: id as never };
    await app.call(setUserStatus, { params, body: { status: "disabled" }, as: admin.token });
  }
  await assert.rejects(
    disableAtCommandLine(app.kernel, admin.email, "disabled", async () => {}),
    /last administrator/,
  );
});
