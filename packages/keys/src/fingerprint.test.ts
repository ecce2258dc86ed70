import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { SealedError } from "./errors.ts";
import { fingerprint } from "./fingerprint.ts";
import { Kek } from "./kek.ts";
import { Secret } from "./secret.ts";

const kek = Kek.generate("fingerprint");

test("fingerprints are equal exactly when the secrets are equal", () => {
  const bytes = fc.uint8Array({ maxLength: 8 });
  fc.assert(
    fc.property(bytes, bytes, (one, other) => {
      const isSame = Buffer.from(one).equals(other);
      assert.equal(fingerprint(kek, Secret.fromBytes(one)) === fingerprint(kek, Secret.fromBytes(other)), isSame);
      assert.equal(fingerprint(kek, Secret.fromBytes(one)), fingerprint(kek, Secret.fromBytes(one)));
    }),
  );
});

test("every byte of a secret changes the fingerprint", () => {
  const secret = Buffer.alloc(300, "x");
  const prints = new Set([fingerprint(kek, Secret.fromBytes(secret))]);
  for (let at = 0; at < secret.length; at++) {
    const changed = Buffer.from(secret).fill("y", at, at + 1);
    prints.add(fingerprint(kek, Secret.fromBytes(changed)));
    prints.add(fingerprint(kek, Secret.fromBytes(secret.subarray(0, at))));
  }
  assert.equal(prints.size, 1 + 2 * secret.length);
});

test("a fingerprint differs under a different KEK", () => {
  const secret = Secret.fromText("reused everywhere");
  assert.notEqual(fingerprint(kek, secret), fingerprint(Kek.generate("fingerprint"), secret));
});

test("a fingerprint is 43 characters of base64url, whatever the secret's length", () => {
  for (const length of [0, 1, 64, 5000]) {
    assert.match(fingerprint(kek, Secret.fromText("x".repeat(length))), /^[A-Za-z0-9_-]{43}$/);
  }
});

test("a disposed key computes no fingerprint", () => {
  const gone = Kek.generate("fingerprint");
  gone.dispose();
  assert.throws(() => fingerprint(gone, Secret.fromText("x")), SealedError);
});
