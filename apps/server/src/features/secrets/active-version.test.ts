// Tests that changes a database owner makes to the active version of a secret are detected.
import {
  CredentialEdit,
  listCredentialVersions,
  listNotifications,
  moveAccount,
  readAccount,
  readHealth,
  retrieveAccount,
  retrieveAccountVersion,
  revealCredential,
  revealCredentialVersion,
  rotateCredential,
  unseal,
  updateCredential,
  verifyCredential,
} from "@strongroom/contract";
import type { Credential } from "@strongroom/contract";
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { anAccount } from "#testing/accounts.ts";
import { aCredential, aSecret, databaseAt } from "#testing/credentials.ts";
import { aPerson, firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { aSafe } from "#testing/safes.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import { eventually } from "#testing/waiting.ts";
import { checkAll } from "./bind-versions.ts";

let app: TestApp;
let owner: TestPerson;
let admin: TestPerson;
before(async () => {
  app = await testApp();
  admin = await firstAdmin(app);
  owner = await aPerson(app);
});
after(() => app.close());

const sql = (text: string, ...values: unknown[]) => app.database.pool.query(text, values);
const setBack = (id: string) => sql("update credentials set secret_version = 1 where id = $1", id);
const reveal = ({ id }: { id: Credential["id"] }, on = app) =>
  on.call(revealCredential, { params: { id }, body: {}, as: owner.token });

async function storeAgain({ id, name }: Credential, on = app): Promise<string> {
  const value = aSecret();
  const body = CredentialEdit.parse({ name, type: "application", value });
  const reply = await on.call(updateCredential, { params: { id }, body, as: owner.token });
  assert.equal(reply.status, 200, reply.text);
  return value;
}

/** A revealed credential with two versions. */
async function twoVersions(): Promise<Credential & { value: string; older: string }> {
  const credential = await aCredential(app, owner);
  const value = await storeAgain(credential);
  assert.equal((await reveal(credential)).body.value, value);
  return { ...credential, value, older: credential.value };
}

async function assertRefused(reply: Awaited<ReturnType<typeof reveal>>): Promise<void> {
  assert.equal(reply.status, 409, reply.text);
  assert.match(reply.text, /"code":"credential.version-mismatch"/);
}

const alarms = async (id: string, on = app) =>
  (
    await on.database.pool.query(
      "select severity from audit_entries where event = 'credential.version-mismatch' and target_id = $1",
      [id],
    )
  ).rows.map(({ severity }) => severity);
const alarmed = (id: string, on = app) => eventually(async () => ((await alarms(id, on)).length > 0 ? true : null));

async function healthProblem(on = app): Promise<string | null> {
  const { checks } = (await on.call(readHealth)).body;
  return checks.find(({ name }) => name === "active versions")!.message;
}

describe("an active version that was rolled back in the database", () => {
  test("is refused and recorded once as critical; health degrades, and administrators and the owner are notified", async () => {
    const credential = await twoVersions();
    await setBack(credential.id);
    await assertRefused(await reveal(credential));
    await assertRefused(await reveal(credential));
    await alarmed(credential.id);
    assert.match((await healthProblem())!, /store the correct values? again/i);
    assert.equal((await app.call(readHealth)).body.status, "degraded");
    for (const { token } of [admin, owner]) {
      await eventually(async () => {
        const { body } = await app.call(listNotifications, { as: token });
        return body.notifications.find(({ metadata }) => metadata["credential_id"] === credential.id) ?? null;
      });
    }
    assert.deepEqual(await alarms(credential.id), ["critical"]);
  });

  test("is usable again, and health recovers, once the value is stored again", async () => {
    const credential = await twoVersions();
    await setBack(credential.id);
    await assertRefused(await reveal(credential));
    await alarmed(credential.id);
    const value = await storeAgain(credential);
    assert.equal((await reveal(credential)).body.value, value);
    await sql("delete from active_version_mismatches where credential_id <> $1", credential.id);
    assert.equal(await healthProblem(), null);
  });

  test("leaves every version readable by number for its owner", async () => {
    const credential = await twoVersions();
    await setBack(credential.id);
    const { body } = await app.call(listCredentialVersions, { params: { id: credential.id }, as: owner.token });
    assert.equal(body.versions.length, 2);
    const reply = await app.call(revealCredentialVersion, {
      params: { id: credential.id, version: 2 },
      as: owner.token,
    });
    assert.equal(reply.body.value, credential.value);
  });

  test("is neither sent to its target by a verification nor rotated", async () => {
    const credential = await aCredential(app, owner, databaseAt(1));
    const body = CredentialEdit.parse({ name: credential.name, ...databaseAt(1), value: aSecret() });
    const params = { id: credential.id };
    assert.equal((await app.call(updateCredential, { params, body, as: owner.token })).status, 200);
    await setBack(credential.id);
    const verified = await app.call(verifyCredential, { params, as: owner.token });
    assert.match(verified.text, /was changed in the database/);
    const rotated = await app.call(rotateCredential, { params, as: owner.token });
    assert.match(rotated.text, /"code":"credential.version-mismatch"/);
    assert.equal(rotated.status, 409);
  });

  test("is found by the hourly check even if the secret is not used", async () => {
    const credential = await twoVersions();
    await setBack(credential.id);
    await checkAll(app.kernel, new AbortController().signal);
    await alarmed(credential.id);
  });
});

describe("other changes to the row of a secret", () => {
  test("another secret's MAC, a cleared MAC and an increased counter are refused", async () => {
    for (const change of [
      "active_mac = (select active_mac from credentials where id = $2)",
      "active_mac = null",
      "active_count = active_count + 1",
    ]) {
      const [credential, other] = [await twoVersions(), await twoVersions()];
      const used = change.includes("$2") ? [credential.id, other.id] : [credential.id];
      await sql(`update credentials set ${change} where id = $1`, ...used);
      await assertRefused(await reveal(credential));
      assert.equal((await reveal(other)).body.value, other.value, change);
    }
  });

  test("only a process that has seen the newer row refuses a complete older row", async () => {
    const credential = await aCredential(app, owner);
    const { rows } = await sql(
      "select secret_version, active_count, active_mac from credentials where id = $1",
      credential.id,
    );
    await storeAgain(credential);
    assert.equal((await reveal(credential)).status, 200);
    const { secret_version, active_count, active_mac } = rows[0];
    const replay = "update credentials set secret_version = $2, active_count = $3, active_mac = $4 where id = $1";
    await sql(replay, credential.id, secret_version, active_count, active_mac);
    await assertRefused(await reveal(credential));
    // As the threat model states, a process that started later cannot detect the change.
    const { database, dataFolder } = app;
    const other = await testApp({ database: { database, connection: {}, drop: async () => {} }, dataFolder });
    assert.equal((await reveal(credential, other)).body.value, credential.value);
    await other.stop();
    await storeAgain(credential);
    assert.equal((await reveal(credential)).status, 200);
  });
});

describe("an account whose active version was rolled back", () => {
  test("cannot be retrieved and shows no password, but its secret manager can read each version by number", async () => {
    const safe = await aSafe(app, owner);
    const account = await anAccount(app, owner, safe);
    await setBackAccount(account.id);
    const params = { id: account.id };
    const retrieved = await app.call(retrieveAccount, { params, body: {}, as: owner.token });
    assert.equal(retrieved.status, 409, retrieved.text);
    assert.match(retrieved.text, /credential.version-mismatch/);
    const page = await app.call(readAccount, { params, as: owner.token });
    assert.deepEqual([page.status, page.body.password], [200, null]);
    const version = { params: { ...params, version: 1 }, body: {}, as: owner.token };
    assert.equal((await app.call(retrieveAccountVersion, version)).status, 200);
  });

  test("cannot be moved to another safe, while other accounts can", async () => {
    const [from, to] = [await aSafe(app, owner), await aSafe(app, owner)];
    const [changed, other] = [await anAccount(app, owner, from), await anAccount(app, owner, from)];
    await setBackAccount(changed.id);
    const body = { safe_id: to.id };
    const refused = await app.call(moveAccount, { params: { id: changed.id }, body, as: owner.token });
    assert.equal(refused.status, 409, refused.text);
    const moved = await app.call(moveAccount, { params: { id: other.id }, body, as: owner.token });
    assert.equal(moved.status, 200, moved.text);
    const retrieved = await app.call(retrieveAccount, { params: { id: other.id }, body: {}, as: owner.token });
    assert.equal(retrieved.body.password, other.password);
  });

  /** Makes a different version active than the one that was bound. */
  async function setBackAccount(id: string): Promise<void> {
    await sql(
      `insert into secret_versions (credential_id, version, envelope, created_at, reason)
       select credential_id, 2, envelope, now(), 'edited' from secret_versions where credential_id = $1`,
      id,
    );
    await sql("update credentials set secret_version = 2 where id = $1", id);
  }
});

describe("binding the secrets of an older database", () => {
  /** Restores the state after the migration: no MACs, and no audit entry of a binding. */
  const asBefore = (on: TestApp, keep = "false") =>
    on.database.pool.query(`
      alter table audit_entries disable trigger user;
      delete from audit_entries where event = 'credential.versions-bound';
      alter table audit_entries enable trigger user;
      update credentials set active_mac = null, active_count = 0 where not (${keep})`);
  const entries = async (on: TestApp) =>
    (
      await on.database.pool.query(
        "select result, convert_from(canonical, 'UTF8') as text from audit_entries where event = 'credential.versions-bound'",
      )
    ).rows;

  test("happens once, at the first start, with an audit entry", async () => {
    const first = await testApp();
    const person = await aPerson(first);
    const credential = await aCredential(first, person);
    await asBefore(first);
    const next = await testApp(await first.stopOnly());
    const params = { id: credential.id };
    const revealed = await next.call(revealCredential, { params, body: {}, as: person.token });
    assert.equal(revealed.body.value, credential.value, revealed.text);
    const [entry, ...more] = await entries(next);
    assert.match(entry.text, /"secrets":1/);
    assert.deepEqual(more, []);
    await next.close();
  });

  test("is not repeated after MACs are cleared, even if the event column of its audit entry was changed", async () => {
    const first = await testApp();
    const person = await aPerson(first);
    const credential = await aCredential(first, person);
    await first.database.pool.query(`
      alter table audit_entries disable trigger user;
      update audit_entries set event = 'other.event' where event = 'credential.versions-bound';
      update credentials set active_mac = null, active_count = 0`);
    const next = await testApp(await first.stopOnly());
    const params = { id: credential.id };
    const revealed = await next.call(revealCredential, { params, body: {}, as: person.token });
    assert.equal(revealed.status, 409, revealed.text);
    await next.close();
  });

  test("is refused and recorded as critical if its audit entry is missing while other secrets have MACs", async () => {
    const first = await testApp();
    const person = await aPerson(first);
    const [credential, other] = [await aCredential(first, person), await aCredential(first, person)];
    await asBefore(first, `id = '${other.id}'`);
    const next = await testApp(await first.stopOnly());
    const revealing = (id: Credential["id"]) =>
      next.call(revealCredential, { params: { id }, body: {}, as: person.token });
    assert.equal((await revealing(credential.id)).status, 409);
    assert.equal((await revealing(other.id)).body.value, other.value);
    const [entry] = await entries(next);
    assert.deepEqual([entry.result, /"severity":"critical"/.test(entry.text)], ["failure", true]);
    await next.close();
  });

  test("waits until the vault is unsealed and completes before the unseal call returns", async () => {
    const folder = mkdtempSync(join(tmpdir(), "strongroom-binding-"));
    const passphrase = "seven ravens on a wire at noon";
    const passphraseFile = join(folder, "passphrase");
    writeFileSync(passphraseFile, `${passphrase}\n`);
    const first = await testApp({ config: { seal: "passphrase", passphraseFile } });
    const person = await aPerson(first);
    const credential = await aCredential(first, person);
    await asBefore(first);
    const next = await testApp({ ...(await first.stopOnly()), config: { seal: "passphrase", passphraseFile: null } });
    assert.deepEqual(await entries(next), []);
    assert.equal((await next.call(unseal, { body: { passphrase } })).status, 200);
    const params = { id: credential.id };
    const revealed = await next.call(revealCredential, { params, body: {}, as: person.token });
    assert.equal(revealed.body.value, credential.value, revealed.text);
    await next.close();
    rmSync(folder, { recursive: true });
  });
});
