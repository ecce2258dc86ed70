import assert from "node:assert/strict";
import { test } from "node:test";
import { Gate } from "../testing/gate.ts";
import { MemoryKekStore, StoreFailure } from "../testing/memory-kek-store.ts";
import { openSecret, sealSecret } from "./envelope.ts";
import { KekError, SealedError, SealError } from "./errors.ts";
import { Kek, unwrapKek, wrapKek } from "./kek.ts";
import { KeyRing } from "./key-ring.ts";
import { RootKey, rootKeyObject } from "./root-key.ts";
import { Secret } from "./secret.ts";

const context = { purpose: "credential", recordId: "r-1", version: 1 };
const unknownId = "00000000-0000-4000-8000-000000000000";

function aStore() {
  const root = RootKey.generate();
  const store = new MemoryKekStore({ version: 1, provider: "key-file", rootKeyId: root.id });
  return { root, store };
}

/** A separate copy of the root key, as another process would have. */
function copyOf(root: RootKey): RootKey {
  return RootKey.fromBytes(rootKeyObject(root).export());
}

async function anUnsealedRing() {
  const { root, store } = aStore();
  const ring = new KeyRing(store);
  await ring.unseal(copyOf(root));
  return { root, store, ring };
}

/** Changes the store as a rekey would. */
function rekeyed(store: MemoryKekStore, from: RootKey, to: RootKey): void {
  store.keks = store.keks.map((kek) => wrapKek(to, unwrapKek(from, kek)));
  store.sealRecord = { version: 1, provider: "key-file", rootKeyId: to.id };
}

test("a key ring is sealed and returns no key until it is unsealed", async () => {
  const { root, store } = aStore();
  const ring = new KeyRing(store);
  assert.equal(ring.isSealed, true);
  await assert.rejects(ring.kekFor("vault:ann"), SealedError);
  await assert.rejects(ring.kekById(unknownId), SealedError);
  assert.throws(() => ring.cached(unknownId), SealedError);
  assert.deepEqual(store.calls, []);
  await ring.unseal(root);
  assert.equal(ring.isSealed, false);
  assert.equal((await ring.kekFor("vault:ann")).purpose, "vault:ann");
});

test("a wrong root key does not unseal", async () => {
  const { ring: first, store } = await anUnsealedRing();
  await first.kekFor("vault:ann");
  const ring = new KeyRing(store);
  await assert.rejects(ring.unseal(RootKey.generate()), { code: "kek.other-root-key" });
  assert.equal(ring.isSealed, true);
  await assert.rejects(first.unseal(RootKey.generate()), { code: "kek.other-root-key" });
  assert.equal(first.isSealed, false);
});

test("a KEK is created on demand, once, and found after a restart", async () => {
  const { root, store, ring } = await anUnsealedRing();
  const envelope = sealSecret(await ring.kekFor("vault:ann"), context, Secret.fromText("s3cret"));
  assert.equal(await ring.kekFor("vault:ann"), await ring.kekFor("vault:ann"));
  assert.notEqual(await ring.kekFor("vault:bob"), await ring.kekFor("vault:ann"));
  assert.equal(store.keks.length, 2);

  const restarted = new KeyRing(store);
  await restarted.unseal(copyOf(root));
  assert.equal(openSecret(await restarted.kekFor("vault:ann"), context, envelope).reveal(), "s3cret");
  assert.equal(store.keks.length, 2);
});

test("concurrent calls share one creation", async () => {
  const { store, ring } = await anUnsealedRing();
  const keks = await Promise.all(Array.from({ length: 50 }, () => ring.kekFor("vault:ann")));
  assert.equal(new Set(keks).size, 1);
  assert.deepEqual(store.calls, ["load", "insert"]);
});

test("when two processes create the KEK for one purpose at once, both use the stored one", async () => {
  const { root, store, ring } = await anUnsealedRing();
  const other = new KeyRing(store);
  await other.unseal(copyOf(root));
  const [ours, theirs] = await Promise.all([ring.kekFor("vault:ann"), other.kekFor("vault:ann")]);
  assert.equal(ours.id, theirs.id);
  assert.equal(store.keks.length, 1);
  const envelope = sealSecret(ours, context, Secret.fromText("s3cret"));
  assert.equal(openSecret(theirs, context, envelope).reveal(), "s3cret");
});

test("a KEK that another process created is loaded by its id, once, and then cached", async () => {
  const { root, store, ring } = await anUnsealedRing();
  const other = new KeyRing(store);
  await other.unseal(copyOf(root));
  const { id } = await ring.kekFor("vault:ann");
  assert.equal(other.cached(id), null);
  store.calls = [];
  const found = await Promise.all(Array.from({ length: 10 }, () => other.kekById(id)));
  assert.equal(new Set(found).size, 1);
  assert.deepEqual(store.calls, ["find"]);
  assert.equal(other.cached(id), found[0]);
  assert.equal(await other.kekFor("vault:ann"), found[0]);
});

test("an unknown KEK id is reported by its id and looked up again the next time", async () => {
  const { root, store, ring } = await anUnsealedRing();
  await assert.rejects(ring.kekById(unknownId), (error) => {
    assert.ok(error instanceof KekError);
    assert.deepEqual([error.code, error.kekId], ["kek.unknown", unknownId]);
    return true;
  });
  const late = wrapKek(root, Kek.generate("vault:late"));
  store.keks.push(late);
  await assert.rejects(ring.kekById(unknownId), { code: "kek.unknown" });
  assert.equal((await ring.kekById(late.id)).purpose, "vault:late");
});

test("a failed store call is retried, and its stored KEK is used if it did commit", async () => {
  const { store, ring } = await anUnsealedRing();
  store.failing = { step: "insert", when: "before" };
  const both = await Promise.allSettled([ring.kekFor("vault:ann"), ring.kekFor("vault:ann")]);
  assert.ok(both.every((result) => result.status === "rejected" && result.reason instanceof StoreFailure));
  assert.equal(store.keks.length, 0);
  store.failing = { step: "insert", when: "after" };
  await assert.rejects(ring.kekFor("vault:ann"), StoreFailure);
  store.failing = null;
  assert.equal((await ring.kekFor("vault:ann")).id, store.keks[0]?.id);
  assert.equal(store.keks.length, 1);
});

test("sealing disposes of every key, including those in use", async () => {
  const { root, store, ring } = await anUnsealedRing();
  const kek = await ring.kekFor("vault:ann");
  const envelope = sealSecret(kek, context, Secret.fromText("s3cret"));
  ring.seal();
  assert.equal(ring.isSealed, true);
  await assert.rejects(ring.kekFor("vault:ann"), SealedError);
  assert.throws(() => ring.cached(kek.id), SealedError);
  assert.throws(() => sealSecret(kek, context, Secret.fromText("more")), SealedError);
  assert.throws(() => openSecret(kek, context, envelope), SealedError);
  ring.seal();

  await ring.unseal(copyOf(root));
  assert.equal(openSecret(await ring.kekById(kek.id), context, envelope).reveal(), "s3cret");
  assert.equal(store.keks.length, 1);
});

test("sealing disposes of the root key that unsealed the ring", async () => {
  const { root, store } = aStore();
  const ring = new KeyRing(store);
  await ring.unseal(root);
  ring.seal();
  assert.throws(() => rootKeyObject(root), SealedError);
});

test("a key requested before a seal does not arrive after it", async () => {
  for (const step of ["insert", "find"] as const) {
    const { root, store, ring } = await anUnsealedRing();
    const stored = wrapKek(root, Kek.generate("vault:bob"));
    store.keks.push(stored);
    const gate = new Gate();
    store.pause = (at) => (at === step ? gate.pass() : Promise.resolve());
    const asked = step === "insert" ? ring.kekFor("vault:ann") : ring.kekById(stored.id);
    await gate.reached;
    ring.seal();
    gate.open();
    await assert.rejects(asked, SealedError);
    assert.equal(ring.isSealed, true);
  }
});

test("a seal during an unseal takes precedence", async () => {
  const { root, store } = aStore();
  const gate = new Gate();
  store.pause = () => gate.pass();
  const ring = new KeyRing(store);
  const unsealing = ring.unseal(root);
  await gate.reached;
  ring.seal();
  gate.open();
  await assert.rejects(unsealing, SealedError);
  assert.equal(ring.isSealed, true);
});

test("one damaged KEK does not prevent others from opening", async () => {
  const { root, store, ring: first } = await anUnsealedRing();
  const ann = await first.kekFor("vault:ann");
  const bob = await first.kekFor("vault:bob");
  store.keks = store.keks.map((kek) => (kek.id === ann.id ? { ...kek, wrapped: Buffer.alloc(84) } : kek));
  const ring = new KeyRing(store);
  await ring.unseal(copyOf(root));
  assert.equal((await ring.kekFor("vault:bob")).id, bob.id);
  await assert.rejects(ring.kekFor("vault:ann"), { code: "kek.malformed", kekId: ann.id });
});

test("a KEK row moved to a different purpose does not open", async () => {
  const { root, store, ring: first } = await anUnsealedRing();
  const ann = await first.kekFor("vault:ann");
  await first.kekFor("vault:bob");
  store.keks = store.keks.map((kek) => ({ ...kek, purpose: kek.id === ann.id ? "vault:bob" : "vault:ann" }));
  const ring = new KeyRing(store);
  await ring.unseal(copyOf(root));
  await assert.rejects(ring.kekFor("vault:ann"), { code: "kek.refused" });
  await assert.rejects(ring.kekById(ann.id), { code: "kek.refused" });
});

test("a process that missed a rekey creates no KEK under the old root key and continues once it has the new one", async () => {
  const { root, store, ring } = await anUnsealedRing();
  const ann = await ring.kekFor("vault:ann");
  const next = RootKey.generate();
  rekeyed(store, root, next);

  assert.equal(await ring.kekFor("vault:ann"), ann);
  await assert.rejects(ring.kekFor("vault:new"), { name: "SealError", code: "root-key.changed" });
  const elsewhere = wrapKek(next, Kek.generate("vault:elsewhere"));
  store.keks.push(elsewhere);
  await assert.rejects(ring.kekById(elsewhere.id), SealError);

  await ring.unseal(copyOf(next));
  assert.equal(await ring.kekFor("vault:ann"), ann);
  assert.ok(sealSecret(ann, context, Secret.fromText("still in use")));
  assert.equal((await ring.kekById(elsewhere.id)).purpose, "vault:elsewhere");
  assert.equal((await ring.kekFor("vault:new")).purpose, "vault:new");
});

test("unsealing again disposes of the previous root key", async () => {
  const { root, store } = aStore();
  const ring = new KeyRing(store);
  await ring.unseal(root);
  await ring.unseal(root);
  assert.ok(rootKeyObject(root));
  const again = copyOf(root);
  await ring.unseal(again);
  assert.throws(() => rootKeyObject(root), SealedError);
  assert.ok(await ring.kekFor("vault:ann"));
});

test("a key requested before a new unseal arrives after it", async () => {
  const { root, store, ring } = await anUnsealedRing();
  const next = RootKey.generate();
  const gate = new Gate();
  const stored = wrapKek(root, Kek.generate("vault:bob"));
  store.keks.push(stored);
  store.pause = (at) => (at === "find" ? gate.pass() : Promise.resolve());
  const asked = ring.kekById(stored.id);
  await gate.reached;
  rekeyed(store, root, next);
  await ring.unseal(copyOf(next));
  gate.open();
  assert.equal((await asked).purpose, "vault:bob");
});

test("forgetting a KEK disposes of it for every caller, and its purpose gets a new one", async () => {
  const { store, ring } = await anUnsealedRing();
  const [gone, kept] = [await ring.kekFor("safe:1"), await ring.kekFor("safe:2")];
  const envelope = sealSecret(gone, context, Secret.fromText("s3cret"));
  store.keks = store.keks.filter(({ id }) => id !== gone.id);
  ring.forget(gone.id);
  ring.forget(unknownId);
  assert.throws(() => openSecret(gone, context, envelope), SealedError);
  await assert.rejects(ring.kekById(gone.id), { code: "kek.unknown" });
  assert.notEqual((await ring.kekFor("safe:1")).id, gone.id);
  assert.equal(await ring.kekFor("safe:2"), kept);
});

test("forgetting also drops a KEK that was loaded but not used; a sealed ring ignores the call", async () => {
  const { root, store, ring } = await anUnsealedRing();
  const { id } = await ring.kekFor("safe:1");
  const other = new KeyRing(store);
  other.forget(id);
  await other.unseal(copyOf(root));
  store.keks = [];
  other.forget(id);
  assert.equal(other.cached(id), null);
});
