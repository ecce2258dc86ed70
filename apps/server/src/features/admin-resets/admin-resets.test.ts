// HTTP tests of administrator resets, which always take two other administrators.
import {
  cancelAdminReset,
  changeUserRole,
  completePasswordReset,
  confirmAdminReset,
  createCredential,
  createToken,
  issueResetLink,
  listAdminResets,
  listFactors,
  listNotifications,
  requestAdminReset,
  resetFactors,
} from "@strongroom/contract";
import type { AdminReset } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { withApp } from "#features/factors/testing/with-factors.ts";
import { HOUR, entriesOf } from "#features/sign-in/testing/attempts.ts";
import { aPerson, firstAdmin, signIn } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { Reply, TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";

const ANOTHER = "an entirely different passphrase";
let app: TestApp;
/** The administrator who lost their password, the one who requests a reset, and the one who confirms it. */
let lost: TestPerson;
let requester: TestPerson;
let confirmer: TestPerson;
let ahead = 0;
before(async () => {
  app = await testApp({ clock: { now: () => new Date(Date.now() + ahead) } });
  requester = await firstAdmin(app);
  confirmer = await aPerson(app, "admin");
});
beforeEach(async () => {
  ahead = 0;
  for (const person of [requester, confirmer]) person.token = await signIn(app, person.email);
  lost = await aPerson(app, "admin");
});
after(() => app.close());

const refusal = ({ status, body }: Reply<unknown>) => [status, (body as { code?: string }).code];

const ask = (person: TestPerson, kind: AdminReset["kind"] = "password", by = requester) =>
  app.call(requestAdminReset, {
    body: { user_id: person.id, kind, reason: "Lost their laptop" },
    as: by.token,
  });

async function asked(person = lost, kind: AdminReset["kind"] = "password"): Promise<AdminReset> {
  const reply = await ask(person, kind);
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
}

const confirm = ({ id }: AdminReset, by: TestPerson) => app.call(confirmAdminReset, { params: { id }, as: by.token });

async function useLink(link: string): Promise<void> {
  const token = new URLSearchParams(new URL(link).hash.slice(1)).get("token")!;
  const reply = await app.call(completePasswordReset, { body: { token, password: ANOTHER } });
  assert.equal(reply.status, 200, reply.text);
}

describe("one administrator", () => {
  test("cannot reset the password or the factors of another administrator", async () => {
    const params = { id: lost.id };
    const link = await app.call(issueResetLink, { params, as: requester.token });
    assert.deepEqual(refusal(link), [409, "admin-reset.second-needed"]);
    const factors = await app.call(resetFactors, { params, as: requester.token });
    assert.deepEqual(refusal(factors), [409, "admin-reset.second-needed"]);
  });

  test("cannot bypass this rule by demoting the other administrator first", async () => {
    const params = { id: lost.id };
    const demoted = await app.call(changeUserRole, { params, body: { role: "user" }, as: requester.token });
    assert.equal(demoted.status, 200, demoted.text);
    const link = () => app.call(issueResetLink, { params, as: requester.token });
    assert.deepEqual(refusal(await link()), [409, "admin-reset.second-needed"]);
    ahead = 8 * 24 * HOUR;
    requester.token = await signIn(app, requester.email);
    assert.equal((await link()).status, 200, "a week later they are a person like any other");
  });

  test("cannot request a reset for themselves or for a user who is not an administrator", async () => {
    assert.deepEqual(refusal(await ask(await aPerson(app))), [409, "admin-reset.not-needed"]);
    assert.deepEqual(refusal(await ask(requester)), [403, "user.oneself"]);
    const own = await app.call(issueResetLink, { params: { id: requester.id }, as: requester.token });
    assert.deepEqual(refusal(own), [409, "admin-reset.second-needed"]);
  });
});

describe("two administrators", () => {
  test("reset a password together: the administrator who confirms the reset gets the link, and open sessions end", async () => {
    const secret = { name: "My bank", type: "password", value: "hunter2-secret" } as const;
    await app.call(createCredential, { body: secret, as: lost.token });
    const reset = await asked();
    const confirmed = await confirm(reset, confirmer);
    assert.equal(confirmed.status, 200, confirmed.text);
    await useLink(confirmed.body.link!);
    await signIn(app, lost.email, ANOTHER);
    assert.deepEqual(refusal(await confirm(reset, confirmer)), [404, "admin-reset.not-found"], "once");
    const closed = (await entriesOf(app, "vault.closed")).at(-1);
    assert.equal(closed?.target?.["id"], lost.id);
    for (const event of ["admin-reset.requested", "admin-reset.confirmed"]) {
      const recorded = (await entriesOf(app, event)).filter(({ result }) => result === "success");
      assert.equal(recorded.at(-1)?.target?.["id"], lost.id, event);
    }
  });

  test("reset second factors together", async () => {
    await withApp(app, lost);
    const confirmed = await confirm(await asked(lost, "factors"), confirmer);
    assert.deepEqual([confirmed.status, confirmed.body.link], [200, null]);
    const token = await signIn(app, lost.email);
    assert.deepEqual((await app.call(listFactors, { as: token })).body.data, []);
  });

  test("must agree on a reset: the requester, the administrator being reset and API tokens cannot confirm it", async () => {
    const reset = await asked();
    for (const person of [requester, lost]) {
      assert.deepEqual(refusal(await confirm(reset, person)), [403, "admin-reset.other-needed"]);
    }
    const body = { name: "A token", scopes: ["user.manage" as const], expires_in_days: 1 };
    const made = await app.call(createToken, { body, as: confirmer.token });
    const byToken = await confirm(reset, { ...confirmer, token: made.body.token });
    assert.deepEqual(refusal(byToken), [403, "token.session-needed"]);
    const manager = await aPerson(app, "manager");
    assert.equal((await confirm(reset, manager)).status, 403);
  });

  test("cannot include a user who became an administrator after the request", async () => {
    const reset = await asked();
    ahead = 1000;
    const puppet = await aPerson(app, "admin");
    assert.deepEqual(refusal(await confirm(reset, puppet)), [403, "admin-reset.other-needed"]);
    const { data } = (await app.call(listAdminResets, { as: puppet.token })).body;
    assert.equal(data.find(({ id }) => id === reset.id)?.can_confirm, false);
  });

  test("have 24 hours to confirm, and one open request of each kind", async () => {
    const reset = await asked();
    assert.deepEqual(refusal(await ask(lost)), [409, "admin-reset.open"]);
    ahead = 25 * HOUR;
    confirmer.token = await signIn(app, confirmer.email);
    assert.deepEqual(refusal(await confirm(reset, confirmer)), [404, "admin-reset.not-found"]);
    requester.token = await signIn(app, requester.email);
    assert.equal((await ask(lost)).status, 201, "an expired request is out of the way");
  });

  test("confirm a request once, even with two simultaneous calls", async () => {
    const third = await aPerson(app, "admin");
    const reset = await asked();
    const replies = await Promise.all([confirm(reset, confirmer), confirm(reset, third), confirm(reset, confirmer)]);
    assert.deepEqual(
      replies.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 404, 404],
    );
  });
});

test("a request can be cancelled by the user being reset, and everyone involved is notified", async () => {
  const reset = await asked();
  const told = async ({ token }: TestPerson, title: RegExp) =>
    eventually(async () => {
      const { notifications } = (await app.call(listNotifications, { as: token })).body;
      return notifications.find((each) => title.test(each.title)) ?? null;
    });
  for (const person of [lost, confirmer]) await told(person, /password was requested/);
  const cancelled = await app.call(cancelAdminReset, { params: { id: reset.id }, as: lost.token });
  assert.equal(cancelled.status, 200, cancelled.text);
  await told(requester, /password was cancelled/);
  assert.deepEqual(refusal(await confirm(reset, confirmer)), [404, "admin-reset.not-found"]);
});

test("with only two administrators, the request is refused and points to the command line", async () => {
  const small = await testApp();
  try {
    const one = await firstAdmin(small);
    const two = await aPerson(small, "admin");
    const reply = await small.call(requestAdminReset, {
      body: { user_id: two.id, kind: "factors", reason: "Lost their laptop" },
      as: one.token,
    });
    assert.deepEqual(refusal(reply), [409, "admin-reset.no-second"]);
    assert.match(reply.text, /strongroom user reset-factors person/);
  } finally {
    await small.close();
  }
});
