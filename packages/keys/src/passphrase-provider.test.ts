import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { inspect } from "node:util";
import { SealError } from "./errors.ts";
import { lengthPrefixed } from "./length-prefixed.ts";
import { defaultPassphraseParameters, passphraseProvider } from "./passphrase-provider.ts";
import type { PassphraseSealRecord, SealRecord } from "./seal-record.ts";
import { rootKeyObject } from "./root-key.ts";
import { Secret } from "./secret.ts";

const PASSPHRASE = "correct horse battery staple";
/** The cheapest accepted costs: these tests are about the format, not the cost. */
const least = { memory: 19_456, passes: 2, parallelism: 1 };
const provider = passphraseProvider(Secret.fromText(PASSPHRASE), least);
const { root, record } = await provider.create();
assert.ok(record.provider === "passphrase");

const golden: PassphraseSealRecord = {
  version: 1,
  provider: "passphrase",
  rootKeyId: "a7f469248e3cacd4df0742f5925ce654",
  parameters: { memory: 19456, passes: 2, parallelism: 1 },
  salt: "PyeUj5p0UGYCS3DpA_N_6A",
  check: "rpQyk6I8iWL4zmrdAeIX9GGhl1PFcn73PFxhpJQsMbc",
  checksum: "e7wjrOdpc0cUufB3y-7HKzh7G2YpeASIUjlv6ebqlNk",
};

async function refusal(opening: Promise<unknown>): Promise<string> {
  try {
    await opening;
  } catch (error) {
    assert.ok(error instanceof SealError, inspect(error));
    return error.code;
  }
  return assert.fail("it opened");
}

test("the right passphrase gives the same root key at every start", async () => {
  const opened = await provider.open(JSON.parse(JSON.stringify(record)));
  assert.equal(opened.id, root.id);
  assert.ok(rootKeyObject(opened).equals(rootKeyObject(root)));
});

test("a record stored by the first version still opens", async () => {
  assert.equal((await provider.open(golden)).id, golden.rootKeyId);
});

test("a wrong passphrase is reported as such", async () => {
  for (const wrong of ["", "Correct horse battery staple", `${PASSPHRASE} `, "x".repeat(5000)]) {
    const code = await refusal(passphraseProvider(Secret.fromText(wrong)).open(record));
    assert.equal(code, "passphrase.wrong");
  }
});

test("a damaged record is reported as such, whatever the passphrase", async () => {
  const damaged: SealRecord[] = [
    { ...record, rootKeyId: "0".repeat(32) },
    { ...record, parameters: { ...least, passes: 3 } },
    { ...record, parameters: { ...least, memory: 19_457 } },
    { ...record, parameters: { ...least, parallelism: 2 } },
    { ...record, salt: golden.salt },
    { ...record, check: golden.check },
    { ...record, checksum: golden.checksum },
  ];
  for (const bad of damaged) {
    assert.equal(await refusal(provider.open(bad)), "seal-record.corrupt");
    assert.equal(await refusal(passphraseProvider(Secret.fromText("wrong")).open(bad)), "seal-record.corrupt");
  }
});

test("a check value from a different record is rejected even with a recomputed checksum", async () => {
  const other = await provider.create();
  assert.ok(other.record.provider === "passphrase");
  const forged = { ...record, rootKeyId: other.root.id };
  const fields = ["1", "passphrase", forged.rootKeyId, "19456", "2", "1", forged.salt];
  const checksum = createHash("sha256")
    .update(lengthPrefixed(lengthPrefixed(...fields), forged.check))
    .digest();
  const code = await refusal(provider.open({ ...forged, checksum: checksum.toString("base64url") }));
  assert.equal(code, "passphrase.wrong");
});

test("the same passphrase gives a different root key each time it seals a database", async () => {
  assert.notEqual((await provider.create()).root.id, root.id);
});

test("an accented passphrase opens however the keyboard composes it", async () => {
  const composed = passphraseProvider(Secret.fromText("caf\u00e9 caf\u00e9 caf\u00e9 caf\u00e9"), least);
  const decomposed = passphraseProvider(Secret.fromText("cafe\u0301 cafe\u0301 cafe\u0301 cafe\u0301"), least);
  const sealed = await composed.create();
  assert.equal((await decomposed.open(sealed.record)).id, sealed.root.id);
});

test("a passphrase has at least 15 characters, counted as code points", async () => {
  for (const short of ["", "x".repeat(14), "🔑".repeat(14), "e\u0301".repeat(14)]) {
    assert.equal(await refusal(passphraseProvider(Secret.fromText(short), least).create()), "passphrase.too-short");
  }
  assert.ok(await passphraseProvider(Secret.fromText("🔑".repeat(15)), least).create());
});

test("costs that are too low or too high are rejected when sealing and when opening", async () => {
  const bad = [
    { ...least, memory: 19_455 },
    { ...least, memory: 2_097_153 },
    { ...least, passes: 1 },
    { ...least, passes: 65 },
    { ...least, parallelism: 0 },
    { ...least, parallelism: 17 },
    { ...least, memory: 20_000.5 },
  ];
  for (const parameters of bad) {
    const sealing = passphraseProvider(Secret.fromText(PASSPHRASE), parameters).create();
    assert.equal(await refusal(sealing), "passphrase.parameters");
    assert.equal(await refusal(provider.open({ ...record, parameters })), "passphrase.parameters");
  }
});

test("a passphrase does not open a database sealed by a key file", async () => {
  const byFile: SealRecord = { version: 1, provider: "key-file", rootKeyId: root.id };
  assert.equal(await refusal(provider.open(byFile)), "seal-record.other-provider");
});

test("the default costs can seal and open", async () => {
  const byDefault = passphraseProvider(Secret.fromText(PASSPHRASE));
  const sealed = await byDefault.create();
  assert.ok(sealed.record.provider === "passphrase");
  assert.deepEqual(sealed.record.parameters, defaultPassphraseParameters);
  assert.equal((await byDefault.open(sealed.record)).id, sealed.root.id);
});

test("a record holds neither the passphrase nor the root key", () => {
  const stored = JSON.stringify(record);
  const key = rootKeyObject(root).export();
  for (const kept of [PASSPHRASE, key.toString("hex"), key.toString("base64url")]) assert.ok(!stored.includes(kept));
});
