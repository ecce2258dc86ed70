// Tests of session lifetime, activity and every way to end a session.
import {
  changePassword,
  changeUserRole,
  currentSession,
  endOwnSession,
  endUserSessions,
  listOwnSessions,
  reportActivity,
  setUserStatus,
  updateSignInPolicy,
} from "@strongroom/contract";
import type { Role, SignInPolicy } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { usualPolicy } from "#testing/sign-in-policy.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { createUser } from "../index.ts";
import { issueResetLink } from "../passwords/reset-password.ts";
import { sweepRest, sweepSessions } from "../sign-in.jobs.ts";
import {
  DAY,
  HOUR,
  MINUTE,
  PASSWORD,
  SECOND,
  codeOf,
  entriesOf,
  newEmail,
  sessionOf,
  signedIn,
  fixedClock,
  tryToSignIn,
} from "../testing/attempts.ts";

const clock = fixedClock();
let app: TestApp;
before(async () => {
  app = await testApp({ clock });
  // The tests trigger the sweep themselves, so the scheduled job must not run.
  await app.kernel.jobs.stop();
  await firstAdmin(app);
});
after(() => app.close());

const asAdmin = async (): Promise<string> => signedIn(app, (await firstAdmin(app)).email);

async function signedInAs(role: Role, remember = false): Promise<string> {
  const email = newEmail();
  await createUser(app.kernel, { email, role, password: PASSWORD });
  return signedIn(app, email, { remember });
}

const setPolicy = async (change: Partial<SignInPolicy>) => {
  const reply = await app.call(updateSignInPolicy, { body: { ...usualPolicy, ...change }, as: await asAdmin() });
  assert.equal(reply.status, 200, reply.text);
};

/** Reads the session without counting as activity. */
const look = async (token: string): Promise<string> => {
  const reply = await app.call(currentSession, { as: token, headers: { "x-background": "1" } });
  return reply.status === 200 ? "open" : String(codeOf(reply));
};

const lastActive = async (token: string): Promise<Date> => {
  const { rows } = await app.database.pool.query("select last_active_at from sign_in_sessions where id = $1", [
    sessionOf(token),
  ]);
  return rows[0].last_active_at;
};

describe("OPEN-01: the server ends idle sessions", () => {
  for (const [role, minutes] of [
    ["user", 30],
    ["manager", 15],
    ["admin", 15],
  ] as const) {
    test(`AUTH-49, AUTH-57: ${role}: a session ends after ${minutes} minutes without activity`, async () => {
      const token = await signedInAs(role);
      clock.advance(minutes * MINUTE);
      assert.equal(await look(token), "open");
      clock.advance(30 * SECOND + 1);
      const reply = await app.call(currentSession, { as: token });
      assert.equal(codeOf(reply), "session.idle");
      assert.equal(
        (reply.body as { message?: string }).message,
        "Session expired due to inactivity. Please log in again.",
      );
    });
  }

  test("an ordinary call counts as activity", async () => {
    const token = await signedInAs("user");
    for (let each = 0; each < 3; each++) {
      clock.advance(29 * MINUTE);
      assert.equal((await app.call(currentSession, { as: token })).status, 200);
    }
  });

  test("a background call does not count as activity", async () => {
    const token = await signedInAs("user");
    for (let each = 0; each < 3; each++) {
      clock.advance(10 * MINUTE);
      assert.equal(await look(token), "open");
    }
    clock.advance(MINUTE);
    assert.equal(await look(token), "session.idle");
  });

  test("AUTH-62: reporting activity extends the session and returns its new idle limit", async () => {
    const token = await signedInAs("manager");
    clock.advance(14 * MINUTE);
    const { body } = await app.call(reportActivity, { as: token });
    assert.equal(body.idle_until, new Date(clock.now().getTime() + 15 * MINUTE).toISOString());
    clock.advance(15 * MINUTE);
    assert.equal(await look(token), "open");
  });

  test("activity is written at most once in 30 seconds", async () => {
    const token = await signedInAs("user");
    const started = clock.now();
    clock.advance(29 * SECOND);
    await app.call(currentSession, { as: token });
    assert.deepEqual(await lastActive(token), started);
    clock.advance(SECOND);
    await Promise.all(Array.from({ length: 20 }, () => app.call(currentSession, { as: token })));
    assert.deepEqual(await lastActive(token), clock.now());
  });
});

describe("session policy", () => {
  afterEach(() => setPolicy({}));

  test("OPEN-02: new limits apply to open sessions and are reported to the browser", async () => {
    const token = await signedInAs("user");
    await setPolicy({ timeout_minutes: 60, warning_minutes: 10, privileged_timeout_minutes: 20 });
    clock.advance(59 * MINUTE);
    const { body } = await app.call(currentSession, { as: token });
    assert.deepEqual(body.limits, { timeout_minutes: 60, warning_minutes: 10, privileged_timeout_minutes: 20 });
    await setPolicy({ timeout_minutes: 10 });
    clock.advance(11 * MINUTE);
    assert.equal(await look(token), "session.idle");
  });

  test("the tighter of the two limits applies to admins and managers", async () => {
    await setPolicy({ timeout_minutes: 10, privileged_timeout_minutes: 20 });
    const token = await signedInAs("manager");
    clock.advance(11 * MINUTE);
    assert.equal(await look(token), "session.idle");
  });

  test("a shorter maximum lifetime applies to open sessions", async () => {
    const token = await signedInAs("user", true);
    await setPolicy({ remembered_days: 1, timeout_minutes: 1440 });
    clock.advance(DAY - MINUTE);
    assert.equal((await app.call(currentSession, { as: token })).status, 200);
    clock.advance(MINUTE);
    assert.equal(await look(token), "session.expired");
  });
});

describe("OPEN-08: an active session", () => {
  for (const [what, remember, life] of [
    ["12 hours", false, 12 * HOUR],
    ["30 days when remembered", true, 30 * DAY],
  ] as const) {
    test(`ends after ${what}`, async () => {
      await setPolicy({ timeout_minutes: 1440 });
      const token = await signedInAs("user", remember);
      const started = clock.now().getTime();
      const step = Math.min(life / 4, 23 * HOUR);
      while (clock.now().getTime() + step < started + life) {
        clock.advance(step);
        const { status, body } = await app.call(currentSession, { as: token });
        assert.equal(status, 200);
        assert.equal(body.expires_at, new Date(started + life).toISOString());
      }
      clock.advance(started + life - clock.now().getTime());
      assert.equal((await app.call(currentSession, { as: token })).status, 401);
      await setPolicy({});
    });
  }
});

describe("ending sessions", () => {
  let person: TestPerson;
  let elsewhere: string;
  before(async () => {
    person = await aPerson(app);
  });
  const openTwo = async () => {
    person.token = await signedIn(app, person.email, { password: person.password });
    elsewhere = await signedIn(app, person.email, { password: person.password });
  };

  test("changing the password ends all other sessions", async () => {
    await openTwo();
    const body = { current_password: person.password, new_password: "an even longer password" };
    const reply = await app.call(changePassword, { body, as: person.token });
    assert.equal(reply.body.message, "Your password has been changed. Your other sessions have been ended.");
    assert.equal(await look(person.token), "open");
    assert.equal(await look(elsewhere), "session.ended");
    assert.equal((await tryToSignIn(app, person.email, { password: person.password })).status, 401);
    person.password = body.new_password;
    await signedIn(app, person.email, { password: person.password });
  });

  test("a failed password change ends no session and says why", async () => {
    await openTwo();
    const wrong = await app.call(changePassword, {
      body: { current_password: "not the password", new_password: "an even longer password" },
      as: person.token,
    });
    assert.equal(wrong.status, 400);
    assert.deepEqual((wrong.body as { errors?: unknown }).errors, [
      { path: "current_password", msg: "The current password is wrong." },
    ]);
    const same = await app.call(changePassword, {
      body: { current_password: person.password, new_password: person.password },
      as: person.token,
    });
    assert.equal(codeOf(same), "password.unchanged");
    assert.equal(await look(elsewhere), "open");
  });

  test("changing the role ends all sessions, because tokens carry it", async () => {
    await openTwo();
    await app.call(changeUserRole, { params: { id: person.id }, body: { role: "manager" }, as: await asAdmin() });
    assert.equal(await look(person.token), "session.ended");
    assert.equal(await look(elsewhere), "session.ended");
  });

  test("disabling the account ends all sessions", async () => {
    await openTwo();
    const admin = await asAdmin();
    await app.call(setUserStatus, { params: { id: person.id }, body: { status: "disabled" }, as: admin });
    assert.equal(await look(person.token), "session.ended");
    await app.call(setUserStatus, { params: { id: person.id }, body: { status: "active" }, as: admin });
    assert.equal(await look(person.token), "session.ended");
  });

  test("an administrator can end all sessions of a user", async () => {
    await openTwo();
    const reply = await app.call(endUserSessions, { params: { id: person.id }, as: await asAdmin() });
    assert.equal(reply.body.message, "2 sessions ended.");
    assert.equal(await look(elsewhere), "session.ended");
  });

  test("users can list their open sessions and end one of them", async () => {
    await openTwo();
    const { body } = await app.call(listOwnSessions, { as: person.token });
    const seen = Object.fromEntries(body.data.map(({ id, is_current, ip }) => [id, { is_current, ip }]));
    assert.deepEqual(seen, {
      [sessionOf(person.token)]: { is_current: true, ip: "127.0.0.1" },
      [sessionOf(elsewhere)]: { is_current: false, ip: "127.0.0.1" },
    });
    const id = sessionOf(elsewhere);
    assert.equal((await app.call(endOwnSession, { params: { id }, as: person.token })).status, 200);
    assert.equal(await look(elsewhere), "session.ended");
    assert.equal(await look(person.token), "open");
  });

  test("users can neither list nor end another user's sessions", async () => {
    await openTwo();
    const stranger = await aPerson(app);
    const id = sessionOf(elsewhere);
    const reply = await app.call(endOwnSession, { params: { id }, as: stranger.token });
    assert.equal(reply.status, 404);
    assert.equal(await look(elsewhere), "open");
    const { body } = await app.call(listOwnSessions, { as: stranger.token });
    assert.equal(body.data.length, 1);
  });
});

describe("ended sessions", () => {
  test("the sweep deletes a session that is over, audits the reason and keeps open sessions", async () => {
    const idle = await signedInAs("admin");
    const open = await signedInAs("user");
    clock.advance(16 * MINUTE);
    const before = (await entriesOf(app, "session.ended")).length;
    assert.ok((await sweepSessions(app.kernel)) > 0);
    assert.equal(await look(idle), "session.ended");
    assert.equal(await look(open), "open");
    const entries = (await entriesOf(app, "session.ended")).slice(before);
    const own = entries.find((entry) => entry.target?.["id"] === sessionOf(idle));
    assert.deepEqual(own?.actor, { system: "sign-in" });
    assert.equal(own.reason, "idle");
    assert.equal(await sweepSessions(app.kernel), 0);
  });

  test("the sweep deletes old attempts, unused networks and unfinished resets, but no recent ones", async () => {
    await sweepRest(app.kernel);
    const { id, email } = await aPerson(app);
    await app.kernel.database.transaction((tx) => issueResetLink(app.kernel, tx, id, "A test"));
    await tryToSignIn(app, email, { password: "a wrong guess", from: "203.0.113.9" });
    const rowsIn = async (table: string) => (await app.database.pool.query(`select from ${table}`)).rows.length;
    const counts = () => Promise.all(["sign_in_attempts", "sign_in_resets", "sign_in_networks"].map(rowsIn));
    clock.advance(29 * MINUTE);
    const before = await counts();
    assert.ok(before.every((count) => count > 0));
    await sweepRest(app.kernel);
    assert.deepEqual(await counts(), before);
    clock.advance(DAY);
    await sweepRest(app.kernel);
    const [attempts, resets, networks] = await counts();
    assert.deepEqual([attempts, resets, networks], [0, 0, before[2]]);
    clock.advance(90 * DAY);
    await sweepRest(app.kernel);
    assert.equal((await counts())[2], 0);
  });

  test("ending a session notifies only its user's other windows", async () => {
    const person = await aPerson(app);
    const elsewhere = await signedIn(app, person.email);
    const heard = Promise.withResolvers<{ audience: unknown; data: unknown }>();
    const subscription = await app.kernel.events.subscribe(
      // Ignores sessions left over from earlier tests, which may end in the meantime.
      { filter: ({ type, data }) => type === "session.ended" && data["session_id"] === sessionOf(elsewhere) },
      (event) => heard.resolve(event),
    );
    await app.call(endOwnSession, { params: { id: sessionOf(elsewhere) }, as: person.token });
    const { audience, data } = await heard.promise;
    assert.deepEqual(
      { audience, data },
      { audience: { users: [person.id] }, data: { session_id: sessionOf(elsewhere) } },
    );
    subscription.close();
  });
});
