import assert from "node:assert/strict";
import { createHmac, hkdfSync } from "node:crypto";
import { test } from "node:test";
import { authenticate, isAuthentic } from "./authentication.ts";
import { SealedError } from "./errors.ts";
import { Kek, kekKeyObject } from "./kek.ts";
import { lengthPrefixed } from "./length-prefixed.ts";

const kek = Kek.generate("audit-integrity");

test("a MAC is HMAC-SHA-256 over the length-prefixed fields, by a key derived with HKDF", () => {
  const key = Buffer.from(hkdfSync("sha256", kekKeyObject(kek), Buffer.alloc(0), "strongroom/authentication/v1", 32));
  const expected = createHmac("sha256", key)
    .update(lengthPrefixed("a", Buffer.from("b")))
    .digest();
  assert.deepEqual(authenticate(kek, "a", Buffer.from("b")), expected);
});

test("a MAC depends on each field, on field boundaries and on the key", () => {
  const macs = [
    authenticate(kek, "ab", "c"),
    authenticate(kek, "a", "bc"),
    authenticate(kek, "abc"),
    authenticate(kek, "abc", ""),
    authenticate(Kek.generate("audit-integrity"), "ab", "c"),
  ];
  assert.equal(new Set(macs.map((mac) => mac.toString("hex"))).size, macs.length);
});

test("a changed or truncated MAC is not authentic", () => {
  const mac = authenticate(kek, "entry");
  assert.equal(isAuthentic(Buffer.from(mac), mac), true);
  for (let at = 0; at < mac.length; at++) {
    const changed = Buffer.from(mac);
    changed[at]! ^= 1;
    assert.equal(isAuthentic(changed, mac), false);
    assert.equal(isAuthentic(mac.subarray(0, at), mac), false);
  }
});

test("a disposed KEK throws instead of computing a MAC", () => {
  const gone = Kek.generate("audit-integrity");
  authenticate(gone, "entry");
  gone.dispose();
  assert.throws(() => authenticate(gone, "entry"), SealedError);
});
