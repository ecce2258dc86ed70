// Tests that stored keys of every format can be opened, and that none blocks the process or throws.
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { opensslAvailable } from "../../testing/certificates.ts";
import { needs } from "../../testing/targets/availability.ts";
import { runTool, temporaryFolder } from "../../testing/targets/server-process.ts";
import { isTooCostly } from "./derivation-cost.ts";
import { looksLikePrivateKey, parseJsonSecret } from "./json-secret.ts";
import { openKey } from "./open-key.ts";
import { readKey } from "./read-key.ts";

const open = (text: string, passphrase: string | null) => openKey(text, passphrase, new AbortController().signal);

const { privateKey } = generateKeyPairSync("ed25519");

test("splits a JSON secret into its parts, and leaves other text unchanged", () => {
  const whole = { private_key: "k", passphrase: "p", certificate: "c" };
  assert.deepEqual(parseJsonSecret(JSON.stringify(whole)), { privateKey: "k", passphrase: "p", certificate: "c" });
  assert.deepEqual(parseJsonSecret(' {"private_key": "k", "passphrase": 7}'), {
    privateKey: "k",
    passphrase: null,
    certificate: null,
  });
  for (const text of [
    "",
    "{brace",
    "{}",
    '{"other": "x"}',
    "[1]",
    "null",
    '"private_key"',
    "-----BEGIN PRIVATE KEY-----",
  ]) {
    assert.equal(parseJsonSecret(text), null, text);
  }
});

test("distinguishes private keys from passwords by their first line", () => {
  for (const text of [
    "-----BEGIN OPENSSH PRIVATE KEY-----\n",
    "\n-----BEGIN PRIVATE KEY-----",
    "-----BEGIN RSA PRIVATE KEY-----",
    "PuTTY-User-Key-File-2: ssh-rsa",
  ]) {
    assert.ok(looksLikePrivateKey(text), text);
  }
  for (const text of ["password", "-----BEGIN CERTIFICATE-----", "ssh-ed25519 AAAA"])
    assert.ok(!looksLikePrivateKey(text), text);
});

test(
  "opens a PKCS#8 key with its passphrase, and does not try one with too many iterations",
  needs(opensslAvailable()),
  async (t) => {
    const folder = temporaryFolder(null);
    t.after(folder.remove);
    writeFileSync(`${folder.path}/key`, privateKey.export({ type: "pkcs8", format: "pem" }));
    const encrypted = (...args: string[]) =>
      runTool("openssl", ["pkcs8", "-topk8", "-in", `${folder.path}/key`, "-passout", "pass:correct horse", ...args]);

    const sane = await encrypted("-iter", "600000");
    assert.ok("key" in (await open(sane, "correct horse")));
    assert.deepEqual(await open(sane, "wrong horse"), { problem: "passphrase-wrong" });
    assert.deepEqual(await open(sane, null), { problem: "passphrase-missing" });
    assert.ok("key" in (await open(await encrypted("-scrypt"), "correct horse")));
    const costly = await encrypted("-iter", "2100000");
    assert.deepEqual(await open(costly, "correct horse"), { problem: "too-costly" });
    // Neither a block before the key nor a header inside it hides its cost.
    const certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    assert.deepEqual(await open(certificate + costly, "correct horse"), { problem: "too-costly" });
    const withHeader = costly.replace("KEY-----\n", "KEY-----\nComment: x\n\n");
    assert.deepEqual(await open(withHeader, "correct horse"), { problem: "too-costly" });
  },
);

test("an OpenSSH key with more than a hundred rounds is too costly", async (t) => {
  const folder = temporaryFolder(null);
  t.after(folder.remove);
  for (const [rounds, expected] of [
    [16, false],
    [120, true],
  ] as const) {
    const file = `${folder.path}/key${rounds}`;
    await runTool("ssh-keygen", ["-q", "-t", "ed25519", "-a", String(rounds), "-N", "correct horse", "-f", file]);
    assert.equal(isTooCostly(readFileSync(file, "utf8")), expected, `${rounds} rounds`);
  }
});

test("opening a key with a passphrase does not block the process, and stops when aborted", async (t) => {
  const folder = temporaryFolder(null);
  t.after(folder.remove);
  await runTool("ssh-keygen", ["-q", "-t", "ed25519", "-a", "45", "-N", "correct horse", "-f", `${folder.path}/key`]);
  const text = readFileSync(`${folder.path}/key`, "utf8");
  let beats = 0;
  const timer = setInterval(() => (beats += 1), 10);
  assert.ok("key" in (await open(text, "correct horse")));
  clearInterval(timer);
  assert.ok(beats > 20, `${beats} event loop turns while the key was opened`);

  const abort = new AbortController();
  const opening = openKey(text, "correct horse", abort.signal);
  abort.abort();
  assert.deepEqual(await opening, { problem: "unreadable" });
});

test("damaged keys are unreadable, and never throw", () => {
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  for (let cut = 0; cut < pem.length; cut += 7) {
    const damaged = pem.slice(0, cut) + pem.slice(cut + 5);
    const opened = readKey(damaged, null);
    assert.ok("key" in opened || opened.problem === "unreadable");
  }
  for (const label of ["OPENSSH PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "PRIVATE KEY", "RSA PRIVATE KEY"]) {
    for (const body of ["", "AA==", "MA==", "MIL/", "b3BlbnNzaC1rZXktdjEA", "/////w=="]) {
      const text = `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----`;
      assert.equal(isTooCostly(text), false);
      assert.ok("problem" in readKey(text, null), text);
      assert.ok("problem" in readKey(text, "correct horse"), text);
    }
  }
});
