import assert from "node:assert/strict";
import { createHmac, hkdfSync } from "node:crypto";
import { test } from "node:test";
import { backupMac } from "./backup-mac.ts";
import { SealedError } from "./errors.ts";
import { KeyRing } from "./key-ring.ts";
import { RootKey } from "./root-key.ts";

const message = Buffer.from('{"format":"strongroom-backup/2"}');

test("a manifest's MAC is HMAC-SHA-256 under a key that HKDF derives from the root key for this purpose", () => {
  const bytes = Buffer.alloc(32, 7);
  const key = Buffer.from(hkdfSync("sha256", bytes, "", "strongroom/backup-manifest/v1", 32));
  const expected = createHmac("sha256", key).update(message).digest();
  assert.deepEqual(backupMac(RootKey.fromBytes(bytes), message), expected);
});

test("a different root key or message gives a different MAC", () => {
  const root = RootKey.generate();
  const mac = backupMac(root, message);
  assert.notDeepEqual(backupMac(RootKey.generate(), message), mac);
  assert.notDeepEqual(backupMac(root, Buffer.concat([message, Buffer.from(" ")])), mac);
});

test("an unsealed key ring computes a backup MAC, a sealed one throws", async () => {
  const store = {
    load: async () => [],
    find: async () => null,
    insert: async () => assert.fail(),
    replaceAll: async () => assert.fail(),
  };
  const ring = new KeyRing(store);
  assert.throws(() => ring.backupMac(message), SealedError);
  const root = RootKey.generate();
  await ring.unseal(root.copy());
  assert.deepEqual(ring.backupMac(message), backupMac(root, message));
  ring.seal();
  assert.throws(() => ring.backupMac(message), SealedError);
});
