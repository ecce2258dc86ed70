// Tests that weak passwords are refused wherever users choose one, and that existing weak ones do not count as re-authentication.
import {
  beginStepUp,
  changePassword,
  changeUserRole,
  completePasswordReset,
  createToken,
  inviteUser,
  issueResetLink,
  register,
  stepUp,
} from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { aPerson, activate, firstAdmin, signIn } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { createUser } from "../manage-users.ts";
import { SETUP_TOKEN, codeOf, newEmail } from "../testing/attempts.ts";

let app: TestApp;
let admin: TestPerson;
before(async () => {
  app = await testApp();
});
after(() => app.close());

interface Chosen {
  password: string;
  code: string;
}

const COMMON: Chosen = { password: "Password123!", code: "password.too-common" };
const PRODUCT: Chosen = { password: "strongroom2026", code: "password.guessable" };
const SHORT_FOR_ADMINS: Chosen = { password: "xk7qmz2vfwp", code: "password.too-short" };
const GOOD = "xk7qmz2vfwpr";

/** Asserts that each password is refused; `attempt` submits one and returns the reply. */
async function refuses(
  chosen: readonly Chosen[],
  attempt: (password: string) => Promise<{ status: number; body: unknown; text: string }>,
) {
  for (const { password, code } of chosen) {
    const reply = await attempt(password);
    assert.deepEqual([reply.status, codeOf(reply)], [400, code], `${password}: ${reply.text}`);
    assert.ok(!reply.text.includes(password), "the password is not repeated");
  }
}

test("the first administrator cannot choose a weak password, and the setup link remains usable", async () => {
  const tryWith = (password: string) =>
    app.call(register, { body: { email: "admin@example.com", password, setup_token: SETUP_TOKEN } });
  await refuses([COMMON, PRODUCT, SHORT_FOR_ADMINS], tryWith);
  admin = await firstAdmin(app);
});

test("sign-up refuses common and personal passwords, and is stricter for users who request a role", async () => {
  const tryWith = (role: string) => (password: string) =>
    app.call(register, { body: { email: "grace.hopper@example.com", name: "Grace Hopper", role, password } });
  const personal = { password: "H0pp3r-Grace1906", code: "password.guessable" };
  await refuses([COMMON, PRODUCT, personal, { password: "12345678", code: "password.too-common" }], tryWith("user"));
  await refuses([SHORT_FOR_ADMINS], tryWith("manager"));
  assert.equal((await tryWith("user")(SHORT_FOR_ADMINS.password)).status, 201);
});

test("password changes, reset links and invitations refuse weak passwords, and the link stays usable", async () => {
  const person = await aPerson(app);
  await refuses([COMMON, PRODUCT], (password) =>
    app.call(changePassword, { body: { current_password: person.password, new_password: password }, as: person.token }),
  );
  const reset = await app.call(issueResetLink, { params: { id: person.id }, as: admin.token });
  const body = { email: newEmail(), role: "manager", by: "link" } as const;
  const invited = await app.call(inviteUser, { body, as: admin.token });
  for (const [link, chosen] of [
    [reset.body.link, [COMMON, PRODUCT]],
    [invited.body.link!, [COMMON, PRODUCT, SHORT_FOR_ADMINS]],
  ] as const) {
    const complete = (password: string) =>
      app.call(completePasswordReset, { body: { token: link.split("token=")[1]!, password } });
    await refuses(chosen, complete);
    assert.equal((await complete(GOOD)).status, 200);
  }
});

test("the command line refuses weak passwords too", async () => {
  for (const { password, code } of [COMMON, PRODUCT, SHORT_FOR_ADMINS]) {
    const made = createUser(app.kernel, { email: newEmail(), role: "admin", password });
    await assert.rejects(made, (error: { code?: string }) => error.code === code);
  }
});

test("a password that is too short for a new role does not count as re-authentication until it is changed", async () => {
  const email = newEmail();
  const body = { email, password: SHORT_FOR_ADMINS.password };
  assert.equal((await app.call(register, { body })).status, 201);
  const id = JSON.parse(
    Buffer.from((await signIn(app, email, body.password)).split(".")[1]!, "base64url").toString(),
  ).id;
  await activate(app, { id });
  const promoted = await app.call(changeUserRole, { params: { id }, body: { role: "manager" }, as: admin.token });
  assert.equal(promoted.status, 200, promoted.text);

  const token = await signIn(app, email, body.password);
  const proof = { kind: "password", password: body.password } as const;
  assert.deepEqual((await app.call(beginStepUp, { as: token })).body.kinds, ["password"]);
  const use = (as: string) => app.call(createToken, { body: {} as never, as });
  assert.equal(codeOf(await use(token)), "step-up.required");
  const refused = await app.call(stepUp, { body: { proof }, as: token });
  assert.deepEqual([refused.status, codeOf(refused)], [403, "password.must-change"]);

  const changed = await app.call(changePassword, {
    body: { current_password: body.password, new_password: GOOD },
    as: token,
  });
  assert.equal(changed.status, 200, changed.text);
  assert.equal(
    (await app.call(stepUp, { body: { proof: { kind: "password", password: GOOD } }, as: token })).status,
    200,
  );
  assert.notEqual(codeOf(await use(token)), "step-up.required");
  assert.notEqual(codeOf(await use(await signIn(app, email, GOOD))), "step-up.required");
});
