// Tests of the password rules, with examples for each rule and ordinary passphrases that must pass.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { usualPolicy } from "#testing/sign-in-policy.ts";
import { passwordProblem } from "./password-rules.ts";

const person = { email: "ada.lovelace@analytical.example", name: "Ada Lovelace" };
const problemOf = (password: string, role: "user" | "admin" = "user") =>
  passwordProblem(usualPolicy, { ...person, role, password })?.code ?? null;

/** Hashes of 5 bytes each. */
const BLOCKLIST = join(import.meta.dirname, "../../../../data/blocked-passwords.bin");

const all = (passwords: readonly string[], problem: string | null) => {
  for (const password of passwords) assert.equal(problemOf(password), problem, password);
};

test("the password rules refuse common passwords, even with digits, symbols, substitutions or capitals, backwards or repeated", () => {
  all(
    ["password", "12345678", "qwertyuiop", "Password1!", "P@ssw0rd", "p4ssw0rd2026!", "drowssap"],
    "password.too-common",
  );
  all(["passwordpassword", "dragon!!", "!!Dragon2026", "1L0veY0u", "ｐａｓｓｗｏｒｄ"], "password.too-common");
});

test("the password rules refuse even the least common of the 100,000 most common passwords", () => {
  all(["iamspiderman", "friedchicken", "subscribeordie", "besenstiel", "Furtherance7!"], "password.too-common");
  assert.ok(readFileSync(BLOCKLIST).length / 5 >= 100_000);
});

test("the password rules refuse patterns", () => {
  all(
    ["aaaaaaaaaaaa", "abcdefghijkl", "987654321098", "123456789012", "abcabcabcabc", "xyxyxyxyxy"],
    "password.too-common",
  );
});

test("the password rules refuse passwords made of the product's name, the user's name or the user's address", () => {
  all(["strongroom", "Str0ngR00m2026!", "moorgnorts99", "strongroom-password"], "password.guessable");
  all(
    ["AdaLovelace1815", "lovelace.analytical", "ecalevol4da1815", "4d4-l0v3l4c3", "ada.lovelace@analytical.example"],
    "password.guessable",
  );
  all(["analytical", "Analytical#2026", "ada@analytical"], "password.guessable");
});

test("the password rules accept passphrases and random passwords of any composition", () => {
  all(["a long enough password", "correct horse battery staple", "xk7qmz2vfw", "ärger mit der ölheizung"], null);
  all(
    ["strongroom-orbit-lamp-violin", "lovelace computed bernoulli", "日本語のパスワードです", "🦊🐙🐝🦉🐢🐬🦋🐞"],
    null,
  );
});

test("SIGNUP-08: the minimum length counts characters and is higher for managers and administrators", () => {
  assert.equal(problemOf("xk7qmz2"), "password.too-short");
  assert.equal(problemOf("🦊🐙🐝🦉🐢🐬🦋"), "password.too-short");
  assert.equal(problemOf("xk7qmz2v", "admin"), "password.too-short");
  assert.equal(problemOf("xk7qmz2vfwpr", "admin"), null);
  const strict = { password_min_length: 20, privileged_password_min_length: 12 };
  const chosen = { ...person, role: "admin", password: "xk7qmz2vfwpr" } as const;
  assert.equal(passwordProblem(strict, chosen)?.message, "Password must be at least 20 characters.");
});
