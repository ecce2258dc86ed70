// Tests of managing users on the command line.
import { completePasswordReset, createToken, currentSession, entrance, listCredentials } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { revokeAsDisabled } from "#features/tokens/index.ts";
import { createUser, createResetLink, setUserStatus } from "./index.ts";
import { MINUTE, PASSWORD, entriesOf, newEmail, signedIn, tryToSignIn } from "./testing/attempts.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

test("creating the first administrator on the command line removes the need for the setup link", async () => {
  assert.notEqual(await app.setupLink(), null);
  const email = newEmail();
  const id = await createUser(app.kernel, { email: ` ${email.toUpperCase()}`, role: "admin", password: PASSWORD });
  assert.equal(await app.setupLink(), null);
  assert.equal((await app.call(entrance)).body.needs_setup, false);
  const { user } = (await app.call(currentSession, { as: await signedIn(app, email) })).body;
  assert.deepEqual(user, { id, email, name: email.split("@")[0], role: "admin" });
  const entry = (await entriesOf(app, "user.registered")).at(-1);
  assert.deepEqual(entry?.actor, { system: "command line" });
  assert.equal(entry.target?.["id"], id);
});

test("an account that cannot be created is refused with a readable message", async () => {
  const email = newEmail();
  await createUser(app.kernel, { email, role: "user", password: PASSWORD });
  const account = { email, role: "user", password: PASSWORD } as const;
  await assert.rejects(createUser(app.kernel, account), {
    message: `A user with the email address ${email} already exists.`,
  });
  await assert.rejects(createUser(app.kernel, { ...account, email: "nobody" }), {
    message: "Please enter a valid email address.",
  });
  await assert.rejects(createUser(app.kernel, { ...account, email: newEmail(), password: "short" }), {
    message: "Password must be at least 8 characters.",
  });
  await assert.rejects(createUser(app.kernel, { ...account, email: newEmail(), name: "Ada\u001b[2J" }), {
    message: "Must be on one line, without control characters",
  });
});

test("a user created without a password can only sign in after using a reset link", async () => {
  const email = newEmail();
  const id = await createUser(app.kernel, { email, role: "user" });
  assert.equal((await tryToSignIn(app, email, { password: "" })).status, 400);
  const { link, expiresAt } = await createResetLink(app.kernel, email);
  assert.ok(Math.abs(expiresAt.getTime() - Date.now() - 30 * MINUTE) < MINUTE);
  const token = link.split("#token=")[1] ?? "";
  assert.equal((await app.call(completePasswordReset, { body: { token, password: PASSWORD } })).status, 200);
  await signedIn(app, email);
  const entry = (await entriesOf(app, "password-reset.link-issued")).at(-1);
  assert.deepEqual([entry?.actor, entry?.target?.["id"]], [{ system: "command line" }, id]);
  await assert.rejects(createResetLink(app.kernel, "missing@example.com"), {
    message: "There is no user with the email address missing@example.com.",
  });
});

test("disabling a user on the command line ends their access immediately, and the last administrator cannot be disabled", async () => {
  const admin = newEmail();
  const user = newEmail();
  await createUser(app.kernel, { email: admin, role: "admin", password: PASSWORD });
  await createUser(app.kernel, { email: user, role: "user", password: PASSWORD });
  const token = await signedIn(app, user);
  const body = { name: "A token", scopes: ["read-only" as const], expires_in_days: 1 };
  const { token: program, details: made } = (await app.call(createToken, { body, as: token })).body;
  await setUserStatus(app.kernel, user, "disabled", revokeAsDisabled);
  assert.equal((await app.call(currentSession, { as: token })).status, 401);
  await assert.rejects(createResetLink(app.kernel, user), { code: "user.disabled" });
  await setUserStatus(app.kernel, user, "active", revokeAsDisabled);
  await signedIn(app, user);
  assert.equal((await app.call(listCredentials, { as: program })).status, 401, "their API tokens stay revoked");
  const revoked = (await entriesOf(app, "token.revoked")).map((entry) => [entry.target?.["id"], entry.reason]);
  assert.deepEqual(revoked, [[made.id, "The token's holder was disabled."]]);
  const changes = (await entriesOf(app, "user.status-changed")).map((entry) => entry.details);
  assert.deepEqual(changes, [
    { from: "active", to: "disabled" },
    { from: "disabled", to: "active" },
  ]);
  const { rows } = await app.database.pool.query("select email from users where role = 'admin' and email <> $1", [
    admin,
  ]);
  for (const other of rows) await setUserStatus(app.kernel, other.email, "disabled", revokeAsDisabled);
  await assert.rejects(setUserStatus(app.kernel, admin, "disabled", revokeAsDisabled), { code: "user.last-admin" });
});

test("an account that is waiting for activation is neither enabled nor disabled on the command line", async () => {
  const email = newEmail();
  const id = await createUser(app.kernel, { email, role: "user", password: PASSWORD });
  await app.database.pool.query("update users set status = 'pending' where id = $1", [id]);
  for (const status of ["active", "disabled"] as const) {
    const refused = setUserStatus(app.kernel, email, status, revokeAsDisabled);
    await assert.rejects(refused, { code: "user.awaiting-activation" });
  }
  const { rows } = await app.database.pool.query("select status from users where id = $1", [id]);
  assert.deepEqual(rows, [{ status: "pending" }]);
});
