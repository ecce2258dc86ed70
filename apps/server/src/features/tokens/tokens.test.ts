// What API tokens can do, for whom and until when, and what they cannot.
import {
  changePassword,
  changeUserRole,
  createAccount,
  createCredential,
  createSafe,
  createToken,
  deleteUser,
  listAccounts,
  listAuditEntries,
  listCredentials,
  listOwnSessions,
  listOwnTokens,
  listSafes,
  listTokensOf,
  listUsers,
  readAccount,
  readAccountDetails,
  retrieveAccount,
  revokeToken,
  setUserStatus,
  updateTokenPolicy,
} from "@strongroom/contract";
import type { ApiToken, InputOf, ScopeChoice } from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { anAccount } from "#testing/accounts.ts";
import { aCredential } from "#testing/credentials.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aMember, aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

const DAY = 86_400_000;
let app: TestApp;
let admin: TestPerson;
let ahead = 0;
before(async () => {
  app = await testApp({ clock: { now: () => new Date(Date.now() + ahead) } });
  admin = await firstAdmin(app);
});
after(() => app.close());

type Fields = Partial<NonNullable<InputOf<typeof createToken>["body"]>>;

const ask = (person: { token: string }, scopes: ScopeChoice[], fields: Fields = {}) =>
  app.call(createToken, { body: { name: "A token", scopes, expires_in_days: 30, ...fields }, as: person.token });

async function aToken(person: { token: string }, scopes: ScopeChoice[], fields: Fields = {}) {
  const made = await ask(person, scopes, fields);
  assert.equal(made.status, 201, made.text);
  return { text: made.body.token, ...made.body.details };
}

const codeOf = (reply: { body: unknown }) => (reply.body as { code?: string }).code;

async function entriesOf(event: string, tokenId: string) {
  const { rows } = await app.database.pool.query<{ entry: Record<string, Record<string, unknown>> }>(
    "select convert_from(canonical, 'UTF8')::jsonb as entry from audit_entries where event = $1 order by id",
    [event],
  );
  return rows.map(({ entry }) => entry).filter((entry) => JSON.stringify(entry).includes(tokenId));
}

describe("a token", () => {
  test("acts as its person within its scopes, is shown once, and its use is seen in the list", async () => {
    const person = await aPerson(app);
    const { value: _, ...credential } = await aCredential(app, person, { name: "Mine" });
    const token = await aToken(person, ["credential.list"]);
    assert.match(token.text, /^srt_[0-9A-Za-z]{49}$/);
    const listed = await app.call(listCredentials, { as: token.text, from: "192.0.2.7" });
    assert.deepEqual(
      listed.body.data.map(({ id }) => id),
      [credential.id],
    );
    const refused = await app.call(createCredential, {
      body: { name: "Another", type: "application", value: "12345678" },
      as: token.text,
    });
    assert.deepEqual([refused.status, codeOf(refused)], [403, "token.scope-missing"]);
    const own = await app.call(listOwnTokens, { as: person.token });
    const [shown] = own.body.data;
    assert.deepEqual([shown?.last_used_from, shown?.begins], ["192.0.2.7", token.text.slice(0, 8)]);
    assert.ok(!own.text.includes(token.text));
  });
});

void [
  changePassword,
  changeUserRole,
  createAccount,
  createSafe,
  deleteUser,
  listAccounts,
  listAuditEntries,
  listOwnSessions,
  listSafes,
  listTokensOf,
  listUsers,
  readAccount,
  readAccountDetails,
  retrieveAccount,
  revokeToken,
  setUserStatus,
  updateTokenPolicy,
  anAccount,
  aMember,
  aSafe,
  DAY,
  entriesOf,
  admin,
] as unknown as ApiToken;
