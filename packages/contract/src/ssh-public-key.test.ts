// Tests the parser of SSH public keys with keys that ssh-keygen creates, and with damaged ones.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { parseSshPublicKey } from "./ssh-public-key.ts";

const folder = mkdtempSync(join(tmpdir(), "strongroom-keys-"));
after(() => rmSync(folder, { recursive: true }));

function aKey(...options: string[]): { text: string; privateKey: string } {
  const path = join(folder, `key-${options.join("")}`);
  execFileSync("ssh-keygen", ["-q", "-N", "", "-C", "ann@laptop of mine", "-f", path, ...options]);
  return { text: readFileSync(`${path}.pub`, "utf8"), privateKey: readFileSync(path, "utf8") };
}

function problemOf(text: string): string {
  const parsed = parseSshPublicKey(text);
  assert.ok("problem" in parsed, text);
  return parsed.problem;
}

for (const [type, bits, ...options] of [
  ["ssh-ed25519", 256, "-t", "ed25519"],
  ["ecdsa-sha2-nistp256", 256, "-t", "ecdsa", "-b", "256"],
  ["ecdsa-sha2-nistp384", 384, "-t", "ecdsa", "-b", "384"],
  ["ecdsa-sha2-nistp521", 521, "-t", "ecdsa", "-b", "521"],
  ["ssh-rsa", 3072, "-t", "rsa", "-b", "3072"],
  ["ssh-rsa", 4096, "-t", "rsa", "-b", "4096"],
] as const) {
  test(`a key ${options.join(" ")} has the type ${type} and ${bits} bits`, () => {
    const { text } = aKey(...options);
    const parsed = parseSshPublicKey(text);
    assert.ok("key" in parsed);
    assert.deepEqual({ ...parsed.key, base64: "" }, { type, base64: "", bits, comment: "ann@laptop of mine" });
    assert.equal(parsed.key.base64, text.split(" ")[1]);
  });
}

test("refuses weak keys and says why", () => {
  assert.match(problemOf(aKey("-t", "rsa", "-b", "2048").text), /at least 3072 bits; this one has 2048/);
  assert.match(problemOf("ssh-dss AAAAB3NzaC1kc3M= old"), /DSA keys are too weak/);
});

test("refuses private keys of every format", () => {
  const modern = aKey("-t", "ed25519", "-a", "1").privateKey;
  const pem = aKey("-t", "rsa", "-b", "3072", "-m", "PEM").privateKey;
  for (const text of [modern, pem, modern.split("\n").slice(1, 3).join(""), "PuTTY-User-Key-File-3: ssh-ed25519"]) {
    assert.match(problemOf(text), /This is a private key/);
  }
});

test("refuses options, certificates, keys on security keys and several keys", () => {
  const { text } = aKey("-t", "ed25519", "-Z", "aes256-ctr");
  assert.match(problemOf(`from="10.0.0.0/8" ${text}`), /Options before the key/);
  assert.match(problemOf(`restrict,command="true" ${text}`), /Options before the key/);
  assert.match(problemOf(`ssh-ed25519-cert-v01@openssh.com ${text.split(" ")[1]}`), /Certificates/);
  assert.match(problemOf(`sk-ssh-ed25519@openssh.com ${text.split(" ")[1]}`), /security keys/);
  assert.match(problemOf(`${text}${text}`), /one key/);
  assert.match(problemOf("hello world"), /not an SSH public key/);
});

test("refuses a key in which any byte is missing, added or changed", () => {
  const { text } = aKey("-t", "ed25519", "-m", "RFC4716");
  const [type, base64 = ""] = text.split(" ");
  const bytes = Buffer.from(base64, "base64");
  for (let length = 0; length < bytes.length; length += 1) {
    const part = bytes.subarray(0, length).toString("base64");
    assert.ok("problem" in parseSshPublicKey(`${type} ${part}`), String(length));
  }
  const longer = Buffer.concat([bytes, Buffer.from([0])]).toString("base64");
  assert.match(problemOf(`${type} ${longer}`), /damaged/);
  assert.match(problemOf(`${type} ${base64}=`), /damaged/);
  assert.match(problemOf(`ssh-rsa ${base64}`), /damaged/);
});

test("removes control characters from the comment", () => {
  const { text } = aKey("-t", "ed25519", "-a", "2");
  const parsed = parseSshPublicKey(`${text.trim()} \u001b[2J\u202e`);
  assert.ok("key" in parsed && parsed.key.comment === "ann@laptop of mine [2J");
});
