// Tests that guessing passwords becomes slow but never locks a user out.
import {
  changePassword,
  completePasswordReset,
  issueResetLink,
  listNotifications,
  setUserStatus,
} from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import {
  DAY,
  HOUR,
  MINUTE,
  PASSWORD,
  SECOND,
  anotherProcess,
  codeOf,
  entriesOf,
  hashesOf,
  newEmail,
  signedIn,
  statusesOf,
  fixedClock,
  tryToSignIn,
} from "../testing/attempts.ts";

const clock = fixedClock();
let app: TestApp;
before(async () => {
  app = await testApp({ clock });
});
after(() => app.close());

let networks = 0;
/** A network that no user has signed in from. */
const newNetwork = (): string => `198.51.${Math.floor((networks += 1) / 250)}.${networks % 250}`;

const guess = (email: string, from: string) => tryToSignIn(app, email, { password: "a wrong guess", from });

async function guessTimes(times: number, email: string, from: string): Promise<void> {
  for (let each = 0; each < times; each++) assert.equal((await guess(email, from)).status, 401);
}

const failuresOf = async (kind: string): Promise<number> => {
  const { rows } = await app.database.pool.query<{ sum: string | null }>(
    "select sum(failures)::int as sum from sign_in_attempts where key like $1",
    [`${kind}:%`],
  );
  return Number(rows[0]?.sum ?? 0);
};

describe("guessing at one account", () => {
  test("each wrong password after the fifth doubles the wait, up to 15 minutes", async () => {
    const email = newEmail();
    await guessTimes(5, email, newNetwork());
    const waits: number[] = [];
    for (let each = 0; each < 11; each++) {
      const refused = await guess(email, newNetwork());
      assert.equal(refused.status, 429);
      assert.equal(codeOf(refused), "sign-in.slowed-down");
      const wait = Number(refused.headers["retry-after"]);
      waits.push(wait);
      clock.advance((wait - 1) * SECOND);
      assert.equal((await guess(email, newNetwork())).status, 429);
      clock.advance(SECOND);
      await guessTimes(1, email, newNetwork());
    }
    assert.deepEqual(waits, [2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
  });

  test("an unknown address is slowed down exactly like a known one", async () => {
    const answersFor = async (email: string) => {
      const answers = [];
      for (let each = 0; each < 9; each++) {
        const reply = await guess(email, newNetwork());
        answers.push([reply.status, codeOf(reply), reply.headers["retry-after"]]);
        clock.advance(3 * SECOND);
      }
      return answers;
    };
    const known = await answersFor((await aPerson(app)).email);
    assert.deepEqual(await answersFor(newEmail()), known);
    assert.equal(known.filter(([status]) => status === 429).length, 2);
  });

  test("an attempt that comes too early is not compared and does not extend the wait", async () => {
    const { email } = await aPerson(app);
    await guessTimes(5, email, newNetwork());
    const hashes = await hashesOf(app);
    for (let each = 0; each < 10; each++) {
      const reply = await tryToSignIn(app, email, { from: newNetwork() });
      assert.equal(reply.status, 429);
      assert.equal(reply.headers["retry-after"], "2");
    }
    assert.equal(await hashesOf(app), hashes);
    clock.advance(2 * SECOND);
    assert.equal((await tryToSignIn(app, email, { from: newNetwork() })).status, 200);
  });

  test("concurrent attempts do not bypass the limit", async () => {
    const { email } = await aPerson(app);
    const hashes = await hashesOf(app);
    const replies = await Promise.all(Array.from({ length: 25 }, () => guess(email, newNetwork())));
    assert.deepEqual(statusesOf(replies), [...Array<number>(5).fill(401), ...Array<number>(20).fill(429)]);
    assert.equal(await hashesOf(app), hashes + 5);
  });

  test("attempts are counted across all processes", async () => {
    const other = await anotherProcess(app, { clock });
    const email = newEmail();
    await guessTimes(5, email, newNetwork());
    assert.equal((await tryToSignIn(other, email, { from: newNetwork() })).status, 429);
    await other.stopOnly();
  });

  test("an attempt on a process whose clock is slightly behind is not too early", async () => {
    const behind = fixedClock();
    const other = await anotherProcess(app, { clock: behind });
    behind.advance(clock.now().getTime() - behind.now().getTime() - 3 * SECOND);
    const [email, network] = [newEmail(), newNetwork()];
    assert.equal((await guess(email, network)).status, 401);
    assert.equal((await tryToSignIn(other, email, { password: "a wrong guess", from: network })).status, 401);
    await other.stopOnly();
  });

  test("a day without a failure resets the count", async () => {
    const email = newEmail();
    await guessTimes(5, email, newNetwork());
    clock.advance(DAY);
    await guessTimes(5, email, newNetwork());
    assert.equal((await guess(email, newNetwork())).status, 429);
  });

  test("guesses at the current password in an open session are slowed down in the same way", async () => {
    const { token } = await aPerson(app);
    const tryToChange = () =>
      app.call(changePassword, {
        body: { current_password: "a wrong guess", new_password: "the new password" },
        as: token,
      });
    for (let each = 0; each < 5; each++) assert.equal(codeOf(await tryToChange()), "password.current-wrong");
    assert.equal((await tryToChange()).status, 429);
  });
});

describe("credential stuffing", () => {
  test("guesses from many addresses get five comparisons per account, and then even the correct password is refused", async () => {
    const { email } = await aPerson(app);
    const statuses: number[] = [];
    for (let each = 0; each < 12; each++) statuses.push((await guess(email, newNetwork())).status);
    assert.deepEqual(statuses, [...Array<number>(5).fill(401), ...Array<number>(7).fill(429)]);
    assert.equal((await tryToSignIn(app, email, { from: newNetwork() })).status, 429);
  });

  test("guesses from one address get thirty comparisons, however many accounts they try", async () => {
    const attacker = newNetwork();
    const looked = await hashesOf(app);
    const statuses: number[] = [];
    for (let each = 0; each < 40; each++) statuses.push((await guess(newEmail(), attacker)).status);
    assert.equal(statuses.filter((status) => status === 401).length, 30);
    assert.equal((await hashesOf(app)) - looked, 30, "a rejected attempt computes no hash");
  });
});

describe("password spraying", () => {
  test("password spraying notifies administrators and is recorded once per network and hour", async () => {
    const admin = await firstAdmin(app);
    const network = newNetwork();
    const notifiedAt = async () => {
      const { rows } = await app.database.pool.query("select told_at from sign_in_alerts where network = $1", [
        network,
      ]);
      return rows[0]?.told_at.getTime() ?? null;
    };
    const fail = async (times: number) => {
      for (let each = 0; each < times; each++) await guess(newEmail(), network);
    };
    await fail(29);
    assert.equal(await notifiedAt(), null);
    await fail(3);
    const first = await notifiedAt();
    assert.notEqual(first, null);
    clock.advance(2 * MINUTE);
    await fail(2);
    assert.equal(await notifiedAt(), first);
    const told = await eventually(async () => {
      const { body } = await app.call(listNotifications, { as: await signedIn(app, admin.email) });
      return body.notifications.find(({ metadata }) => metadata["network"] === network) ?? null;
    });
    assert.equal(told.severity, "high");
    const entries = (await entriesOf(app, "sign-in.spraying-suspected")).filter(
      ({ details }) => details?.["network"] === network,
    );
    assert.equal(entries.length, 1);
    clock.advance(HOUR - 2 * MINUTE);
    await fail(1);
    assert.notEqual(await notifiedAt(), first, "an hour later");
  });

  const waitsOf = async (emails: readonly string[], from: string): Promise<number[]> => {
    const waits: number[] = [];
    for (const email of emails) {
      const reply = await guess(email, from);
      const wait = Number(reply.headers["retry-after"] ?? 0);
      if (reply.status === 429) waits.push(wait);
      else assert.equal(reply.status, 401);
      clock.advance(wait * SECOND);
      if (wait > 0) await guessTimes(1, email, from);
    }
    return waits;
  };
  /** Users are created one after another, because concurrent attempts count as failures. */
  const people = async (count: number) => {
    const made: TestPerson[] = [];
    while (made.length < count) made.push(await aPerson(app));
    return made;
  };
  const GROWING = [2, 4, 8, 16, 32];

  test("failures slow a network down equally for active users, disabled users and unknown addresses", async () => {
    const admin = await signedIn(app, (await firstAdmin(app)).email);
    const known = await people(35);
    const disabled = await people(35);
    for (const { id } of disabled) {
      const done = await app.call(setUserStatus, { params: { id }, body: { status: "disabled" }, as: admin });
      assert.equal(done.status, 200, done.text);
    }
    const strangers = Array.from({ length: 35 }, newEmail);
    for (const emails of [known.map(({ email }) => email), disabled.map(({ email }) => email), strangers]) {
      const [network, before] = [newNetwork(), await failuresOf("network")];
      assert.deepEqual(await waitsOf(emails, network), GROWING);
      assert.equal((await failuresOf("network")) - before, 35, "each failure is counted");
    }
  });

  test("failures of known users delay their network by at most 30 seconds, and successful sign-ins clear typing errors", async () => {
    const context = newNetwork();
    const known = await people(40);
    for (const { email } of known) await signedIn(app, email, { from: context });
    const emails = known.map(({ email }) => email);
    const [first, ...others] = emails;
    await guessTimes(3, first!, context);
    await signedIn(app, first!, { from: context });
    await guessTimes(3, first!, context);
    assert.deepEqual(await waitsOf(others, context), [2, 4, 8, 16, 30, 30, 30, 30, 30, 30]);
    clock.advance(30 * SECOND);
    await signedIn(app, others[0]!, { from: context });
    clock.advance(HOUR);
    assert.deepEqual(await waitsOf(emails.slice(0, 29), context), [], "an hour later");
  });

  test("failures stay counted despite parallel sign-ins to the attacker's own account", async () => {
    const context = newNetwork();
    const known = await people(31);
    for (const { email } of known) await signedIn(app, email, { from: context });
    const [own, ...others] = known;
    for (const { email } of others.slice(0, 25)) await guessTimes(1, email, context);
    await guessTimes(1, own!.email, context);
    const replies = await Promise.all(Array.from({ length: 4 }, () => tryToSignIn(app, own!.email, { from: context })));
    assert.deepEqual(statusesOf(replies), [200, 200, 200, 200]);
    const { rows } = await app.database.pool.query("select failures from sign_in_attempts where key = $1", [
      `spread:${context}`,
    ]);
    assert.deepEqual(rows, [{ failures: 25 }]);
  });
});

describe("the owner is not locked out by others", () => {
  test("guesses from elsewhere do not slow the owner on a network where they have signed in before", async () => {
    const home = newNetwork();
    const { email } = await aPerson(app);
    await signedIn(app, email, { from: home });
    const attacker = newNetwork();
    await guessTimes(5, email, attacker);
    assert.equal((await guess(email, attacker)).status, 429);
    await signedIn(app, email, { from: home });
    assert.equal((await guess(email, attacker)).status, 429, "the owner's sign-in does not help the attacker");
    await guessTimes(4, email, home);
    await signedIn(app, email, { from: home });
    await guessTimes(4, email, home);
  });

  test("known users can sign in from a network that is slowed down for everyone else", async () => {
    const context = newNetwork();
    const { email } = await aPerson(app);
    await signedIn(app, email, { from: context });
    for (let each = 0; each < 29; each++) await guessTimes(1, newEmail(), context);
    await guessTimes(1, newEmail(), context);
    assert.equal((await guess(newEmail(), context)).status, 429);
    assert.equal((await guess(newEmail(), newNetwork())).status, 401);
    await signedIn(app, email, { from: context });
    clock.advance(HOUR);
    assert.equal((await guess(newEmail(), context)).status, 401);
  });

  test("completing a password reset lets the user sign in from a new network", async () => {
    const { id, email } = await aPerson(app);
    await guessTimes(5, email, newNetwork());
    const admin = await signedIn(app, (await firstAdmin(app)).email);
    const hotel = newNetwork();
    assert.equal((await tryToSignIn(app, email, { from: hotel })).status, 429);
    const { body } = await app.call(issueResetLink, { params: { id }, as: admin });
    const token = body.link.split("#token=")[1] ?? "";
    await app.call(completePasswordReset, { body: { token, password: "the new password" }, from: hotel });
    await signedIn(app, email, { password: "the new password", from: hotel });
  });

  test("a sign-in removes only its own attempt from a network's count", async () => {
    const network = newNetwork();
    // A background job deletes old rows of other networks.
    await app.database.pool.query("delete from sign_in_attempts where key like 'network:%'");
    await guessTimes(3, newEmail(), network);
    const { email } = await aPerson(app);
    await signedIn(app, email, { from: network });
    await signedIn(app, email, { from: network });
    assert.equal(await failuresOf("network"), 3);
  });

  test("an IPv6 client is counted by its /64, because one customer has a whole /64", async () => {
    const email = newEmail();
    for (let each = 1; each <= 30; each++) assert.equal((await guess(newEmail(), `2001:db8:0:7::${each}`)).status, 401);
    assert.equal((await guess(email, "2001:db8:0:7:ffff::1")).status, 429);
    assert.equal((await guess(email, "2001:db8:0:8::1")).status, 401);
  });
});

test("an attempt refused because too many users are signing in does not count as failed", async (context) => {
  // Makes hashing as expensive as in production, so that a queue forms.
  const busyApp = await testApp({ clock, hashing: { memoryKiB: 65_536, passes: 3, lanes: 1 } });
  context.after(() => busyApp.close());
  const attempts = Array.from({ length: 60 }, () =>
    tryToSignIn(busyApp, newEmail(), { password: "a wrong guess", from: newNetwork() }),
  );
  const replies = await Promise.all(attempts);
  const busy = replies.filter((reply) => reply.status === 503);
  assert.ok(busy.length > 0, "no attempt was rejected");
  for (const reply of busy) {
    assert.equal(codeOf(reply), "sign-in.busy");
    assert.equal(reply.headers["retry-after"], "5");
  }
  const { rows } = await busyApp.database.pool.query(
    "select sum(failures)::int as sum from sign_in_attempts where key like 'account:%'",
  );
  assert.equal(rows[0].sum, 60 - busy.length);
});

test("a refusal states the wait in its message and, in seconds, in `retry_after`", async () => {
  const email = newEmail();
  await guessTimes(5, email, newNetwork());
  const reply = await guess(email, newNetwork());
  assert.equal((reply.body as { message?: string }).message, "Too many attempts. Please try again in 2 seconds.");
  assert.equal((reply.body as { retry_after?: number }).retry_after, 2);
  clock.advance(MINUTE);
  assert.equal((await tryToSignIn(app, email, { password: PASSWORD, from: newNetwork() })).status, 401);
});

test("a sign-in succeeds when a concurrent one deletes the counters that it waits for", async (context) => {
  const [person, from] = [await aPerson(app), newNetwork()];
  await guessTimes(1, person.email, from);
  const { pool } = app.database;
  const other = await pool.connect();
  context.after(() => other.release());
  await other.query("begin");
  await other.query("select from sign_in_attempts for update");
  const reply = tryToSignIn(app, person.email, { password: PASSWORD, from });
  await eventually(async () => {
    const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%sign_in_attempts%'";
    return (await pool.query(waiting)).rowCount === 1 ? true : null;
  });
  await other.query("delete from sign_in_attempts");
  await other.query("commit");
  assert.equal((await reply).status, 200, (await reply).text);
});
