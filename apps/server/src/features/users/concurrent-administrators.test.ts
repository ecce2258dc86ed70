// Tests of concurrent changes to administrators: there is no deadlock, and at least one administrator remains.
import { changeUserRole, deleteUser, setUserStatus } from "@strongroom/contract";
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

let app: TestApp;
beforeEach(async () => {
  app = await testApp();
});
afterEach(() => app.close());

const deadlocks = (): number => app.logLines.filter((line) => line.includes('"event":"database.deadlock"')).length;
const activeAdmins = async (): Promise<string[]> => {
  const { rows } = await app.database.pool.query<{ id: string }>(
    "select id from users where role = 'admin' and status = 'active'",
  );
  return rows.map((row) => row.id);
};

const some = async (count: number): Promise<TestPerson[]> => {
  const people: TestPerson[] = [];
  for (let made = 0; made < count; made++) people.push(await aPerson(app, "admin"));
  return people;
};

test("40 parallel status changes of administrators never deadlock and all succeed", async () => {
  // The remaining administrator has the highest id, so that locking active administrators by id does not queue all calls at one
  // row.
  const others = [await firstAdmin(app), ...(await some(5))];
  const stays = await aPerson(app, "admin");
  for (let round = 0; round < 4; round++) {
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, n) => {
        const status =
          (Math.floor(n / others.length) + n + round) % 2 === 0 ? ("disabled" as const) : ("active" as const);
        const { id } = others[n % others.length]!;
        return app.call(setUserStatus, { params: { id }, body: { status }, as: stays.token });
      }),
    );
    for (const reply of replies) assert.equal(reply.status, 200, reply.text);
  }
  assert.equal(deadlocks(), 0);
});

test("administrators who demote or disable each other concurrently leave at least one administrator", async () => {
  const admins = await some(8);
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, n) => {
      const by = admins[n % admins.length]!;
      const { id } = admins[(n + 1 + (n % 5)) % admins.length]!;
      if (n % 3 === 0) return app.call(changeUserRole, { params: { id }, body: { role: "user" }, as: by.token });
      if (n % 7 === 1) return app.call(deleteUser, { params: { id }, as: by.token });
      return app.call(setUserStatus, { params: { id }, body: { status: "disabled" }, as: by.token });
    }),
  );
  const statuses = new Set(replies.map((reply) => reply.status));
  for (const status of statuses) assert.ok([200, 401, 403, 404, 409].includes(status), `${status}`);
  assert.equal(deadlocks(), 0);
  const left = await activeAdmins();
  assert.ok(left.length > 0, "no administrator is left");
});
