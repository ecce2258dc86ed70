// Tests of tokens after their holder is disabled or deleted, or after the policy changes.
import {
  createMachine,
  createMachineToken,
  createToken,
  deleteUser,
  listAccounts,
  listNotifications,
  setUserStatus,
  updateTokenPolicy,
} from "@strongroom/contract";
import type { InputOf, ScopeChoice } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { entriesOf } from "#features/sign-in/testing/attempts.ts";
import { aPerson, firstAdmin, signIn } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";

const DAY = 86_400_000;
let app: TestApp;
let admin: TestPerson;
let ahead = 0;
let count = 0;
before(async () => {
  app = await testApp({ clock: { now: () => new Date(Date.now() + ahead) } });
  admin = await firstAdmin(app);
});
after(() => app.close());

/** Moves the clock and signs in again, because earlier sessions have expired. */
async function go(days: number): Promise<void> {
  ahead = days * DAY;
  admin.token = await signIn(app, admin.email);
}

/** Call this again on each poll: while the previous job is still ending, no new job is queued. */
const run = (job: string) => app.database.transaction((tx) => app.kernel.jobs.enqueue(tx, job, {}));

async function aToken(as: string, scopes: ScopeChoice[], days = 20) {
  const made = await app.call(createToken, { body: { name: "A token", scopes, expires_in_days: days }, as });
  assert.equal(made.status, 201, made.text);
  return { text: made.body.token, ...made.body.details };
}

/** Creates a token of a new machine identity with the token `as`. */
async function aMachineToken(as: string, days = 10) {
  count += 1;
  const body = { name: `Build server ${count}`, responsible_user_id: admin.id };
  const machine = await app.call(createMachine, { body, as: admin.token });
  assert.equal(machine.status, 201, machine.text);
  const token = { name: "pipeline", scopes: ["retrieve" as const], expires_in_days: days };
  const made = await app.call(createMachineToken, { params: { id: machine.body.id }, body: token, as });
  assert.equal(made.status, 201, made.text);
  return { text: made.body.token, ...made.body.details };
}

const MAKES: ScopeChoice[] = ["retrieve", "token.use", "user.manage"];
const statusOf = async ({ text }: { text: string }) => (await app.call(listAccounts, { as: text })).status;
const disable = (id: string) =>
  app.call(setUserStatus, { params: { id }, body: { status: "disabled" }, as: admin.token });
const revocationOf = async (id: string) =>
  (await entriesOf(app, "token.revoked")).filter(({ target }) => target?.["id"] === id);

test("disabling or deleting a user audits each token that is revoked as a result, with its holder and the reason", async () => {
  for (const became of ["disabled", "deleted"] as const) {
    const person = await aPerson(app, "admin");
    const own = await aToken(person.token, MAKES);
    const made = await aMachineToken(own.text);
    const untouched = await aMachineToken(admin.token);
    assert.equal(await statusOf(made), 200);
    const reply =
      became === "disabled"
        ? await disable(person.id)
        : await app.call(deleteUser, { params: { id: person.id }, as: admin.token });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual([await statusOf(own), await statusOf(made), await statusOf(untouched)], [401, 401, 200]);
    const [[first, ...second], [other, ...more]] = [await revocationOf(own.id), await revocationOf(made.id)];
    assert.deepEqual([second.length, more.length], [0, 0], "once each");
    assert.deepEqual(
      [first?.actor, first?.reason, first?.details],
      [{ system: "tokens" }, `The token's holder was ${became}.`, { holder: person.id, holder_name: own.holder.name }],
    );
    const { id: holder, name } = made.holder;
    assert.deepEqual(
      [other?.reason, other?.details],
      [
        `The token that created this one was revoked. The token's holder was ${became}.`,
        { holder, holder_name: name, because_of: person.id },
      ],
    );
    assert.deepEqual(await revocationOf(untouched.id), []);
  }
});

test("the ancestors of an active token are kept, so that it is still revoked together with the user who created them", async (context) => {
  context.after(() => go(0));
  const person = await aPerson(app, "admin");
  const root = await aToken(person.token, MAKES, 20);
  const between = await aToken(root.text, MAKES, 19);
  const late = await aMachineToken(between.text, 10);
  const over = await aToken(person.token, ["retrieve"], 20);
  await app.database.pool.query("update tokens set expires_at = created_at + interval '300 days' where id = $1", [
    late.id,
  ]);
  await go(60);
  const left = "select id from tokens where id = any($1::uuid[])";
  const rows = await eventually(async () => {
    await run("tokens.sweep");
    const found = await app.database.pool.query<{ id: string }>(left, [[root.id, between.id, late.id, over.id]]);
    return found.rows.some(({ id }) => id === over.id) ? null : found.rows;
  });
  assert.equal(rows.length, 3, "all that are over and that the last one comes from");
  assert.equal(await statusOf(late), 200);
  assert.equal((await disable(person.id)).status, 200);
  assert.equal(await statusOf(late), 401);
});

test("a policy change that affects a token's expiry triggers its notices again", async (context) => {
  type Policy = NonNullable<InputOf<typeof updateTokenPolicy>["body"]>;
  const rule = async (person_days: Policy["person_days"]) => {
    const reply = await app.call(updateTokenPolicy, { body: { person_days, machine_days: 365 }, as: admin.token });
    assert.equal(reply.status, 200, reply.text);
  };
  context.after(async () => {
    await go(0);
    await rule(90);
  });
  const person = await aPerson(app);
  const token = await aToken(person.token, ["credential.list"], 60);
  /** Waits for the notice of an expiry `end` days after the token's creation. */
  const noticesOf = async (day: number, end: number, title: string) => {
    await go(day);
    const as = await signIn(app, person.email);
    const ends_at = new Date(Date.parse(token.created_at) + end * DAY).toISOString();
    await eventually(async () => {
      await run("tokens.tell-of-ends");
      const { notifications } = (await app.call(listNotifications, { as })).body;
      const found = notifications.find((each) => each.title === title && each.metadata["ends_at"] === ends_at);
      return found ?? null;
    });
  };
  await rule(30);
  await noticesOf(29.5, 30, "An API token expires within a day");
  await rule(90);
  await noticesOf(53.5, 60, "An API token expires soon");
  await noticesOf(59.5, 60, "An API token expires within a day");
});
