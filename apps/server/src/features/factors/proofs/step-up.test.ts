// Tests of re-authentication: which calls require it, which proofs count, and attempts to bypass it.
import {
  CredentialEdit,
  beginStepUp,
  changeUserRole,
  readAccount,
  readCredential,
  readSignInPolicy,
  retrieveAccount,
  revealCredential,
  stepUp,
  updateCredential,
  updateSignInPolicy,
} from "@strongroom/contract";
import type { Credential, SignInPolicy, StepUpProof } from "@strongroom/contract";
import { endpoints } from "@strongroom/contract/all";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { MINUTE, codeOf, entriesOf, signedIn, fixedClock } from "#features/sign-in/testing/attempts.ts";
import { anAccount } from "#testing/accounts.ts";
import { aCredential } from "#testing/credentials.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { ORIGIN, codeAt, withApp, withPasskey } from "../testing/with-factors.ts";

const clock = fixedClock();
let app: TestApp;
before(async () => {
  app = await testApp({ clock, config: { publicUrl: ORIGIN } });
});
after(() => app.close());

/** Advances past the policy's 30 minutes, with enough activity to keep the sessions open. */
async function later(...stale: TestPerson[]): Promise<void> {
  const admin = await firstAdmin(app);
  const people = [admin, ...stale];
  for (let passed = 0; passed < 32; passed += 8) {
    clock.advance(8 * MINUTE);
    for (const { token } of people) await app.call(beginStepUp, { as: token });
  }
  // The administrator re-authenticates, so that the next test can create users and platforms.
  assert.equal((await prove(admin, { kind: "password", password: admin.password })).status, 200);
}
const prove = (person: TestPerson, proof: StepUpProof) => app.call(stepUp, { body: { proof }, as: person.token });
const reveal = (person: TestPerson, id: Credential["id"]) =>
  app.call(revealCredential, { params: { id }, body: {}, as: person.token });

describe("calls that require re-authentication", () => {
  test("INVARIANT: fail in a session without recent re-authentication, and the attempt is audited", async () => {
    const admin = await aPerson(app, "admin");
    await later(admin);
    const guarded = endpoints.filter(({ endpoint }) => endpoint.stepUp === true);
    assert.ok(guarded.length >= 20);
    for (const { endpoint, name } of guarded) {
      const id = "0190c0de-0000-7000-8000-00000000dead";
      const params = Object.fromEntries([...endpoint.path.matchAll(/:(\w+)/g)].map(([, key]) => [key, id]));
      const reply = await app.call(endpoint, { params, as: admin.token });
      assert.deepEqual([reply.status, codeOf(reply)], [403, "step-up.required"], `${name}: ${reply.text}`);
    }
    const refused = (await entriesOf(app, "user.role-changed")).filter(({ reason }) => reason === "step-up.required");
    assert.equal(refused.at(-1)?.actor["id"], admin.id);
  });

  test("include the most dangerous calls", () => {
    const names = endpoints.filter(({ endpoint }) => endpoint.stepUp === true).map(({ name }) => name);
    const needed = ["changeUserRole", "setUserStatus", "deleteUser", "issueResetLink", "updateSignInPolicy"];
    needed.push("endUserSessions");
    needed.push("updatePlatform", "exportAudit", "createToken", "seal", "removeFactor", "resetFactors");
    // These calls return a link that gives access to a user's account.
    needed.push("inviteUser", "inviteAgain");
    // These calls give permissions to another user, who can then authenticate as themselves.
    needed.push("addSafeMember", "updateSafeMember", "addGroupMember");
    assert.deepEqual(
      needed.filter((name) => !names.includes(name)),
      [],
    );
  });

  test("work after re-authentication, for as long as the policy allows", async () => {
    const [admin, person] = [await aPerson(app, "admin"), await aPerson(app)];
    const change = () =>
      app.call(changeUserRole, { params: { id: person.id }, body: { role: "manager" }, as: admin.token });
    await later(admin);
    assert.equal((await change()).status, 403);
    const reply = await prove(admin, { kind: "password", password: admin.password });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.body.proved_until, new Date(clock.now().getTime() + 30 * MINUTE).toISOString());
    assert.equal((await change()).status, 200);
    await later(admin);
    assert.equal((await change()).status, 403);
  });
});

describe("a production secret", () => {
  test("is not revealed without recent re-authentication, while a development secret is", async () => {
    const person = await aPerson(app);
    const [production, development] = [
      await aCredential(app, person, { environment: "production" }),
      await aCredential(app, person, { environment: "development" }),
    ];
    await later(person);
    const answers = await Promise.all([production, development, production].map(({ id }) => reveal(person, id)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [403, 200, 403],
    );
    const { body } = await app.call(readCredential, { params: { id: production.id }, as: person.token });
    assert.equal(body.last_accessed, null, "a refused reveal is no access");
    await prove(person, { kind: "password", password: person.password });
    assert.equal((await reveal(person, production.id)).status, 200);
    assert.equal((await reveal(await aPerson(app), production.id)).status, 404);
  });

  test("cannot be relabelled or sent to a different host to bypass re-authentication", async () => {
    const person = await aPerson(app);
    const made = await aCredential(app, person, { environment: "production", host: "db1.example.com" });
    const edit = (fields: object) =>
      app.call(updateCredential, {
        params: { id: made.id },
        body: CredentialEdit.parse({
          name: made.name,
          type: made.type,
          environment: "production",
          host: "db1.example.com",
          ...fields,
        }),
        as: person.token,
      });
    await later(person);
    assert.equal(codeOf(await edit({ environment: "development" })), "step-up.required");
    assert.equal(codeOf(await edit({ host: "evil.example.com" })), "step-up.required");
    const renamed = await edit({ name: "Another name" });
    assert.equal(renamed.status, 200, renamed.text);
  });

  test("is omitted from an account's details, and retrieving it requires re-authentication", async () => {
    const owner = await aPerson(app);
    const account = await anAccount(app, owner, await aSafe(app, owner));
    const look = () => app.call(readAccount, { params: { id: account.id }, as: owner.token });
    assert.notEqual((await look()).body.password, null);
    await later(owner);
    const seen = await look();
    assert.deepEqual([seen.status, seen.body.password], [200, null]);
    const retrieved = await app.call(retrieveAccount, { params: { id: account.id }, body: {}, as: owner.token });
    assert.equal(codeOf(retrieved), "step-up.required");
  });
});

describe("re-authentication", () => {
  test("INVARIANT: requires the second factor of a user who has one: the password is not enough", async () => {
    const person = await aPerson(app);
    assert.deepEqual((await app.call(beginStepUp, { as: person.token })).body, {
      kinds: ["password"],
      passkey: null,
      provider: null,
    });
    const { key, codes } = await withApp(app, person);
    const { device } = await withPasskey(app, person);
    const asked = (await app.call(beginStepUp, { as: person.token })).body;
    assert.deepEqual(asked.kinds, ["passkey", "totp", "recovery"]);
    const refused = await prove(person, { kind: "password", password: person.password });
    assert.deepEqual([refused.status, codeOf(refused)], [400, "second-step.refused"]);
    assert.equal((await prove(person, { kind: "passkey", response: device.answer(asked.passkey!) })).status, 200);
    assert.equal((await prove(person, { kind: "totp", code: codeAt(app, key) })).status, 200);
    assert.equal((await prove(person, { kind: "totp", code: codeAt(app, key) })).status, 400, "a code is good once");
    assert.equal((await prove(person, { kind: "recovery", code: codes[3]! })).status, 200);
    const recorded = (await entriesOf(app, "session.stepped-up")).filter(({ actor }) => actor["id"] === person.id);
    assert.ok(recorded.some(({ result, details }) => result === "success" && details?.["kind"] === "recovery"));
    assert.ok(recorded.some(({ result, details }) => result === "failure" && details?.["kind"] === "password"));
  });

  test("applies to one session, not to the user's other sessions", async () => {
    const person = await aPerson(app, "admin");
    const other = { ...person, token: await signedIn(app, person.email) };
    await later(person, other);
    await prove(person, { kind: "password", password: person.password });
    const use = (as: TestPerson) =>
      app.call(changeUserRole, { params: { id: person.id }, body: { role: "user" }, as: as.token });
    assert.equal(codeOf(await use(other)), "step-up.required");
    assert.notEqual(codeOf(await use(person)), "step-up.required");
  });

  test("does not count a correct password that must be changed as a guess", async () => {
    const person = await aPerson(app, "manager");
    const admin = await firstAdmin(app);
    const { body: policy } = await app.call(readSignInPolicy, { as: admin.token });
    const change = (fields: Partial<SignInPolicy>) =>
      app.call(updateSignInPolicy, { body: { ...policy, ...fields }, as: admin.token });
    await prove(admin, { kind: "password", password: admin.password });
    assert.equal((await change({ privileged_password_min_length: 60 })).status, 200);
    try {
      for (let tries = 0; tries < 7; tries += 1) {
        const reply = await prove(person, { kind: "password", password: person.password });
        assert.deepEqual([reply.status, codeOf(reply)], [403, "password.must-change"]);
      }
    } finally {
      assert.equal((await change({})).status, 200);
    }
  });

  test("slows down guesses as sign-in does", async () => {
    const person = await aPerson(app);
    const statuses: number[] = [];
    for (let tries = 0; tries < 7; tries += 1) {
      statuses.push((await prove(person, { kind: "password", password: "wrong" })).status);
    }
    assert.deepEqual(statuses, [400, 400, 400, 400, 400, 429, 429]);
  });
});
