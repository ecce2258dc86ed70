import assert from "node:assert/strict";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, beforeEach, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Secret, SealError, keyFileProvider, parseSealRecord, passphraseProvider, rekeyRoot } from "@strongroom/keys";
import type { SealProvider } from "@strongroom/keys";
import { readConfig } from "#kernel/config.ts";
import type { Config } from "#kernel/config.ts";
import { createEvents } from "#kernel/events/events.ts";
import { asRefusal } from "#kernel/http/problem.ts";
import { openLog } from "#kernel/log.ts";
import { testDatabase } from "#kernel/testing/test-database.ts";
import type { TestDatabase } from "#kernel/testing/test-database.ts";
import { followRekeys, rootKeyChanged } from "./follow-rekeys.ts";
import { createKekStore, readSealRecord } from "./kek-store.ts";
import { openKeyRing } from "./open-key-ring.ts";
import type { SealableKeyRing } from "./open-key-ring.ts";

const log = openLog("silent");
const folder = mkdtempSync(join(tmpdir(), "strongroom-rekey-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const passphraseFile = join(folder, "passphrase");
const cheap = { memory: 19_456, passes: 2, parallelism: 1 };
const newPassphrase = (): Secret => Secret.fromText("correct horse battery staple");

let own: TestDatabase;
let config: Config;
const stops: (() => Promise<void>)[] = [];

beforeEach(async () => {
  own = await testDatabase();
  rmSync(join(folder, "root.key"), { force: true });
  config = readConfig({ STRONGROOM_DATA: folder });
});
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
  await own.drop();
});

/** Opens a vault as a process does. It follows rekeys unless told otherwise. */
async function aServer({ as = config, follows = true } = {}): Promise<SealableKeyRing> {
  const vault = await openKeyRing(as, own.database, log);
  const events = createEvents(own.database, log);
  await events.start();
  stops.push(() => events.stop());
  if (follows) await followRekeys(events, vault, log);
  return vault;
}

/** Replaces the root key as the command line does. */
async function rekey(next: SealProvider, announces = true): Promise<void> {
  const record = parseSealRecord(await readSealRecord(own.database));
  const current =
    record.provider === "key-file" ? keyFileProvider(config.keyFile) : passphraseProvider(newPassphrase());
  await rekeyRoot(createKekStore(own.database), await current.open(record), next);
  if (announces) await own.database.transaction((tx) => createEvents(own.database, log).publish(tx, rootKeyChanged));
}

/** Waits until the condition holds; a server learns of a rekey through the database. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 40_000; !(await isSo()); await delay(5)) assert.ok(Date.now() < end, "it came to be");
}

const canMake = (vault: SealableKeyRing, purpose: string): Promise<boolean> =>
  vault.ring.kekFor(purpose).then(
    () => true,
    (error: unknown) => {
      assert.ok(error instanceof SealError && error.code === "root-key.changed", String(error));
      assert.equal(asRefusal(error)?.status, 503, "and a call that needs it is refused, not broken");
      return false;
    },
  );

test("a running server loads a new root key from its key file and keeps every key", async () => {
  const vault = await aServer();
  const before = await vault.ring.kekFor("kept");
  await rekey(keyFileProvider(config.keyFile));
  await until(() => canMake(vault, "made-after"));
  assert.equal((await vault.ring.kekFor("kept")).id, before.id);
});

test("a server does not miss a rekey between opening the vault and listening", async () => {
  const vault = await openKeyRing(config, own.database, log);
  await rekey(keyFileProvider(config.keyFile), false);
  assert.equal(await canMake(vault, "too-late"), false);
  const events = createEvents(own.database, log);
  await events.start();
  stops.push(() => events.stop());
  await followRekeys(events, vault, log);
  assert.equal(await canMake(vault, "in-time"), true);
});

test("a server without the new key file keeps its loaded keys", async () => {
  const elsewhere = join(folder, "elsewhere.key");
  const vault = await aServer();
  const before = await vault.ring.kekFor("kept");
  await rekey(keyFileProvider(config.keyFile), false);
  renameSync(config.keyFile, elsewhere);
  await vault.follow();
  assert.equal(vault.ring.isSealed, false);
  assert.equal((await vault.ring.kekFor("kept")).id, before.id);
  assert.equal(await canMake(vault, "new"), false);
});

test("a rekey to a passphrase seals a running server until it is unsealed", async () => {
  const vault = await aServer();
  await vault.ring.kekFor("kept");
  await rekey(passphraseProvider(newPassphrase(), cheap));
  await until(() => vault.ring.isSealed);
  assert.equal(vault.provider, "passphrase");
  await vault.unsealWith(newPassphrase());
  assert.equal(await canMake(vault, "new"), true);
});

test("a server continues automatically if its passphrase file has the new passphrase", async () => {
  writeFileSync(passphraseFile, "correct horse battery staple\n");
  const vault = await aServer({ as: { ...config, passphraseFile } });
  await rekey(passphraseProvider(newPassphrase(), cheap));
  await until(() => vault.provider === "passphrase");
  await until(() => canMake(vault, "new"));
  assert.equal(vault.ring.isSealed, false);
});

test("a server is sealed if its passphrase file is outdated or unreadable", async () => {
  writeFileSync(passphraseFile, "another passphrase altogether\n");
  const outdated = await aServer({ as: { ...config, passphraseFile } });
  const unreadable = await aServer({ as: { ...config, passphraseFile: join(folder, "nothing") } });
  await rekey(passphraseProvider(newPassphrase(), cheap));
  await until(() => outdated.ring.isSealed && unreadable.ring.isSealed);
});

test("a sealed server stays sealed through a rekey and opens with the new passphrase", async () => {
  const sealed = await aServer();
  sealed.ring.seal();
  await rekey(passphraseProvider(newPassphrase(), cheap));
  await until(() => sealed.provider === "passphrase");
  assert.equal(sealed.ring.isSealed, true);
  await sealed.unsealWith(newPassphrase());
  assert.equal(sealed.ring.isSealed, false);
});
