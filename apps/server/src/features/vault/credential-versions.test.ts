// The versions of a user's own secret: listed without values, and each revealed to its owner, including unverified
// candidates.
import {
  CredentialEdit,
  deleteCredential,
  listCredentialVersions,
  revealCredentialVersion,
  updateCredential,
} from "@strongroom/contract";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { aCredential, aSecret } from "#testing/credentials.ts";
import { aPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

let app: TestApp;
before(async () => {
  app = await testApp();
});
after(() => app.close());

test("owners can reveal superseded and candidate versions of their secrets, and each reveal is recorded", async () => {
  const [owner, other] = [await aPerson(app), await aPerson(app, "admin")];
  const credential = await aCredential(app, owner);
  const { id } = credential;
  const value = aSecret();
  const body = CredentialEdit.parse({ name: credential.name, type: "application", value });
  assert.equal((await app.call(updateCredential, { params: { id }, body, as: owner.token })).status, 200);
  // Creates the state that a rotation leaves when it could not verify which version is active.
  await app.database.pool.query(
    "update secret_versions set is_candidate = (version = 2), retired_at = null where credential_id = $1",
    [id],
  );
  await app.database.pool.query("update credentials set secret_version = 1 where id = $1", [id]);

  const listed = await app.call(listCredentialVersions, { params: { id }, as: owner.token });
  assert.deepEqual(
    listed.body.versions.map(({ version, is_candidate }) => [version, is_candidate]),
    [
      [2, true],
      [1, false],
    ],
  );
  assert.ok(![value, credential.value].some((secret) => listed.text.includes(secret)));
  const revealed = async (version: number, as = owner) =>
    app.call(revealCredentialVersion, { params: { id, version }, as: as.token });
  assert.equal((await revealed(1)).body.value, credential.value);
  assert.equal((await revealed(2)).body.value, value);
  assert.equal((await revealed(3)).status, 404);
  assert.equal((await revealed(2, other)).status, 404);
  assert.equal((await app.call(listCredentialVersions, { params: { id }, as: other.token })).status, 404);

  const { rows } = await app.database.pool.query(
    "select result, canonical from audit_entries where target_id = $1 and event = 'credential.version-revealed' order by id",
    [id],
  );
  assert.deepEqual(
    rows.map(({ result }) => result),
    ["success", "success", "failure", "failure"],
  );
  assert.ok(rows.every(({ canonical }) => !String(canonical).includes(value)));
  assert.equal((await app.call(deleteCredential, { params: { id }, as: owner.token })).status, 200);
  assert.equal((await revealed(2)).status, 404);
});
