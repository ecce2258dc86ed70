// Tests authenticator codes against the vectors of their standards.
import assert from "node:assert/strict";
import { test } from "node:test";
import { base32, hotp, keyUri, matchingStep, stepAt } from "./totp.ts";

const KEY = Buffer.from("12345678901234567890");

test("HOTP returns the first ten codes of RFC 4226 appendix D", () => {
  const codes = ["755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489"];
  assert.deepEqual(
    codes.map((_, counter) => hotp(KEY, counter)),
    codes,
  );
});

test("TOTP with SHA-1 returns the codes of RFC 6238 appendix B", () => {
  const vectors: [number, string][] = [
    [59, "94287082"],
    [1111111109, "07081804"],
    [1111111111, "14050471"],
    [1234567890, "89005924"],
    [2000000000, "69279037"],
    [20000000000, "65353130"],
  ];
  for (const [seconds, code] of vectors) assert.equal(hotp(KEY, stepAt(new Date(seconds * 1000)), 8), code);
});

test("a code is valid in its own and the adjacent time steps, once, and never after a later code", () => {
  const now = new Date("2026-11-21T12:00:15.000Z");
  const step = stepAt(now);
  for (const drift of [-1, 0, 1]) assert.equal(matchingStep(KEY, hotp(KEY, step + drift), now, []), step + drift);
  for (const drift of [-2, 2]) assert.equal(matchingStep(KEY, hotp(KEY, step + drift), now, []), null);
  assert.equal(matchingStep(KEY, hotp(KEY, step), now, [step]), null, "the same code again");
  assert.equal(matchingStep(KEY, hotp(KEY, step - 1), now, [step]), null, "an earlier code after a later one");
  assert.equal(matchingStep(KEY, hotp(KEY, step + 1), now, [step]), step + 1);
  assert.equal(matchingStep(KEY, "12345", now, []), null);
});

test("base32 matches RFC 4648 §10, and the key URI is encoded for a QR code", () => {
  const vectors = { f: "MY", fo: "MZXQ", foo: "MZXW6", foob: "MZXW6YQ", fooba: "MZXW6YTB", foobar: "MZXW6YTBOI" };
  for (const [text, coded] of Object.entries(vectors)) assert.equal(base32(Buffer.from(text)), coded);
  assert.equal(
    keyUri("MZXW6", "Strongroom", "a&b@example.com"),
    "otpauth://totp/Strongroom:a%26b%40example.com?secret=MZXW6&issuer=Strongroom",
  );
});
