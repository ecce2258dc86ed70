import assert from "node:assert/strict";
import { createDecipheriv, hkdfSync } from "node:crypto";
import { test } from "node:test";
import { inspect } from "node:util";
import * as fc from "fast-check";
import { flippedBits } from "../testing/flipped-bits.ts";
import { envelopeKekId, openSecret, sealSecret, type EnvelopeContext } from "./envelope.ts";
import { EnvelopeError, SealedError, type EnvelopeErrorCode } from "./errors.ts";
import { Kek, kekKeyObject, unwrapKek } from "./kek.ts";
import { RootKey } from "./root-key.ts";
import { Secret } from "./secret.ts";

const kek = Kek.generate("vault:ann");
const context: EnvelopeContext = { purpose: "credential", recordId: "record-1", version: 7 };
const secret = Secret.fromText("correct horse battery staple");

function refusal(act: () => unknown): EnvelopeErrorCode {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof EnvelopeError, inspect(error));
    return error.code;
  }
  return assert.fail("it opened");
}

const anyText = fc.string({ unit: "binary", minLength: 1 });
const anyContext = fc.record({ purpose: anyText, recordId: anyText, version: fc.maxSafeNat() });

test("any bytes sealed for a context open for that context", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2000 }), anyContext, (bytes, where) => {
      const envelope = sealSecret(kek, where, Secret.fromBytes(bytes));
      assert.deepEqual(new Uint8Array(openSecret(kek, where, envelope).revealBytes()), bytes);
      assert.equal(envelopeKekId(envelope), kek.id);
    }),
  );
});

test("a secret does not open for a different context", () => {
  fc.assert(
    fc.property(anyContext, anyContext, (sealedFor, openedFor) => {
      fc.pre(inspect(sealedFor) !== inspect(openedFor));
      const envelope = sealSecret(kek, sealedFor, secret);
      assert.equal(
        refusal(() => openSecret(kek, openedFor, envelope)),
        "envelope.refused",
      );
    }),
  );
});

test("an envelope opens only for the purpose, record, version and KEK that it was sealed for", () => {
  const envelope = sealSecret(kek, context, secret);
  const elsewhere: EnvelopeContext[] = [
    { ...context, recordId: "record-2" },
    { ...context, version: 8 },
    { ...context, version: 6 },
    { ...context, purpose: "account" },
    { purpose: "credentialr", recordId: "ecord-1", version: 7 },
    { purpose: "record-1", recordId: "credential", version: 7 },
  ];
  for (const other of elsewhere) {
    assert.equal(
      refusal(() => openSecret(kek, other, envelope)),
      "envelope.refused",
    );
  }
  assert.equal(
    refusal(() => openSecret(Kek.generate("vault:ann"), context, envelope)),
    "envelope.other-kek",
  );
  assert.equal(openSecret(kek, context, envelope).reveal(), secret.reveal());
});

test("an envelope changed to name another KEK does not open with that KEK", () => {
  const other = Kek.generate("vault:ann");
  const forged = sealSecret(kek, context, secret);
  forged.write(other.id.replaceAll("-", ""), 4, "hex");
  assert.equal(envelopeKekId(forged), other.id);
  assert.equal(
    refusal(() => openSecret(other, context, forged)),
    "envelope.refused",
  );
});

test("every flipped bit of an envelope is rejected", () => {
  for (const text of ["", "short", "x".repeat(64), "long ".repeat(40)]) {
    const envelope = sealSecret(kek, context, Secret.fromText(text));
    for (const flipped of flippedBits(envelope)) {
      assert.match(
        refusal(() => openSecret(kek, context, flipped)),
        /^envelope\./,
      );
    }
  }
});

test("a truncated or extended envelope is rejected", () => {
  const envelope = sealSecret(kek, context, Secret.fromText("long ".repeat(40)));
  const isWhole = (length: number) => length >= 132 && (length - 132) % 64 === 0;
  const expected = (length: number) => (isWhole(length) ? "envelope.refused" : "envelope.malformed");
  const longer = Buffer.concat([envelope, Buffer.alloc(130)]);
  for (let length = 0; length < longer.length; length++) {
    if (length === envelope.length) continue;
    const cut = longer.subarray(0, length);
    assert.equal(
      refusal(() => openSecret(kek, context, cut)),
      expected(length),
    );
  }
});

test("bytes that are not an envelope are rejected", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      assert.match(
        refusal(() => openSecret(kek, context, bytes)),
        /malformed|unknown-version|other-kek/,
      );
    }),
  );
});

test("a later format version is reported as such, not as damage", () => {
  const later = sealSecret(kek, context, secret);
  later[3] = 2;
  assert.equal(
    refusal(() => openSecret(kek, context, later)),
    "envelope.unknown-version",
  );
  assert.equal(
    refusal(() => envelopeKekId(later)),
    "envelope.unknown-version",
  );
});

test("sealing twice never gives the same salt or ciphertext", () => {
  const salts = new Set<string>();
  for (let i = 0; i < 1000; i++) salts.add(sealSecret(kek, context, secret).toString("hex", 20, 84));
  assert.equal(salts.size, 1000);
});

test("an envelope hides how long a secret is, up to the next 64 bytes", () => {
  const sizes = (from: number, to: number) => {
    const lengths = Array.from({ length: to - from + 1 }, (_, i) => Secret.fromText("x".repeat(from + i)));
    return [...new Set(lengths.map((padded) => sealSecret(kek, context, padded).length))];
  };
  assert.deepEqual(sizes(0, 63), [132]);
  assert.deepEqual(sizes(64, 127), [196]);
});

test("secrets that look like padding are returned unchanged", () => {
  const lookalikes = ["80", "8080", "00", "8000", "80".repeat(64), "00".repeat(64), "80" + "00".repeat(63)];
  for (const hex of lookalikes) {
    const envelope = sealSecret(kek, context, Secret.fromBytes(Buffer.from(hex, "hex")));
    assert.equal(openSecret(kek, context, envelope).revealBytes().toString("hex"), hex);
  }
});

test("a context without a record is rejected before anything is sealed", () => {
  const wrong: EnvelopeContext[] = [
    { ...context, purpose: "" },
    { ...context, recordId: "" },
    { ...context, recordId: "\ud800" },
    ...[-1, 0.5, NaN, Infinity, 2 ** 53].map((version) => ({ ...context, version })),
  ];
  for (const bad of wrong) assert.throws(() => sealSecret(kek, bad, secret), TypeError);
});

test("a disposed KEK can neither seal nor open", () => {
  const gone = Kek.generate("vault:ann");
  const envelope = sealSecret(gone, context, secret);
  gone.dispose();
  assert.throws(() => sealSecret(gone, context, secret), SealedError);
  assert.throws(() => openSecret(gone, context, envelope), SealedError);
});

test("a refusal reveals nothing about the plaintext or the key", () => {
  const envelope = sealSecret(kek, context, secret);
  envelope[envelope.length - 1] = (envelope.at(-1) ?? 0) ^ 1;
  const key = kekKeyObject(kek).export().toString("hex");
  try {
    openSecret(kek, context, envelope);
    assert.fail("it opened");
  } catch (error) {
    const text = inspect(error, { showHidden: true, depth: Infinity });
    assert.ok(!text.includes("horse") && !text.includes(key));
    assert.ok(error instanceof EnvelopeError && error.cause === undefined);
  }
});

const goldenRoot = RootKey.fromBytes(Buffer.from(Array.from({ length: 32 }, (_, i) => i)));
const goldenKek = unwrapKek(goldenRoot, {
  id: "b871ebfd-1d24-4cb8-8056-9c619852aba7",
  purpose: "vault:golden",
  rootKeyId: "e407d971732594ef6d9d5693621a83c6",
  wrapped: Buffer.from(
    "53524b01ef6b3f4434bb9751502c12c9423487647abfef2e113e7b0c6bb87c6de7bd0d451fd432839d9158144f019cf0" +
      "7bd444106e40c95c35356c6a1bd6603074d984a3d424c6d2848c70a60d8c59fff3d75a04",
    "hex",
  ),
});
const goldenEnvelope = Buffer.from(
  "53524501b871ebfd1d244cb880569c619852aba7da2444dfa8cb8dc9a5cf0c0d41a5597595e5234ee0aeb18be6f3f32d" +
    "733489edf5681f25f177a18ab4af511f0d3291142cc8609d2cb202038db0d82260bfb4820540ea66a9ad92024df739be" +
    "a879682f9751e117793059e75f17584295d0ff47623f19ca7748bb2615846305de24199c",
  "hex",
);

test("an envelope and a KEK stored by the first version still open", () => {
  assert.equal(openSecret(goldenKek, context, goldenEnvelope).reveal(), "pässword");
});

test("an envelope opens with the primitives alone, following the README", () => {
  const field = (bytes: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const associatedData = Buffer.concat([
    field(goldenEnvelope.subarray(0, 20)),
    field(Buffer.from("credential")),
    field(Buffer.from("record-1")),
    field(Buffer.from("0000000000000007", "hex")),
  ]);
  const salt = goldenEnvelope.subarray(20, 52);
  const key = Buffer.from(hkdfSync("sha256", kekKeyObject(goldenKek), salt, "strongroom/envelope/v1", 32));
  const decipher = createDecipheriv("aes-256-gcm", key, Buffer.alloc(12));
  decipher.setAAD(associatedData);
  decipher.setAuthTag(goldenEnvelope.subarray(-16));
  const padded = Buffer.concat([decipher.update(goldenEnvelope.subarray(52, -16)), decipher.final()]);
  assert.equal(padded.length, 64);
  assert.equal(padded.toString("utf8", 0, 9), "pässword");
  assert.equal(padded.toString("hex", 9), "80" + "00".repeat(54));
});
