// Guessing gets slow; nobody is locked out.
import { changePassword, completePasswordReset, issueResetLink, setUserStatus } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import {
  DAY,
  HOUR,
  MINUTE,
  PASSWORD,
  SECOND,
  anotherProcess,
  codeOf,
  hashesOf,
  newEmail,
  signedIn,
  statusesOf,
  standingClock,
  tryToSignIn,
} from "./testing/attempts.ts";

const clock = standingClock();
let app: TestApp;
before(async () => {
  app = await testApp({ clock });
});
after(() => app.close());

let networks = 0;
/** An address from which nobody has signed in yet. */
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
  test("after five wrong passwords each further one costs twice the wait of the one before, up to 15 minutes", async () => {
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

  test("an unknown address slows down exactly as a known one does", async () => {
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

  test("an attempt that comes too early is not looked at and makes nothing worse", async () => {
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

  test("many attempts at the same moment are no way around it", async () => {
    const { email } = await aPerson(app);
    const hashes = await hashesOf(app);
    const replies = await Promise.all(Array.from({ length: 25 }, () => guess(email, newNetwork())));
    assert.deepEqual(statusesOf(replies), [...Array<number>(5).fill(401), ...Array<number>(20).fill(429)]);
    assert.equal(await hashesOf(app), hashes + 5);
  });

  test("all processes count together", async () => {
    const other = await anotherProcess(app, { clock });
    const email = newEmail();
    await guessTimes(5, email, newNetwork());
    assert.equal((await tryToSignIn(other, email, { from: newNetwork() })).status, 429);
    await other.stopOnly();
  });

  test("an attempt that looked at the clock before another one was counted is not too early", async () => {
    const behind = standingClock();
    const other = await anotherProcess(app, { clock: behind });
    behind.advance(clock.now().getTime() - behind.now().getTime() - 3 * SECOND);
    const [email, network] = [newEmail(), newNetwork()];
    assert.equal((await guess(email, network)).status, 401);
    assert.equal((await tryToSignIn(other, email, { password: "a wrong guess", from: network })).status, 401);
    await other.stopOnly();
  });

  test("a day without a failure is a fresh start", async () => {
    const email = newEmail();
    await guessTimes(5, email, newNetwork());
    clock.advance(DAY);
    await guessTimes(5, email, newNetwork());
    assert.equal((await guess(email, newNetwork())).status, 429);
  });

  test("guessing the old password at an open session is slowed down in the same way", async () => {
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
  test("from many addresses at one account, five are looked at, and the right password among the next is not", async () => {
    const { email } = await aPerson(app);
    const statuses: number[] = [];
    for (let each = 0; each < 12; each++) statuses.push((await guess(email, newNetwork())).status);
    assert.deepEqual(statuses, [...Array<number>(5).fill(401), ...Array<number>(7).fill(429)]);
    assert.equal((await tryToSignIn(app, email, { from: newNetwork() })).status, 429);
  });

  test("from one address at many accounts, thirty are looked at, and then none, however many are left", async () => {
    const attacker = newNetwork();
    const looked = await hashesOf(app);
    const statuses: number[] = [];
    for (let each = 0; each < 40; each++) statuses.push((await guess(newEmail(), attacker)).status);
    assert.equal(statuses.filter((status) => status === 401).length, 30);
    assert.equal((await hashesOf(app)) - looked, 30, "what is turned away costs no hash");
  });
});

describe("trying one password on many people", () => {
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
  /** One after another, because attempts under way count as failures. */
  const people = async (count: number) => {
    const made: TestPerson[] = [];
    while (made.length < count) made.push(await aPerson(app));
    return made;
  };
  const GROWING = [2, 4, 8, 16, 32];

  test("slows a network down equally for people, disabled people and unknown addresses", async () => {
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

  test("slows it down also if all of them have signed in before, for at most half a minute, and typing errors are forgotten", async () => {
    const office = newNetwork();
    const known = await people(40);
    for (const { email } of known) await signedIn(app, email, { from: office });
    const emails = known.map(({ email }) => email);
    const [first, ...others] = emails;
    await guessTimes(3, first!, office);
    await signedIn(app, first!, { from: office });
    await guessTimes(3, first!, office);
    assert.deepEqual(await waitsOf(others, office), [2, 4, 8, 16, 30, 30, 30, 30, 30, 30]);
    clock.advance(30 * SECOND);
    await signedIn(app, others[0]!, { from: office });
    clock.advance(HOUR);
    assert.deepEqual(await waitsOf(emails.slice(0, 29), office), [], "an hour later");
  });

  test("is not undone by signing in with one's own account, many times in parallel", async () => {
    const office = newNetwork();
    const known = await people(31);
    for (const { email } of known) await signedIn(app, email, { from: office });
    const [own, ...others] = known;
    for (const { email } of others.slice(0, 25)) await guessTimes(1, email, office);
    await guessTimes(1, own!.email, office);
    const replies = await Promise.all(Array.from({ length: 4 }, () => tryToSignIn(app, own!.email, { from: office })));
    assert.deepEqual(statusesOf(replies), [200, 200, 200, 200]);
    const { rows } = await app.database.pool.query("select failures from sign_in_attempts where key = $1", [
      `spread:${office}`,
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

  test("on a network that is slowed down for all others, those who are known there still sign in", async () => {
    const office = newNetwork();
    const { email } = await aPerson(app);
    await signedIn(app, email, { from: office });
    for (let each = 0; each < 29; each++) await guessTimes(1, newEmail(), office);
    await guessTimes(1, newEmail(), office);
    assert.equal((await guess(newEmail(), office)).status, 429);
    assert.equal((await guess(newEmail(), newNetwork())).status, 401);
    await signedIn(app, email, { from: office });
    clock.advance(HOUR);
    assert.equal((await guess(newEmail(), office)).status, 401);
  });

  test("who proves themselves by a reset link gets in from a network that is new for them", async () => {
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

  test("signing in pays back its own attempt only, so nobody clears a network's count with an account of their own", async () => {
    const network = newNetwork();
    const before = await failuresOf("network");
    await guessTimes(3, newEmail(), network);
    const { email } = await aPerson(app);
    await signedIn(app, email, { from: network });
    await signedIn(app, email, { from: network });
    assert.equal((await failuresOf("network")) - before, 3);
  });

  test("an IPv6 client is its /64, because that is what one customer has", async () => {
    const email = newEmail();
    for (let each = 1; each <= 30; each++) assert.equal((await guess(newEmail(), `2001:db8:0:7::${each}`)).status, 401);
    assert.equal((await guess(email, "2001:db8:0:7:ffff::1")).status, 429);
    assert.equal((await guess(email, "2001:db8:0:8::1")).status, 401);
  });
});

test("who is turned away because too many are signing in has not failed", async (context) => {
  // Hashing as dear as in production, so that a queue forms.
  const busyApp = await testApp({ clock, hashing: { memoryKiB: 65_536, passes: 3, lanes: 1 } });
  context.after(() => busyApp.close());
  const attempts = Array.from({ length: 60 }, () =>
    tryToSignIn(busyApp, newEmail(), { password: "a wrong guess", from: newNetwork() }),
  );
  const replies = await Promise.all(attempts);
  const busy = replies.filter((reply) => reply.status === 503);
  assert.ok(busy.length > 0, "nobody was turned away");
  for (const reply of busy) {
    assert.equal(codeOf(reply), "sign-in.busy");
    assert.equal(reply.headers["retry-after"], "5");
  }
  const { rows } = await busyApp.database.pool.query(
    "select sum(failures)::int as sum from sign_in_attempts where key like 'account:%'",
  );
  assert.equal(rows[0].sum, 60 - busy.length);
});

test("every wait is told in words and in seconds", async () => {
  const email = newEmail();
  await guessTimes(5, email, newNetwork());
  const reply = await guess(email, newNetwork());
  assert.equal((reply.body as { message?: string }).message, "Too many attempts. Please try again in 2 seconds.");
  assert.equal((reply.body as { retry_after?: number }).retry_after, 2);
  clock.advance(MINUTE);
  assert.equal((await tryToSignIn(app, email, { password: PASSWORD, from: newNetwork() })).status, 401);
});
