// Tests that API tokens are accepted only in the Authorization header and stored nowhere, and that their calls are rate-limited.
import { createToken, listCredentials, streamEvents } from "@strongroom/contract";
import type { ScopeChoice } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

let app: TestApp;
let admin: TestPerson;
before(async () => {
  app = await testApp();
  admin = await firstAdmin(app);
});
after(() => app.close());

async function aToken(person: { token: string }, scopes: ScopeChoice[]): Promise<string> {
  const body = { name: "A token", scopes, expires_in_days: 30 };
  const made = await app.call(createToken, { body, as: person.token });
  assert.equal(made.status, 201, made.text);
  return made.body.token;
}

describe("attack: a token in the wrong place", () => {
  test("is not accepted in a URL, a cookie or another header", async () => {
    const text = await aToken(admin, ["credential.list", "event.follow"]);
    const tried = [
      { url: `${listCredentials.path}?token=${text}` },
      { url: `${listCredentials.path}?access_token=${text}` },
      { url: listCredentials.path, headers: { "x-api-key": text } },
      { url: listCredentials.path, headers: { cookie: `strongroom_stream=${text}; token=${text}` } },
      { url: streamEvents.path, headers: { cookie: `strongroom_stream=${text}` } },
      { url: listCredentials.path, headers: { authorization: `Basic ${Buffer.from(`x:${text}`).toString("base64")}` } },
    ];
    for (const each of tried) {
      const answer = await app.http.inject(each);
      assert.equal(answer.statusCode, 401, answer.body);
    }
  });

  test("appears in no log, audit entry, event or row; only its hash is stored", async () => {
    const person = await aPerson(app);
    const token = await aToken(person, ["credential.list"]);
    await app.http.inject({ url: `${listCredentials.path}?token=${token}` });
    await app.call(listCredentials, { as: token });
    await app.call(listCredentials, { as: `${token}x` });
    const body = token.slice(4, 47);
    assert.ok(!app.logLines.join("").includes(body));
    const { rows } = await app.database.pool.query<{ found: string }>(
      `select 'audit' as found from audit_entries where convert_from(canonical, 'UTF8') like $1
       union all select 'event' from events where data::text like $1
       union all select 'token' from tokens where tokens::text like $1
       union all select 'kept' from idempotency_keys where idempotency_keys::text like $1`,
      [`%${body}%`],
    );
    assert.deepEqual(rows, []);
  });

  test("is never stored as part of a reply kept for repeated requests", async () => {
    const made = await app.call(createToken, {
      body: { name: "A token", scopes: ["read-only"], expires_in_days: 1 },
      as: admin.token,
      headers: { "idempotency-key": "once" },
    });
    assert.equal(made.status, 400);
    assert.match(made.text, /"idempotency.secret-reply"/);
  });
});

test("ERR-02: a token that makes too many calls is throttled on every network, but its holder's session is not", async (context) => {
  const limited = await testApp({ config: { rateLimit: 30 } });
  context.after(() => limited.close());
  const person = await firstAdmin(limited);
  const body = { name: "busy", scopes: ["credential.list" as const], expires_in_days: 1 };
  const { token } = (await limited.call(createToken, { body, as: person.token })).body;
  const statuses = [];
  for (let number = 0; number < 33; number += 1) {
    const from = `192.0.2.${number}`;
    statuses.push((await limited.call(listCredentials, { as: token, from })).status);
  }
  assert.deepEqual([statuses.filter((each) => each === 429).length, statuses.indexOf(429)], [3, 30]);
  assert.equal((await limited.call(listCredentials, { as: person.token, from: "192.0.2.99" })).status, 200);
});
