// Known secrets are found in every syntax, by hashes alone.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { KnownSecretIndex, knownForms, scanText } from "./index.ts";

const KEY = randomBytes(32);
const SECRET = "v/Q9:x@Lm+4 zT";
const indexOf = (...values: string[]) =>
  new KnownSecretIndex(
    KEY,
    values.flatMap((value, at) => knownForms(value, KEY).map((form) => ({ ...form, id: `account-${at}` }))),
  );

test("a known secret is found in plain, base64 and URL-encoded form", () => {
  const texts = [
    `whatever ${SECRET}`,
    `data: ${Buffer.from(SECRET).toString("base64")}\n`,
    `x://u:${encodeURIComponent(SECRET)}@h/`,
  ];
  for (const [at, text] of texts.entries()) {
    const found = scanText(Buffer.from(text), { path: "notes", knownSecrets: indexOf("some-0ther-Secret", SECRET) });
    assert.equal(found.length, 1, text);
    assert.deepEqual(found[0]?.knownSecrets, ["account-1"]);
    assert.equal(found[0]?.class, "known_secret");
    assert.equal(found[0]?.encoding, ["plain", "base64", "url"][at]);
    assert.equal(found[0]?.reveal(), SECRET);
  }
});

test("a known secret with other letters is found at its exact place in UTF-8", () => {
  const secrets = ["Föhn-12/quer Zz", "v/Q9:x@Lm+4 zT"];
  const bytes = Buffer.from(`# Größe\nx ${secrets[0]} ü\n密码 ${secrets[1]}\n`);
  const found = scanText(bytes, { path: "a.bin", knownSecrets: indexOf(...secrets) });
  assert.deepEqual(
    found.map(({ start, end }) => bytes.subarray(start, end).toString()),
    secrets,
  );
  assert.deepEqual(
    found.map((each) => each.reveal()),
    secrets,
  );
});

test("a known secret is found after a short option, at both ends of a file and across chunks", () => {
  const secret = "k7Wq-2zP0x";
  const index = indexOf(secret);
  for (const text of [
    `mysql -uroot -p${secret} db`,
    secret,
    `${"a ".repeat(32_765)}${secret}`,
    `${"a ".repeat(32_768)}${secret} ${secret}`,
  ])
    assert.ok(index.matches(text).length >= 1, text.slice(-40));
});

test("a known passphrase of words is found", () => {
  const index = indexOf("three plums near kiwis");
  assert.equal(index.matches("PASSPHRASE=three plums near kiwis\n").length, 1);
  assert.deepEqual(index.matches("three plums near kiwi"), []);
});

test("a part of a longer word is no match", () => {
  assert.deepEqual(indexOf("k7Wq-2zP0x").matches("ak7Wq-2zP0x k7Wq-2zP0xy"), []);
});

test("weak, short and multi-line values are not indexed", () => {
  for (const value of ["admin", "changeme", "short1!", "password123", "aaaaaaaaaaaa", "one\ntwo-Three4"])
    assert.deepEqual(knownForms(value, KEY), [], value);
});

test("an index under another key finds nothing", () => {
  const other = new KnownSecretIndex(
    randomBytes(32),
    knownForms(SECRET, KEY).map((form) => ({ ...form, id: "x" })),
  );
  assert.deepEqual(other.matches(SECRET), []);
});

test("the syntax around a known secret names its setting", () => {
  const [found] = scanText("db_password=k7Wq-2zP0x\n", { path: "a.env", knownSecrets: indexOf("k7Wq-2zP0x") });
  assert.equal(found?.keyName, "db_password");
});
