import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { test } from "node:test";
import { aes256GcmOpen, aes256GcmSeal, argon2id, hkdfSha256, hmacSha256 } from "./primitives.ts";

const hex = (text: string) => Buffer.from(text, "hex");
const key = (text: string) => createSecretKey(hex(text));
const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => (from + i).toString(16).padStart(2, "0")).join("");

const hkdfVectors = [
  {
    name: "RFC 5869 A.1",
    ikm: "0b".repeat(22),
    salt: "000102030405060708090a0b0c",
    info: "f0f1f2f3f4f5f6f7f8f9",
    okm: "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
  },
  {
    name: "RFC 5869 A.2",
    ikm: range(0x00, 0x50),
    salt: range(0x60, 0xb0),
    info: range(0xb0, 0x100),
    okm:
      "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09" +
      "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87",
  },
  {
    name: "RFC 5869 A.3",
    ikm: "0b".repeat(22),
    salt: "",
    info: "",
    okm: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
  },
];

for (const { name, ikm, salt, info, okm } of hkdfVectors) {
  test(`HKDF-SHA-256 gives the output key of ${name}`, () => {
    assert.equal(hkdfSha256(key(ikm), hex(salt), hex(info), okm.length / 2).toString("hex"), okm);
  });
}

const gcmPlaintext =
  "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72" +
  "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255";
const gcmCiphertext =
  "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa" +
  "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad";
const gcmKey = "feffe9928665731c6d6a8f9467308308".repeat(2);
const gcmNonce = "cafebabefacedbaddecaf888";

const gcmVectors = [
  {
    name: "13 (our nonce, no plaintext)",
    key: "00".repeat(32),
    nonce: "00".repeat(12),
    aad: "",
    plaintext: "",
    ciphertext: "",
    tag: "530f8afbc74536b9a963b4f1c4cb738b",
  },
  {
    name: "14 (our nonce)",
    key: "00".repeat(32),
    nonce: "00".repeat(12),
    aad: "",
    plaintext: "00".repeat(16),
    ciphertext: "cea7403d4d606b6e074ec5d3baf39d18",
    tag: "d0d1c8a799996bf0265b98b5d48ab919",
  },
  {
    name: "15",
    key: gcmKey,
    nonce: gcmNonce,
    aad: "",
    plaintext: gcmPlaintext,
    ciphertext: gcmCiphertext,
    tag: "b094dac5d93471bdec1a502270e3cc6c",
  },
  {
    name: "16 (associated data)",
    key: gcmKey,
    nonce: gcmNonce,
    aad: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
    plaintext: gcmPlaintext.slice(0, 120),
    ciphertext: gcmCiphertext.slice(0, 120),
    tag: "76fc6ece0f4e1768cddf8853bb2d551b",
  },
];

for (const vector of gcmVectors) {
  test(`AES-256-GCM seals and opens test case ${vector.name} of McGrew and Viega`, () => {
    const sealed = aes256GcmSeal(key(vector.key), hex(vector.nonce), hex(vector.aad), hex(vector.plaintext));
    assert.equal(sealed.toString("hex"), vector.ciphertext + vector.tag);
    const opened = aes256GcmOpen(key(vector.key), hex(vector.nonce), hex(vector.aad), sealed);
    assert.equal(opened?.toString("hex"), vector.plaintext);
  });
}

test("AES-256-GCM rejects input too short to hold a tag", () => {
  for (let length = 0; length < 16; length++) {
    assert.equal(aes256GcmOpen(key(gcmKey), hex(gcmNonce), Buffer.alloc(0), Buffer.alloc(length)), null);
  }
});

test("HMAC-SHA-256 gives the code of RFC 4231 test case 2", () => {
  const code = hmacSha256(createSecretKey(Buffer.from("Jefe")), Buffer.from("what do ya want for nothing?"));
  assert.equal(code.toString("hex"), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
});

test("argon2id gives the tag of RFC 9106 §5.3", async () => {
  const tag = await argon2id({
    message: Buffer.alloc(32, 1),
    nonce: Buffer.alloc(16, 2),
    secret: Buffer.alloc(8, 3),
    associatedData: Buffer.alloc(12, 4),
    memory: 32,
    passes: 3,
    parallelism: 4,
    tagLength: 32,
  });
  assert.equal(tag.toString("hex"), "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659");
});
