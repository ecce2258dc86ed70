import assert from "node:assert/strict";
import { chownSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { listAuditEntries, readHealth, readSeal } from "@strongroom/contract";
import type { CredentialId } from "@strongroom/contract";
import { readKeyFile } from "@strongroom/keys";
import type { RunningServer } from "../../../../e2e/testing/server.ts";
import { aDependent, updatedMessage } from "../../testing/a-dependent.ts";
import type { AddedDependent } from "../../testing/a-dependent.ts";
import { ADMIN, anInstallation, call, reveal, signIn, storeSecret, useResetLink } from "../../testing/a-strongroom.ts";

const SECRET = "canary-of-a-stored-secret";
/** The dependent's row is authentic, so its address was called. */
const REFUSED = /127\.0\.0\.1/;
const PASSPHRASE = "correct horse battery staple";

const installation = anInstallation();
const keyFile = join(installation.dataFolder, "root.key");
const passphraseFile = join(installation.folder, "passphrase");
let server: RunningServer;
let admin: string;
let credential: CredentialId;
let dependent: AddedDependent;

before(async () => {
  writeFileSync(passphraseFile, `${PASSPHRASE}\n`, { mode: 0o600 });
  server = await installation.start();
  admin = await installation.setUp(server);
  credential = await storeSecret(server, admin, SECRET);
  dependent = await aDependent(server, admin);
});
after(() => installation.remove());

const isRoot = process.geteuid?.() === 0;
const idIn = (path: string): string => readKeyFile(path).id;

/** A user's first secret needs a new key-encryption key. */
async function newPersonStoresSecret(): Promise<void> {
  const email = `person${Date.now()}@example.com`;
  const added = await installation.run(["user", "add", email]);
  assert.equal(await useResetLink(server, added.stdout.trim(), "a password of theirs"), 200);
  const token = await signIn(server, { email, password: "a password of theirs" });
  assert.equal(
    await reveal(server, token, await storeSecret(server, token, "a secret of theirs")),
    "a secret of theirs",
  );
}

test("rekey replaces the key file, keeps the old key for old backups, and prints neither key", async () => {
  const before = idIn(keyFile);
  const ran = await installation.run(["rekey"]);
  assert.equal(ran.status, 0, ran.stderr);
  const now = idIn(keyFile);
  assert.notEqual(now, before);
  assert.match(ran.stdout, new RegExp(`The root key is now ${now}; it was ${before}\\.`));
  assert.ok(ran.stdout.includes(`${keyFile}.${before} contains the old one`));
  assert.equal(idIn(`${keyFile}.${before}`), before);
  assert.equal(statSync(keyFile).mode & 0o777, 0o600);
  for (const file of [keyFile, `${keyFile}.${before}`]) {
    const key = readFileSync(file, "utf8").split("\n")[2] ?? "missing";
    assert.ok(!(ran.stdout + ran.stderr).includes(key));
  }
});

test("a running server continues through a rekey: it opens old secrets and stores secrets of new users", async () => {
  assert.equal(await reveal(server, admin, credential), SECRET);
  assert.match(await updatedMessage(server, admin, dependent), REFUSED);
  await newPersonStoresSecret();
});

test("after a rekey the next start opens with the new key file", async () => {
  await server.stop();
  server = await installation.start();
  admin = await signIn(server, ADMIN);
  // Checks the MAC of the active version.
  assert.equal(await reveal(server, admin, credential), SECRET);
  const { checks } = (await call(server, readHealth)).body;
  assert.equal(checks.find(({ name }) => name === "active versions")?.state, "ok");
  assert.match(await updatedMessage(server, admin, dependent), REFUSED);
});

test("rekey without a server is audited too, and changes nothing when the current root key is unavailable", async () => {
  await server.stop();
  const id = idIn(keyFile);
  renameSync(keyFile, `${keyFile}.away`);
  const refused = await installation.run(["rekey"]);
  assert.deepEqual([refused.status, refused.stdout], [1, ""]);
  assert.match(refused.stderr, /The key file .*root\.key is missing/);
  assert.ok(!existsSync(keyFile));
  renameSync(`${keyFile}.away`, keyFile);

  const done = await installation.run(["rekey", "--key-file"]);
  assert.equal(done.status, 0, done.stderr);
  assert.notEqual(idIn(keyFile), id);

  server = await installation.start();
  admin = await signIn(server, ADMIN);
  const { body } = await call(server, listAuditEntries, { as: admin, query: {} });
  const rekeys = body.logs.filter(({ event }) => event === "seal.rekeyed");
  assert.deepEqual(rekeys.map(({ target }) => target?.id)[0], idIn(keyFile));
  assert.deepEqual(rekeys.map(({ metadata }) => metadata["from"])[0], id);
  assert.equal(rekeys.length, 2);
});

test("rekey to a passphrase seals the running server, and unseal opens it only with the new passphrase", async () => {
  const ran = await installation.run(["rekey", "--passphrase-file", passphraseFile]);
  assert.equal(ran.status, 0, ran.stderr);
  assert.ok(ran.stdout.includes(`${keyFile} contains the old one`));
  assert.match(ran.stderr, /run strongroom unseal/);
  assert.ok(!(ran.stdout + ran.stderr).includes(PASSPHRASE));
  await until(async () => (await call(server, readSeal)).body.is_sealed);

  const health = await installation.run(["status", "--url", server.url]);
  assert.equal(health.status, 1);
  assert.match(health.stdout, /^sealed: The vault is sealed\n[^]*Vault: sealed \(passphrase\)/);

  const wrong = await installation.run(["unseal", "--url", server.url], { input: "not the passphrase at all\n" });
  assert.deepEqual([wrong.status, wrong.stdout], [1, ""]);
  assert.equal(wrong.stderr, "strongroom: Wrong passphrase. Try again.\n");

  const right = await installation.run(["unseal", "--url", server.url], { input: `${PASSPHRASE}\n` });
  assert.deepEqual([right.status, right.stdout], [0, "The vault is unsealed.\n"]);
  assert.equal(await reveal(server, admin, credential), SECRET);
  await newPersonStoresSecret();

  const again = await installation.run(["unseal", "--url", server.url], { input: `${PASSPHRASE}\n` });
  assert.deepEqual([again.status, again.stdout], [0, "The vault is not sealed.\n"]);
});

test(
  "root creates no key file that another user's server could not read",
  { skip: !isRoot && "needs root" },
  async () => {
    const { uid, gid } = statSync(keyFile);
    chownSync(keyFile, 65_534, 65_534);
    const refused = await installation.run(["rekey", "--key-file"], {
      env: { STRONGROOM_PASSPHRASE_FILE: passphraseFile },
    });
    chownSync(keyFile, uid, gid);
    assert.deepEqual([refused.status, refused.stdout], [1, ""]);
    assert.match(
      refused.stderr,
      /root\.key belongs to another user \(uid 65534\), and you are root. Run this command as its owner/,
    );
  },
);

test("commands that need the root key read the passphrase from its file or from standard input", async () => {
  const byFile = await installation.run(["audit", "key"], { env: { STRONGROOM_PASSPHRASE_FILE: passphraseFile } });
  const byInput = await installation.run(["audit", "key"], { input: `${PASSPHRASE}\n` });
  assert.equal(byFile.status, 0, byFile.stderr);
  assert.deepEqual(byInput.stdout, byFile.stdout);
  const wrong = await installation.run(["audit", "key"], { input: "something else entirely\n" });
  assert.deepEqual([wrong.status, wrong.stdout, wrong.stderr], [1, "", "strongroom: Wrong passphrase. Try again.\n"]);
  const nothing = await installation.run(["audit", "key"]);
  assert.equal(nothing.stderr, "strongroom: No input.\n");
});

test("rekey switches back to a key file, and refuses a short passphrase or two options at once", async () => {
  const short = join(installation.folder, "short");
  writeFileSync(short, "too short\n");
  const env = { STRONGROOM_PASSPHRASE_FILE: passphraseFile };
  const calls = [
    { words: ["rekey", "--passphrase-file", short], says: /at least 15 characters/ },
    { words: ["rekey", "--passphrase-file", join(installation.folder, "none")], says: /cannot be read/ },
    { words: ["rekey", "--passphrase"], says: /Without a terminal, pass the new passphrase with --passphrase-file/ },
    { words: ["rekey", "--key-file", "--passphrase"], says: /Choose only one of --key-file/ },
  ];
  for (const { words, says } of calls) {
    const ran = await installation.run(words, { env });
    assert.notEqual(ran.status, 0, words.join(" "));
    assert.match(ran.stderr, says);
  }
  const back = await installation.run(["rekey", "--key-file"], { env });
  assert.equal(back.status, 0, back.stderr);
  assert.match(back.stdout, /Earlier backups still need the old passphrase/);
  await until(async () => (await call(server, readSeal)).body.provider === "key-file");
  assert.equal(await reveal(server, admin, credential), SECRET);

  await server.stop();
  server = await installation.start();
  assert.equal(await reveal(server, await signIn(server, ADMIN), credential), SECRET);
});

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 40_000; !(await isSo()); await delay(20))
    assert.ok(Date.now() < end, "it never happened");
}
