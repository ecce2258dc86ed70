// HTTP tests of sealing and unsealing a vault.
import {
  createCredential,
  readCredential,
  readHealth,
  readReadiness,
  readSeal,
  revealCredential,
  seal,
  unseal,
} from "@strongroom/contract";
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { firstAdmin } from "#testing/people.ts";
import type { TestPerson } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";

const PASSPHRASE = "seven ravens on a wire at noon";

describe("a vault with a passphrase", () => {
  let app: TestApp;
  let admin: TestPerson;
  let credential: string;
  const folder = mkdtempSync(join(tmpdir(), "strongroom-seal-"));

  before(async () => {
    const passphraseFile = join(folder, "passphrase");
    writeFileSync(passphraseFile, `${PASSPHRASE}\n`);
    const first = await testApp({ config: { seal: "passphrase", passphraseFile } });
    admin = await firstAdmin(first);
    const body = { name: "sealed away", type: "application", value: "a secret value" } as const;
    credential = (await first.call(createCredential, { body, as: admin.token })).body.id;
    app = await testApp({ ...(await first.stopOnly()), config: { seal: "passphrase", passphraseFile: null } });
  });
  after(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });

  test("starts sealed: every call except `health` and `unseal` returns 503", async () => {
    assert.deepEqual((await app.call(readSeal)).body, { is_sealed: true, provider: "passphrase" });
    assert.equal((await app.call(readHealth)).body.status, "sealed");
    assert.equal((await app.call(readReadiness)).status, 503);
    const reply = await app.call(readCredential, { params: { id: credential }, as: admin.token });
    assert.equal(reply.status, 503);
    assert.match(reply.text, /"code":"sealed"/);
  });

  test("a wrong passphrase is refused; a client that floods the server gets one attempt at a time and blocks no other client", async () => {
    const attempt = (from: string) =>
      app.call(unseal, { body: { passphrase: "seven ravens on a wire at nine" }, from });
    const flood = await Promise.all([attempt("192.0.2.1"), attempt("192.0.2.1"), attempt("192.0.2.2")]);
    assert.deepEqual(
      flood.map((reply) => reply.status),
      [403, 429, 403],
    );
    assert.equal((await app.call(readSeal)).body.is_sealed, true);
  });

  test("is unsealed by the correct passphrase, after which secrets can be revealed again", async () => {
    assert.equal((await app.call(unseal, { body: { passphrase: PASSPHRASE } })).status, 200);
    const reply = await app.call(revealCredential, { params: { id: credential }, body: {}, as: admin.token });
    assert.equal(reply.body.value, "a secret value");
  });

  test("an administrator can seal the vault immediately, and the sealing is audited", async () => {
    assert.equal((await app.call(seal, { as: admin.token })).status, 200);
    const reply = await app.call(revealCredential, { params: { id: credential }, body: {}, as: admin.token });
    assert.equal(reply.status, 503);
    const { rows } = await app.database.pool.query(
      "select event, result from audit_entries where event like 'seal.%' order by id",
    );
    assert.deepEqual(
      rows.map((row) => `${row.event} ${row.result}`),
      [
        "seal.unsealed failure",
        "seal.unsealed failure",
        "seal.unsealed failure",
        "seal.unsealed success",
        "seal.sealed success",
      ],
    );
  });
});

test("a vault with a key file unseals automatically and cannot be sealed", async (context) => {
  const app = await testApp();
  context.after(() => app.close());
  const admin = await firstAdmin(app);
  assert.deepEqual((await app.call(readSeal)).body, { is_sealed: false, provider: "key-file" });
  assert.equal((await app.call(seal, { as: admin.token })).status, 409);
  assert.equal((await app.call(unseal, { body: { passphrase: PASSPHRASE } })).status, 409);
});
