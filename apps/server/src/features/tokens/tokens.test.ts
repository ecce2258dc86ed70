// Tests of the scopes, expiry, notices and revocation of API tokens, and of attempts to exceed them.
import {
  accountStatistics,
  approveAccessRequest,
  changePassword,
  changeUserRole,
  createAccessRequest,
  createCredential,
  createToken,
  deleteUser,
  exportAccounts,
  issueResetLink,
  listAccounts,
  listCredentials,
  listNotifications,
  listOwnSessions,
  listOwnTokens,
  listSafes,
  listTokensOf,
  listUsers,
  mapAccessRequest,
  readAccount,
  readAccountDetails,
  readSafe,
  revealCredential,
  retrieveAccount,
  revokeToken,
  safeStatistics,
  setUserStatus,
  updateTokenPolicy,
} from "@strongroom/contract";
import type { InputOf, ScopeChoice } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { aPlatform, anAccount } from "#testing/accounts.ts";
import { aCredential } from "#testing/credentials.ts";
import { aPerson, firstAdmin, signIn } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { Reply, TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";

const DAY = 86_400_000;
const MINUTE = 60_000;
let app: TestApp;
let admin: TestPerson;
let ahead = 0;
before(async () => {
  app = await testApp({ clock: { now: () => new Date(Date.now() + ahead) } });
  admin = await firstAdmin(app);
});
beforeEach(async () => {
  ahead = 0;
  // While the clock was ahead, the job that runs every minute may have ended sessions.
  admin.token = await signIn(app, admin.email);
});
after(() => app.close());

type Fields = Partial<NonNullable<InputOf<typeof createToken>["body"]>>;

const ask = (by: string, scopes: ScopeChoice[], fields: Fields = {}) =>
  app.call(createToken, { body: { name: "A token", scopes, expires_in_days: 30, ...fields }, as: by });

async function aToken(person: { token: string }, scopes: ScopeChoice[], fields: Fields = {}) {
  const made = await ask(person.token, scopes, fields);
  assert.equal(made.status, 201, made.text);
  return { text: made.body.token, ...made.body.details };
}

/** The status and code of a refused call. */
const refusal = ({ status, body }: Reply<unknown>) => [status, (body as { code?: string }).code];

interface Recorded {
  event: string;
  result: string;
  reason?: string;
  actor: Record<string, string>;
  details?: Record<string, unknown>;
}

/** The audit entries that contain this text, oldest first. */
async function recorded(event: string, text: string): Promise<Recorded[]> {
  const { rows } = await app.database.pool.query<{ entry: Recorded }>(
    `select convert_from(canonical, 'UTF8')::jsonb as entry from audit_entries
     where event = $1 and convert_from(canonical, 'UTF8') like '%' || $2 || '%' order by id`,
    [event, text],
  );
  return rows.map(({ entry }) => entry);
}

describe("a token", () => {
  test("acts as its holder within its scopes, is shown only once, and is listed with its last use", async () => {
    const person = await aPerson(app);
    const { id } = await aCredential(app, person);
    const token = await aToken(person, ["credential.list"]);
    assert.match(token.text, /^srt_[0-9A-Za-z]{49}$/);
    const listed = await app.call(listCredentials, { as: token.text, from: "192.0.2.7" });
    assert.deepEqual(
      listed.body.data.map((each) => each.id),
      [id],
    );
    const own = await app.call(listOwnTokens, { as: person.token });
    assert.equal(own.body.data[0]?.state, "active");
    const [shown] = own.body.data;
    assert.deepEqual([shown?.last_used_from, shown?.begins], ["192.0.2.7", token.text.slice(0, 8)]);
    assert.ok(!own.text.includes(token.text));
    await app.call(listCredentials, { as: token.text, from: "192.0.2.8" });
    const again = await app.call(listOwnTokens, { as: person.token });
    assert.equal(again.body.data[0]?.last_used_from, "192.0.2.7", "written down at most once a minute");
    ahead = 2 * MINUTE;
    await app.call(listCredentials, { as: token.text, from: "192.0.2.9" });
    assert.equal((await app.call(listOwnTokens, { as: person.token })).body.data[0]?.last_used_from, "192.0.2.9");
  });

  test("is named in the audit entries of its actions, and its creation appears among its holder's entries", async () => {
    const person = await aPerson(app);
    const { id } = await aCredential(app, person);
    const token = await aToken(person, ["credential.reveal"], { name: "nightly" });
    assert.equal((await app.call(revealCredential, { params: { id }, body: {}, as: token.text })).status, 200);
    const [entry] = await recorded("credential.revealed", id);
    assert.deepEqual(
      [entry?.actor["id"], entry?.actor["token"], entry?.actor["token_name"], entry?.actor["session"]],
      [person.id, token.id, "nightly", undefined],
    );
    const [made] = await recorded("token.created", token.id);
    assert.ok(made?.actor["session"]);
  });

  test("cannot be created without scopes, with too long a lifetime, or with scopes beyond its holder's role", async () => {
    const person = await aPerson(app);
    assert.equal((await ask(person.token, [])).status, 400);
    assert.deepEqual(refusal(await ask(person.token, ["read-only"], { expires_in_days: 91 })), [
      400,
      "token.life-too-long",
    ]);
    assert.deepEqual(refusal(await ask(person.token, ["read-only", "user.manage"])), [400, "token.scopes-beyond-role"]);
    const foreign = await aSafe(app, admin);
    assert.deepEqual(refusal(await ask(person.token, ["retrieve"], { safe_ids: [foreign.id] })), [
      400,
      "token.safe-unknown",
    ]);
  });

  test("expires earlier once the policy is tightened", async (context) => {
    const token = await aToken(admin, ["credential.list"], { expires_in_days: 60 });
    const rule = (person_days: number) =>
      app.call(updateTokenPolicy, { body: { person_days, machine_days: 365 }, as: admin.token });
    context.after(async () => {
      ahead = 0;
      admin.token = await signIn(app, admin.email);
      return rule(90);
    });
    await rule(30);
    const listed = await app.call(listOwnTokens, { as: admin.token });
    const [shown] = listed.body.data;
    assert.ok(Date.parse(shown!.expires_at) <= Date.now() + 30 * DAY);
    ahead = 31 * DAY;
    assert.deepEqual(refusal(await app.call(listCredentials, { as: token.text })), [401, "token.expired"]);
  });
});

describe("attack: exceeding the scopes of a token", () => {
  test("a missing scope is refused regardless of the holder's role, and the attempt is audited", async () => {
    const { id } = await aCredential(app, admin);
    const token = await aToken(admin, ["read-only"]);
    const reveal = await app.call(revealCredential, { params: { id }, body: {}, as: token.text });
    assert.deepEqual(refusal(reveal), [403, "token.scope-missing"]);
    const [entry] = await recorded("credential.revealed", token.id);
    assert.deepEqual([entry?.result, entry?.reason], ["failure", "token.scope-missing"]);
    const made = await app.call(createCredential, {
      body: { name: "Another", type: "application", value: "12345678" },
      as: token.text,
    });
    assert.deepEqual(refusal(made), [403, "token.scope-missing"]);
    assert.deepEqual(refusal(await app.call(listUsers, { as: token.text })), [403, "token.scope-missing"]);
  });

  test("a token cannot change the password, list sessions or create a stronger token", async () => {
    const token = await aToken(admin, ["retrieve", "user.manage", "policy.manage", "token.use"]);
    const password = await app.call(changePassword, {
      body: { current_password: admin.password, new_password: "another long password" },
      as: token.text,
    });
    assert.deepEqual(refusal(password), [403, "token.session-needed"]);
    assert.deepEqual(refusal(await app.call(listOwnSessions, { as: token.text })), [403, "token.session-needed"]);
    for (const [scopes, fields] of [
      [["seal.manage"], {}],
      [["read-only"], {}],
      [["retrieve"], { expires_in_days: 31 }],
    ] as const) {
      const made = await ask(token.text, [...scopes], fields);
      assert.deepEqual(refusal(made), [403, "token.more-than-own"], scopes.join());
    }
    assert.equal((await ask(token.text, ["retrieve"], { expires_in_days: 29 })).status, 201);
    const without = await aToken(admin, ["retrieve"]);
    assert.deepEqual(refusal(await ask(without.text, ["retrieve"])), [403, "token.scope-missing"]);
    const link = await app.call(issueResetLink, { params: { id: admin.id }, as: without.text });
    assert.deepEqual(refusal(link), [403, "token.session-needed"]);
  });

  test("a token limited to networks or safes cannot create a token without that limit", async () => {
    const safe = await aSafe(app, admin);
    const other = await aSafe(app, admin);
    const networks = ["127.0.0.0/8"];
    const token = await aToken(admin, ["retrieve", "token.use"], { networks });
    assert.deepEqual(refusal(await ask(token.text, ["retrieve"])), [403, "token.more-than-own"]);
    assert.deepEqual(refusal(await ask(token.text, ["retrieve"], { networks: ["0.0.0.0/0"] })), [
      403,
      "token.more-than-own",
    ]);
    assert.equal(
      (await ask(token.text, ["retrieve"], { networks, safe_ids: [safe.id], expires_in_days: 1 })).status,
      201,
    );
    const limited = await aToken(admin, ["retrieve", "token.use"], { safe_ids: [safe.id] });
    const wider = await ask(limited.text, ["retrieve"], { safe_ids: [other.id] });
    assert.deepEqual(refusal(wider), [403, "token.scope-missing"], "within safes no token makes others");
  });

  test("a token finds nothing outside its safes: in lists, statistics, reads, retrievals and grants", async () => {
    const [owner, requester] = [await aPerson(app), await aPerson(app)];
    const [inside, outside] = [await aSafe(app, owner, { name: "Inside" }), await aSafe(app, owner, { name: "Out" })];
    await aSafe(app, owner, { name: "Open to all", access_level: "public" });
    const near = await anAccount(app, owner, inside, { name: "Near" });
    const far = await anAccount(app, owner, outside, { name: "Far" });
    const platform = await aPlatform(app, { approvals_level_1: 1 });
    const lent = await anAccount(app, owner, outside, { name: "Lent", platform_id: platform.id });
    await aMember(app, owner, inside, requester, "user");
    const asked = await app.call(createAccessRequest, {
      body: { resource: "The lent one", reason: "To test" },
      as: requester.token,
    });
    const params = { id: asked.body.id };
    await app.call(mapAccessRequest, { params, body: { account_id: lent.id }, as: admin.token });
    await app.call(approveAccessRequest, { params, body: {}, as: admin.token });
    assert.equal((await app.call(readAccountDetails, { params: { id: lent.id }, as: requester.token })).status, 200);

    const scopes: ScopeChoice[] = ["retrieve", "read-only", "verify", "account.export", "safe.manage"];
    for (const person of [owner, requester, admin]) {
      const { text } = await aToken(person, scopes, { safe_ids: [inside.id] });
      const as = text;
      const listed = await app.call(listAccounts, { as });
      const replies = [
        listed,
        await app.call(listAccounts, { query: { search: "t" }, as }),
        await app.call(listSafes, { as }),
        await app.call(exportAccounts, { as }),
      ];
      for (const reply of replies) {
        assert.equal(reply.status, 200, reply.text);
        assert.ok(!/Far|Lent|"Out"|Open to all/.test(reply.text), reply.text);
      }
      assert.deepEqual(
        listed.body.data.map(({ id }) => id),
        [near.id],
      );
      assert.equal((await app.call(accountStatistics, { as })).body.total, 1);
      assert.equal((await app.call(safeStatistics, { as })).body.total, 1);
      assert.equal((await app.call(readSafe, { params: { id: outside.id }, as })).status, 404);
      for (const { id } of [far, lent]) {
        for (const endpoint of [readAccount, readAccountDetails] as const) {
          assert.equal((await app.call(endpoint, { params: { id }, as })).status, 404);
        }
        const secret = await app.call(retrieveAccount, { params: { id }, body: {}, as });
        assert.equal(secret.status, 404, secret.text);
      }
      const own = await app.call(listCredentials, { as });
      assert.deepEqual(refusal(own), [403, "token.scope-missing"], "the vault is in no safe");
      if (person === admin) continue;
      const retrieved = await app.call(retrieveAccount, { params: { id: near.id }, body: {}, as });
      assert.equal(retrieved.status, 200, retrieved.text);
    }
  });
});

describe("attack: using an expired or revoked token", () => {
  const list = (token: { text: string }, from = "127.0.0.1") => app.call(listCredentials, { as: token.text, from });

  test("revoked, unknown, mistyped and forged tokens get the same reply; an expired one is reported as expired", async () => {
    const person = await aPerson(app);
    const [token, old] = [await aToken(person, ["credential.list"]), await aToken(person, ["credential.list"])];
    assert.equal((await app.call(revokeToken, { params: { id: token.id }, as: person.token })).status, 200);
    const swapped = { text: `${old.text.slice(0, 20)}${old.text[20] === "A" ? "B" : "A"}${old.text.slice(21)}` };
    const answers = [];
    for (const each of [token, swapped, { text: "srt_" }, { text: `${old.text}x` }]) {
      const reply = await list(each);
      const { request_id: _, ...problem } = reply.body as unknown as Record<string, unknown>;
      answers.push(problem);
    }
    for (const each of answers) assert.deepEqual(each, answers[0]);
    assert.deepEqual([answers[0]?.["status"], answers[0]?.["code"]], [401, "token.unknown"]);
    ahead = 31 * DAY;
    assert.deepEqual(refusal(await list(old)), [401, "token.expired"]);
  });

  test("using a revoked token is audited once a minute", async () => {
    const person = await aPerson(app);
    const token = await aToken(person, ["credential.list"]);
    await app.call(revokeToken, { params: { id: token.id }, as: person.token });
    for (let tries = 0; tries < 3; tries += 1) await list(token, "198.51.100.4");
    const [entry, ...more] = await recorded("token.refused", token.id);
    assert.deepEqual(
      [entry?.result, entry?.reason, entry?.details?.["address"]],
      ["failure", "token.revoked", "198.51.100.4"],
    );
    assert.equal(more.length, 0);
  });

  test("disabling a holder or changing their role affects their tokens immediately", async () => {
    const manager = await aPerson(app, "manager");
    const token = await aToken(manager, ["credential.list", "user.list"]);
    const people = () => app.call(listUsers, { as: token.text });
    assert.equal((await people()).status, 200);
    await app.call(changeUserRole, { params: { id: manager.id }, body: { role: "user" }, as: admin.token });
    assert.deepEqual(refusal(await people()), [403, "role.insufficient"]);
    assert.equal((await list(token)).status, 200);
    const status = (to: "active" | "disabled") =>
      app.call(setUserStatus, { params: { id: manager.id }, body: { status: to }, as: admin.token });
    await status("disabled");
    assert.deepEqual(refusal(await list(token)), [401, "token.unknown"]);
    await status("active");
    assert.deepEqual(refusal(await list(token)), [401, "token.unknown"], "a reactivated user has to create new tokens");
    await app.call(deleteUser, { params: { id: manager.id }, as: admin.token });
    assert.deepEqual(refusal(await list(token)), [401, "token.unknown"]);
    const { rows } = await app.database.pool.query("select from tokens where id = $1", [token.id]);
    assert.equal(rows.length, 0);
  });

  test("revoking a token also revokes the tokens it created, recursively and for any holder", async () => {
    const root = await aToken(admin, ["token.use", "retrieve", "user.manage"]);
    const child = await aToken({ token: root.text }, ["token.use", "retrieve"], { expires_in_days: 20 });
    const grandchild = await aToken({ token: child.text }, ["retrieve"], { expires_in_days: 10 });
    const own = await aToken(admin, ["retrieve"]);
    const use = ({ text }: { text: string }) => app.call(listAccounts, { as: text });
    const making = ask(child.text, ["retrieve"], { expires_in_days: 5 });
    const [reply, made] = await Promise.all([
      app.call(revokeToken, { params: { id: root.id }, as: admin.token }),
      making,
    ]);
    assert.match(reply.body.message, /was revoked, and [23] tokens that it created/);
    const late = made.status === 201 ? [{ text: made.body.token }] : [];
    for (const each of [root, child, grandchild, ...late])
      assert.deepEqual(refusal(await use(each)), [401, "token.unknown"]);
    assert.equal((await use(own)).status, 200, "tokens created in a session stay valid");
    const [entry] = await recorded("token.revoked", root.id);
    assert.ok(JSON.stringify(entry?.details?.["made"]).includes(grandchild.id));
  });

  test("the holder is notified seven days and one day before expiry, but not for a short-lived token", async () => {
    const person = await aPerson(app);
    const token = await aToken(person, ["credential.list"], { name: "nightly export" });
    await aToken(person, ["credential.list"], { name: "for today", expires_in_days: 1 });
    const toldAt = async (days: number, title: string) => {
      ahead = days * DAY;
      const as = await signIn(app, person.email);
      return eventually(async () => {
        await app.database.transaction((tx) => app.kernel.jobs.enqueue(tx, "tokens.tell-of-ends", {}));
        const { notifications } = (await app.call(listNotifications, { as })).body;
        return notifications.some((each) => each.title === title) ? notifications : null;
      });
    };
    const [first, ...others] = await toldAt(23.5, "An API token expires soon");
    assert.deepEqual([first?.metadata["token_id"], first?.severity, others.length], [token.id, "medium", 0]);
    const [last] = await toldAt(29.2, "An API token expires within a day");
    assert.deepEqual([last?.metadata["token_id"], last?.severity], [token.id, "high"]);
    assert.match(last!.message, /"nightly export" expires at \d{4}-/);
  });

  test("use from a network that the token does not allow is refused and audited", async () => {
    const person = await aPerson(app);
    const token = await aToken(person, ["credential.list"], { networks: ["192.0.2.0/24", "2001:db8::/32"] });
    for (const from of ["192.0.2.200", "2001:db8::1"]) assert.equal((await list(token, from)).status, 200);
    assert.deepEqual(refusal(await list(token, "198.51.100.1")), [403, "token.network-not-allowed"]);
    assert.equal((await recorded("token.refused", token.id)).length, 1);
  });

  test("the holder and administrators can revoke a token, and other users get 404", async () => {
    const [holder, other] = [await aPerson(app), await aPerson(app, "manager")];
    const token = await aToken(holder, ["credential.list"]);
    const params = { id: token.id };
    assert.equal((await app.call(revokeToken, { params, as: other.token })).status, 404);
    const own = await aToken(admin, ["token.use"]);
    assert.equal((await app.call(revokeToken, { params, as: own.text })).status, 404, "an administrator's weak token");
    assert.equal((await list(token)).status, 200);
    const seen = await app.call(listTokensOf, { params: { id: holder.id }, as: admin.token });
    assert.deepEqual(
      seen.body.data.map(({ id }) => id),
      [token.id],
    );
    assert.equal((await app.call(revokeToken, { params, as: admin.token })).status, 200);
    assert.equal((await list(token)).status, 401);
  });
});
