import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import * as fc from "fast-check";
import { MemoryKekStore, StoreFailure, type Step } from "../testing/memory-kek-store.ts";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { envelopeKekId, openSecret, sealSecret } from "./envelope.ts";
import { KekError } from "./errors.ts";
import { Kek, unwrapKek, wrapKek } from "./kek.ts";
import { keyFileProvider } from "./key-file-provider.ts";
import { readKeyFile } from "./key-file.ts";
import { KeyRing } from "./key-ring.ts";
import { passphraseProvider } from "./passphrase-provider.ts";
import { rekeyRoot } from "./rekey.ts";
import type { SealProvider } from "./seal-provider.ts";
import { Secret } from "./secret.ts";

const people = ["ann", "bob", "eve"];
const context = { purpose: "credential", recordId: "r-1", version: 1 };
const least = { memory: 19_456, passes: 2, parallelism: 1 };

/** A database of three vaults with one secret in each, sealed by a key file. */
async function aVault(t: TestContext) {
  const folder = temporaryFolder(t);
  const path = join(folder, "root.key");
  const provider = keyFileProvider(path);
  const { root, record } = await provider.create();
  const store = new MemoryKekStore(record);
  const ring = new KeyRing(store);
  await ring.unseal(await provider.open(record));
  const envelopes: Buffer[] = [];
  for (const person of people) {
    envelopes.push(sealSecret(await ring.kekFor(`vault:${person}`), context, Secret.fromText(`${person}'s password`)));
  }
  return { folder, path, provider, root, store, envelopes };
}

/** Restarts: asks the provider for the root key that the database names, and opens everything. */
async function assertOpens(store: MemoryKekStore, provider: SealProvider, envelopes: Buffer[]): Promise<void> {
  store.failing = null;
  const ring = new KeyRing(store);
  await ring.unseal(await provider.open(store.sealRecord));
  for (const [index, person] of people.entries()) {
    const envelope = envelopes[index] ?? assert.fail("no envelope");
    const kek = await ring.kekById(envelopeKekId(envelope));
    assert.equal(openSecret(kek, context, envelope).reveal(), `${person}'s password`);
    assert.equal(await ring.kekFor(`vault:${person}`), kek);
  }
}

test("after a rekey everything opens with the new root key, and nothing with the old one", async (t) => {
  const { path, provider, root, store, envelopes } = await aVault(t);
  const before = store.keks;
  const next = await rekeyRoot(store, root, provider);
  assert.notEqual(next.root.id, root.id);
  assert.deepEqual(store.sealRecord, next.record);
  assert.equal(readKeyFile(path).id, next.root.id);
  for (const [index, kek] of store.keks.entries()) {
    assert.throws(() => unwrapKek(root, kek), { code: "kek.other-root-key" });
    assert.throws(() => unwrapKek(root, { ...kek, rootKeyId: root.id }), { code: "kek.refused" });
    assert.notDeepEqual(kek.wrapped, before[index]?.wrapped);
  }
  await assertOpens(store, provider, envelopes);
});

test("a rekey switches from a key file to a passphrase and back", async (t) => {
  const { provider, root, store, envelopes } = await aVault(t);
  const passphrase = passphraseProvider(Secret.fromText("correct horse battery"), least);
  const second = await rekeyRoot(store, root, passphrase);
  assert.equal(store.sealRecord.provider, "passphrase");
  await assertOpens(store, passphrase, envelopes);
  await assert.rejects(provider.open(store.sealRecord), { code: "seal-record.other-provider" });
  await rekeyRoot(store, second.root, provider);
  assert.equal(store.sealRecord.provider, "key-file");
  await assertOpens(store, provider, envelopes);
});

test("a rekey changes the passphrase, and the old one no longer opens", async (t) => {
  const { root, store, envelopes } = await aVault(t);
  const old = passphraseProvider(Secret.fromText("correct horse battery"), least);
  const next = passphraseProvider(Secret.fromText("a much better passphrase"), least);
  const { root: oldRoot } = await rekeyRoot(store, root, old);
  await rekeyRoot(store, oldRoot, next);
  await assertOpens(store, next, envelopes);
  await assert.rejects(old.open(store.sealRecord), { code: "passphrase.wrong" });
});

test("a database backup from before a rekey opens with the files on disk", async (t) => {
  const { provider, root, store, envelopes } = await aVault(t);
  const backup = new MemoryKekStore(store.sealRecord);
  backup.keks = [...store.keks];
  await rekeyRoot(store, root, provider);
  await assertOpens(backup, provider, envelopes);
  await assertOpens(store, provider, envelopes);
});

const failures: { step: Step; when: "before" | "after"; commits: boolean; leavesStagedKey: boolean }[] = [
  { step: "load", when: "before", commits: false, leavesStagedKey: false },
  { step: "load", when: "after", commits: false, leavesStagedKey: false },
  { step: "replaceAll", when: "before", commits: false, leavesStagedKey: true },
  { step: "replaceAll", when: "after", commits: true, leavesStagedKey: true },
];

for (const { step, when, commits, leavesStagedKey } of failures) {
  test(`a rekey whose store fails ${when} ${step} leaves the ${commits ? "new" : "old"} state intact`, async (t) => {
    const { folder, provider, root, store, envelopes } = await aVault(t);
    store.failing = { step, when };
    await assert.rejects(rekeyRoot(store, root, provider), StoreFailure);
    assert.equal(store.sealRecord.rootKeyId === root.id, !commits);
    assert.equal(readdirSync(folder).length, leavesStagedKey ? 2 : 1);
    await assertOpens(store, provider, envelopes);
    await assertOpens(store, provider, envelopes);
    await rekeyRoot(store, await provider.open(store.sealRecord), provider);
    await assertOpens(store, provider, envelopes);
  });
}

test("the next start finishes a rekey that was killed after its commit", async (t) => {
  const { path, provider, root, store, envelopes } = await aVault(t);
  const killed = new Error("killed");
  const interrupted: SealProvider = {
    ...provider,
    stage: async () => ({ ...(await provider.stage()), putInPlace: () => Promise.reject(killed) }),
  };
  await assert.rejects(rekeyRoot(store, root, interrupted), killed);
  assert.equal(readKeyFile(path).id, root.id);
  assert.notEqual(store.sealRecord.rootKeyId, root.id);
  await assertOpens(store, provider, envelopes);
  assert.equal(readKeyFile(path).id, store.sealRecord.rootKeyId);
});

test("the new root key is on disk before the database names it", async (t) => {
  const { path, provider, root, store } = await aVault(t);
  const seen: boolean[] = [];
  const replaceAll = store.replaceAll.bind(store);
  store.replaceAll = (keks, record, oldRootKeyId) => {
    seen.push(
      existsSync(`${path}.${record.rootKeyId}`) && readKeyFile(`${path}.${record.rootKeyId}`).id === record.rootKeyId,
    );
    return replaceAll(keks, record, oldRootKeyId);
  };
  await rekeyRoot(store, root, provider);
  assert.deepEqual(seen, [true]);
});

test("a rekey stops before it changes anything when a KEK does not open", async (t) => {
  const { folder, provider, root, store } = await aVault(t);
  const damaged = { ...(store.keks[1] ?? assert.fail()), wrapped: Buffer.alloc(84) };
  store.keks = [store.keks[0] ?? assert.fail(), damaged, store.keks[2] ?? assert.fail()];
  const before = [...store.keks];
  await assert.rejects(rekeyRoot(store, root, provider), { name: "KekError", kekId: damaged.id });
  assert.deepEqual(store.keks, before);
  assert.equal(store.sealRecord.rootKeyId, root.id);
  assert.deepEqual(readdirSync(folder), ["root.key"]);
});

test("a rekey from a root key that is not the current one changes nothing", async (t) => {
  const { folder, provider, root, store } = await aVault(t);
  const { root: second } = await rekeyRoot(store, root, provider);
  const files = readdirSync(folder);
  await assert.rejects(rekeyRoot(store, root, provider), { code: "kek.other-root-key" });
  assert.equal(store.sealRecord.rootKeyId, second.id);
  assert.deepEqual(readdirSync(folder), files);
});

test("a KEK created during a rekey is rewrapped too", async (t) => {
  const { provider, root, store, envelopes } = await aVault(t);
  const late = wrapKek(root, Kek.generate("vault:late"));
  store.pause = async (step) => {
    if (step === "replaceAll" && store.keks.length === people.length) store.keks.push(late);
  };
  const { root: next } = await rekeyRoot(store, root, provider);
  assert.equal(store.calls.filter((step) => step === "replaceAll").length, 2);
  const stored = store.keks.find(({ id }) => id === late.id) ?? assert.fail("lost");
  assert.equal(unwrapKek(next, stored).purpose, "vault:late");
  await assertOpens(store, provider, envelopes);
});

test("two concurrent rekeys: one succeeds and the other changes nothing", async (t) => {
  const { folder, provider, root, store, envelopes } = await aVault(t);
  const results = await Promise.allSettled([rekeyRoot(store, root, provider), rekeyRoot(store, root, provider)]);
  const [done, refused] = results.toSorted((one, other) => one.status.localeCompare(other.status));
  assert.ok(done?.status === "fulfilled" && refused?.status === "rejected");
  assert.ok(refused.reason instanceof KekError && refused.reason.code === "kek.other-root-key");
  assert.equal(store.sealRecord.rootKeyId, done.value.root.id);
  assert.deepEqual(readdirSync(folder).toSorted(), ["root.key", `root.key.${root.id}`]);
  await assertOpens(store, provider, envelopes);
});

test("a rekey gives up and discards its staged key when new KEKs keep arriving", async (t) => {
  const { folder, provider, root, store, envelopes } = await aVault(t);
  let arrived = 0;
  store.pause = async (step) => {
    if (step === "replaceAll") store.keks.push(wrapKek(root, Kek.generate(`vault:late-${(arrived += 1)}`)));
  };
  await assert.rejects(rekeyRoot(store, root, provider), { code: "root-key.changed" });
  assert.deepEqual(readdirSync(folder), ["root.key"]);
  await assertOpens(store, provider, envelopes);
});

test("no interleaving of KEK creation and rekey in two processes loses a sealed secret", async (t) => {
  const folder = temporaryFolder(t);
  let round = 0;
  let opened = 0;
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const provider = keyFileProvider(join(folder, `key-${(round += 1)}`));
      const { root, record } = await provider.create();
      const store = new MemoryKekStore(record);
      const rings = [new KeyRing(store), new KeyRing(store)];
      for (const ring of rings) await ring.unseal(await provider.open(record));
      store.pause = (step) => scheduler.schedule(Promise.resolve(), step);

      const sealed: { envelope: Buffer; text: string }[] = [];
      const creating = rings.flatMap((ring, process) =>
        people.map(async (person) => {
          const text = `${person} in process ${process}`;
          const kek = await ring.kekFor(`vault:${person}`);
          sealed.push({ envelope: sealSecret(kek, context, Secret.fromText(text)), text });
        }),
      );
      await scheduler.waitFor(Promise.allSettled([...creating, rekeyRoot(store, root, provider)]));

      store.pause = async () => {};
      const restarted = new KeyRing(store);
      await restarted.unseal(await provider.open(store.sealRecord));
      for (const { envelope, text } of sealed) {
        const kek = await restarted.kekById(envelopeKekId(envelope));
        assert.equal(openSecret(kek, context, envelope).reveal(), text);
        opened += 1;
      }
      assert.ok(store.keks.every((kek) => kek.rootKeyId === store.sealRecord.rootKeyId));
    }),
    { numRuns: 100 },
  );
  assert.ok(opened > 100, `only ${opened} secrets were sealed before their rekey`);
});
