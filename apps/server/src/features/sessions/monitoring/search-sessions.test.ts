// Sessions in the global search: they are found by the readers of the session list only.
import { createToken, listPrivilegedSessions, readRecent, searchEverywhere } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { aGateway, anSshAccount, sessionsOf } from "../testing/opening.ts";
import type { TestGateway } from "../testing/opening.ts";

let app: TestApp;
let gateway: TestGateway;
before(async () => {
  app = await testApp();
  gateway = await aGateway(app);
});
after(async () => {
  gateway.server.close();
  await app.close();
});

async function aSession() {
  const setup = await anSshAccount(app);
  const auditor = await aPerson(app);
  await aMember(app, setup.owner, setup.safe, auditor, "auditor");
  return { ...setup, auditor, id: await sessionsOf(app, gateway).open(setup.user, setup.account) };
}

describe("OPEN-28: the global search", () => {
  const found = async (who: TestPerson, search: string) => {
    const reply = await app.call(searchEverywhere, { query: { search }, as: who.token });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.results.filter(({ kind }) => kind === "privileged-session").map(({ id }) => id);
  };
  const list = async (who: TestPerson, search: string) =>
    (await app.call(listPrivilegedSessions, { query: { search }, as: who.token })).body;
  const recent = async (who: TestPerson, id: string) => {
    const items = `privileged-session:${id}`;
    return (await app.call(readRecent, { query: { items }, as: who.token })).body.results.map((each) => each.id);
  };

  test("finds sessions for the same readers as the list, and hides them from everyone else", async () => {
    const { id, owner, user, auditor, account, safe } = await aSession();
    const colleague = await aPerson(app);
    await aMember(app, owner, safe, colleague, "user");
    for (const who of [user, auditor, owner, await firstAdmin(app)]) {
      assert.deepEqual(await found(who, account.name), [id], who.email);
      assert.deepEqual(await recent(who, id), [id], who.email);
    }
    for (const who of [colleague, await aPerson(app), await aPerson(app, "manager")]) {
      for (const text of [account.name, id]) assert.deepEqual(await found(who, text), [], who.email);
      assert.deepEqual(await recent(who, id), [], who.email);
    }
  });

  test("finds a session by its title and by its id, as the list does", async () => {
    const { id, auditor, account } = await aSession();
    const [session] = (await list(auditor, "")).sessions;
    for (const search of [`${session!.user} on ${account.name}`, id.toUpperCase(), `127.0.0.1 ${account.name}`]) {
      assert.deepEqual(await found(auditor, search), [id], search);
      assert.deepEqual(
        (await list(auditor, search)).sessions.map((each) => each.id),
        [id],
        search,
      );
    }
    assert.deepEqual(await found(auditor, `${account.name} elsewhere`), []);
  });

  test("INVARIANT: a token without the scope for sessions finds none", async () => {
    const { id, user, account } = await aSession();
    const withScopes = async (...scopes: ("search.use" | "privileged-session.list")[]) => {
      const body = { name: scopes.join(" "), scopes, expires_in_days: 1 };
      const made = await app.call(createToken, { body, as: user.token });
      assert.equal(made.status, 201, made.text);
      return { ...user, token: made.body.token };
    };
    assert.deepEqual(await found(await withScopes("search.use"), account.name), []);
    assert.deepEqual(await recent(await withScopes("search.use"), id), []);
    assert.deepEqual(await found(await withScopes("search.use", "privileged-session.list"), account.name), [id]);
  });
});
