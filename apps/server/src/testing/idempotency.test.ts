// Tests that a request with an Idempotency-Key runs once.
import {
  cancelVerificationRun,
  createCredential,
  deleteUser,
  issueResetLink,
  listCredentials,
  revealCredential,
  verifyAll,
  verifyCredential,
} from "@strongroom/contract";
import { endpoints } from "@strongroom/contract/all";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { z } from "zod";
import { forgetAnswers } from "#kernel/http/kept-answers.ts";
import { aCredential, aSecret } from "./credentials.ts";
import { aPerson, firstAdmin } from "./people.ts";
import type { TestPerson } from "./people.ts";
import { testApp } from "./test-app.ts";
import type { TestApp } from "./test-app.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

const body = { name: "Sent twice", type: "application", value: aSecret() } as const;

const create = (as: TestPerson, key: string, changes: object = {}) =>
  app.call(createCredential, {
    body: { ...body, ...changes },
    as: as.token,
    headers: { "idempotency-key": key },
  });
const codeOf = (reply: { body: unknown }) => (reply.body as { code: string }).code;
const countOf = async (person: TestPerson) => (await app.call(listCredentials, { as: person.token })).body.data.length;
const kept = async (key: string) =>
  (await app.database.pool.query("select * from idempotency_keys where key = $1", [key])).rows;

describe("a repeat", () => {
  test("gets the first answer and has no effect", async () => {
    const person = await aPerson(app);
    const first = await create(person, '"8e03978e-40d5"');
    const again = await create(person, '"8e03978e-40d5"');
    assert.deepEqual([first.status, again.status], [201, 201]);
    assert.deepEqual(again.body, first.body);
    assert.equal(first.headers["idempotency-replayed"], undefined);
    assert.equal(again.headers["idempotency-replayed"], "true");
    assert.equal(await countOf(person), 1);
    const { rows } = await app.database.pool.query(
      "select from audit_entries where event = 'credential.created' and actor_id = $1",
      [person.id],
    );
    assert.equal(rows.length, 1, "the repeat is not recorded");
  });

  test("finds no stored answer of a deleted user", async () => {
    const person = await aPerson(app);
    await create(person, "of-one-who-leaves");
    assert.equal((await kept("of-one-who-leaves")).length, 1);
    const gone = await app.call(deleteUser, { params: { id: person.id }, as: (await firstAdmin(app)).token });
    assert.equal(gone.status, 200, gone.text);
    assert.deepEqual(await kept("of-one-who-leaves"), []);
  });

  test("gets the same answer for a call with only database effects", async () => {
    const person = await aPerson(app);
    await aCredential(app, person);
    const headers = { "idempotency-key": "run" };
    const first = await app.call(verifyAll, { as: person.token, headers });
    const again = await app.call(verifyAll, { as: person.token, headers });
    assert.deepEqual([first.status, again.status, again.body], [202, 202, first.body]);
    assert.equal(again.headers["idempotency-replayed"], "true");
  });

  test("gets the same answer for a call that replies after its transaction", async () => {
    const person = await aPerson(app);
    const { id } = await aCredential(app, person);
    const given = { params: { id }, as: person.token, headers: { "idempotency-key": "verify" } };
    const first = await app.call(verifyCredential, given);
    const again = await app.call(verifyCredential, given);
    assert.deepEqual([first.status, again.status, again.body], [200, 200, first.body]);
    assert.equal(again.headers["idempotency-replayed"], "true");
  });

  test("has one effect when twenty are sent at once", async () => {
    const person = await aPerson(app);
    const replies = await Promise.all(Array.from({ length: 20 }, () => create(person, "twenty")));
    const made = new Set(replies.filter(({ status }) => status === 201).map((reply) => reply.body.id));
    assert.equal(made.size, 1);
    for (const reply of replies.filter(({ status }) => status !== 201)) {
      assert.deepEqual([reply.status, codeOf(reply)], [409, "idempotency.under-way"]);
      assert.equal(reply.headers["retry-after"], "1");
    }
    assert.equal(await countOf(person), 1);
    assert.equal((await create(person, "twenty")).body.id, [...made][0]);
  });

  test("is a separate request when a different user sends it", async () => {
    const [one, other] = [await aPerson(app), await aPerson(app)];
    const [first, second] = [await create(one, "shared key"), await create(other, "shared-key")];
    assert.equal(first.status, 400, "a key must not contain a space");
    assert.equal(second.status, 201);
    assert.notEqual((await create(one, "shared-key")).body.id, second.body.id);
  });

  test("is refused with 422 when its content or address differs", async () => {
    const person = await aPerson(app);
    assert.equal((await create(person, "content")).status, 201);
    const other = await create(person, "content", { value: aSecret() });
    assert.deepEqual([other.status, codeOf(other)], [422, "idempotency.other-request"]);
    const elsewhere = await app.call(verifyAll, { as: person.token, headers: { "idempotency-key": "content" } });
    assert.equal(elsewhere.status, 422);
    assert.equal(await countOf(person), 1);
  });

  test("runs again when the first request was refused", async () => {
    const person = await aPerson(app);
    const headers = { "idempotency-key": "refused" };
    const missing = await app.call(cancelVerificationRun, {
      params: { id: "0190c0de-0000-7000-8000-00000000dead" },
      as: person.token,
      headers,
    });
    assert.equal(missing.status, 404);
    assert.deepEqual(await kept("refused"), []);
    assert.equal((await create(person, "refused")).status, 201);
  });

  test("is a new request after a day", async () => {
    const person = await aPerson(app);
    const first = await create(person, "yesterday");
    const age = (span: string) =>
      app.database.pool.query("update idempotency_keys set created_at = created_at - $1::interval where key = $2", [
        span,
        "yesterday",
      ]);
    await age("23 hours 59 minutes");
    assert.equal((await create(person, "yesterday")).body.id, first.body.id);
    await age("2 minutes");
    assert.notEqual((await create(person, "yesterday")).body.id, first.body.id);
    await age("24 hours 1 minute");
    await app.database.transaction(forgetAnswers);
    assert.deepEqual(await kept("yesterday"), []);
  });
});

describe("when a process dies during a request", () => {
  const claimed = async (person: TestPerson, key: string, state: object) => {
    const made = await create(person, key);
    const set = { is_done: false, reply: null, age: "0", ...state };
    await app.database.pool.query(
      "update idempotency_keys set is_done = $2, reply = $3, created_at = now() - $4::interval where key = $1",
      [key, set.is_done, set.reply, set.age],
    );
    return made.body;
  };

  test("a repeat is refused while the first may still run, and takes over afterwards", async () => {
    const person = await aPerson(app);
    const first = await claimed(person, "slow", { age: "100 seconds" });
    const early = await create(person, "slow");
    assert.deepEqual([early.status, codeOf(early)], [409, "idempotency.under-way"]);
    const wait = Number(early.headers["retry-after"]);
    assert.ok(wait > 10 && wait <= 20, `its lease of two minutes ends in 20 s at most, not in ${wait}`);
    assert.match(early.text, /outcome is unknown/);
    await claimedFor("slow", "3 minutes");
    const other = await create(person, "slow", { name: "Something else" });
    assert.equal(other.status, 422);
    const late = await create(person, "slow");
    assert.equal(late.status, 201);
    assert.notEqual(late.body.id, first.id);
  });

  const claimedFor = (key: string, age: string) =>
    app.database.pool.query("update idempotency_keys set created_at = now() - $2::interval where key = $1", [key, age]);

  test("a repeat after a lost answer is refused with the reason and has no effect", async () => {
    const person = await aPerson(app);
    await claimed(person, "lost", { is_done: true });
    const again = await create(person, "lost");
    assert.deepEqual([again.status, codeOf(again)], [409, "idempotency.answer-unknown"]);
    assert.equal(await countOf(person), 1);
  });
});

test("INVARIANT: of all requests with the same key, one has an effect", async (context) => {
  const broken = await testApp();
  context.after(() => broken.close());
  const person = await aPerson(broken);
  // Simulates another process that took over the claim.
  await broken.database.pool.query(`
    create function take_over() returns trigger language plpgsql as $$
    begin update idempotency_keys set claim = gen_random_uuid(); return new; end $$;
    create trigger take_over after insert on credentials for each row execute function take_over()`);
  const given = { body, as: person.token, headers: { "idempotency-key": "overtaken" } };
  const reply = await broken.call(createCredential, given);
  assert.deepEqual([reply.status, codeOf(reply)], [409, "idempotency.under-way"]);
  assert.deepEqual((await broken.call(listCredentials, { as: person.token })).body.data, []);
});

describe("secrets", () => {
  test("stores an unguessable fingerprint of the request, and the reply without secrets", async () => {
    const person = await aPerson(app);
    const value = aSecret();
    await create(person, "secret", { value });
    const [row] = await kept("secret");
    assert.ok(row.is_done && row.reply.includes("Sent twice"));
    assert.ok(!JSON.stringify(row).includes(value));
    assert.match(row.fingerprint, /^[\w-]{43}$/);
  });

  test("a call with a secret in its answer refuses a key and stores nothing", async () => {
    const person = await aPerson(app);
    const { id } = await aCredential(app, person);
    const headers = { "idempotency-key": "reveal" };
    const reveal = await app.call(revealCredential, { params: { id }, body: {}, as: person.token, headers });
    assert.deepEqual([reveal.status, codeOf(reveal)], [400, "idempotency.secret-reply"]);
    const admin = await firstAdmin(app);
    const link = await app.call(issueResetLink, { params: { id: person.id }, as: admin.token, headers });
    assert.deepEqual([link.status, codeOf(link)], [400, "idempotency.secret-reply"]);
    assert.deepEqual(await kept("reveal"), []);
  });

  test("every call with a secret in its reply declares it", () => {
    const SECRET = /^(value|password|secret|token|link|passphrase|private_key|recovery_codes)$/;
    const namesSecret = (schema: unknown): boolean =>
      typeof schema === "object" &&
      schema !== null &&
      Object.entries(schema).some(([name, inner]) =>
        name === "properties" && typeof inner === "object" && inner !== null
          ? Object.entries(inner).some(([field, each]) => SECRET.test(field) || namesSecret(each))
          : namesSecret(inner),
      );
    const unmarked = endpoints.filter(({ endpoint: { method, needs, reply, repliesSecret } }) => {
      if (method !== "POST" || needs === "public" || !(reply instanceof z.ZodType) || repliesSecret === true)
        return false;
      return namesSecret(z.toJSONSchema(reply, { unrepresentable: "any" }));
    });
    assert.deepEqual(
      unmarked.map(({ name }) => name),
      // Its link is a path in the product.
      ["readNotification"],
    );
  });
});

test("refuses an invalid key, and ignores a key on calls that do not support it", async () => {
  const person = await aPerson(app);
  for (const key of ["", "two words", "k".repeat(256), "caf\u00e9"]) {
    assert.equal((await create(person, key)).status, 400, key);
  }
  assert.equal((await create(person, "k".repeat(255))).status, 201);
  const list = await app.call(listCredentials, { as: person.token, headers: { "idempotency-key": "two words" } });
  assert.equal(list.status, 200);
});
