import assert from "node:assert/strict";
import { spawn, execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inspect } from "node:util";
import { flippedBits } from "../testing/flipped-bits.ts";
import { asOrdinaryUser, isRoot, temporaryFolder } from "../testing/temporary-folder.ts";
import { SealError, type SealErrorCode } from "./errors.ts";
import { createKeyFile, readKeyFile } from "./key-file.ts";
import { RootKey, rootKeyObject } from "./root-key.ts";

function refusal(act: () => unknown): SealErrorCode {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof SealError, inspect(error));
    assert.match(error.message, /^[^\n]+\.$/, "one sentence for people");
    return error.code;
  }
  return assert.fail("it was accepted");
}

test("readKeyFile returns the root key that createKeyFile wrote", (t) => {
  const path = join(temporaryFolder(t), "root.key");
  const root = createKeyFile(path);
  const read = readKeyFile(path);
  assert.equal(read.id, root.id);
  assert.ok(rootKeyObject(read).equals(rootKeyObject(root)));
});

test("a key file is created with mode 0600 whatever the umask, and no temporary file remains", (t) => {
  const folder = temporaryFolder(t);
  for (const umask of [0o000, 0o022, 0o077, 0o277]) {
    const before = process.umask(umask);
    try {
      createKeyFile(join(folder, `key-${umask}`));
    } finally {
      process.umask(before);
    }
    assert.equal(statSync(join(folder, `key-${umask}`)).mode & 0o7777, 0o600);
  }
  assert.equal(readdirSync(folder).length, 4);
});

test("a key file is three lines of text, as the README describes", (t) => {
  const path = join(temporaryFolder(t), "root.key");
  createKeyFile(path, RootKey.fromBytes(Buffer.from(Array.from({ length: 32 }, (_, i) => i))));
  assert.equal(
    readFileSync(path, "latin1"),
    "strongroom-root-key-v1\ne407d971732594ef6d9d5693621a83c6\nAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\n",
  );
});

test("an existing file is never overwritten by a new key", (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, "root.key");
  const { id } = createKeyFile(path);
  assert.equal(
    refusal(() => createKeyFile(path)),
    "key-file.exists",
  );
  assert.equal(readKeyFile(path).id, id);
  assert.deepEqual(readdirSync(folder), ["root.key"]);
});

test("when several processes create one key file at once, exactly one succeeds", async (t) => {
  const path = join(temporaryFolder(t), "root.key");
  const module = new URL("./index.ts", import.meta.url).href;
  const script = `const { createKeyFile } = await import(${JSON.stringify(module)}); createKeyFile(process.argv[1])`;
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ["--input-type=module", "-e", script, path], { stdio: "ignore" }),
  );
  const codes = await Promise.all(children.map(async (child) => (await once(child, "exit"))[0]));
  assert.equal(codes.filter((code) => code === 0).length, 1);
  assert.ok(readKeyFile(path).id);
});

test("a missing key file is reported", (t) => {
  assert.equal(
    refusal(() => readKeyFile(join(temporaryFolder(t), "root.key"))),
    "key-file.missing",
  );
});

test("a key file accessible to group or others is rejected", (t) => {
  const path = join(temporaryFolder(t), "root.key");
  createKeyFile(path);
  for (let mode = 1; mode <= 0o077; mode++) {
    chmodSync(path, 0o600 | mode);
    assert.equal(
      refusal(() => readKeyFile(path)),
      "key-file.readable-by-others",
    );
  }
  for (const mode of [0o400, 0o600, 0o700]) {
    chmodSync(path, mode);
    assert.ok(readKeyFile(path).id);
  }
});

test("a key file of another user is rejected", (t) => {
  const folder = temporaryFolder(t);
  asOrdinaryUser(folder, () =>
    assert.equal(
      refusal(() => readKeyFile("/etc/passwd")),
      "key-file.other-owner",
    ),
  );
});

test("root can read a key file of another user", { skip: !isRoot() && "needs root" }, (t) => {
  const path = join(temporaryFolder(t), "root.key");
  const { id } = createKeyFile(path);
  chownSync(path, 12_345, 12_345);
  assert.equal(readKeyFile(path).id, id);
});

test("an unreadable key file and an unwritable folder are reported", (t) => {
  const folder = temporaryFolder(t);
  asOrdinaryUser(folder, () => {
    const path = join(folder, "root.key");
    createKeyFile(path);
    chmodSync(path, 0o000);
    assert.equal(
      refusal(() => readKeyFile(path)),
      "key-file.unreadable",
    );
    chmodSync(folder, 0o500);
    assert.equal(
      refusal(() => createKeyFile(join(folder, "other.key"))),
      "key-file.unwritable",
    );
    chmodSync(folder, 0o000);
    assert.equal(
      refusal(() => readKeyFile(path)),
      "key-file.unreadable",
    );
    chmodSync(folder, 0o700);
  });
  assert.equal(
    refusal(() => createKeyFile(join(folder, "no", "such", "folder"))),
    "key-file.unwritable",
  );
});

test("a path that is not a regular file is rejected without blocking", (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, "folder"), { mode: 0o700 });
  execFileSync("sh", ["-c", 'mkfifo -m 600 "$0"', join(folder, "pipe")]);
  for (const path of [join(folder, "folder"), join(folder, "pipe"), "/dev/null"]) {
    assert.equal(
      refusal(() => readKeyFile(path)),
      "key-file.not-a-file",
    );
  }
});

test("a link to a key file is followed, and the target file is checked", (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, "root.key");
  const { id } = createKeyFile(path);
  symlinkSync(path, join(folder, "link"));
  assert.equal(readKeyFile(join(folder, "link")).id, id);
  chmodSync(path, 0o644);
  assert.equal(
    refusal(() => readKeyFile(join(folder, "link"))),
    "key-file.readable-by-others",
  );
});

test("a key file truncated anywhere is reported as truncated", (t) => {
  const path = join(temporaryFolder(t), "root.key");
  createKeyFile(path);
  const whole = readFileSync(path);
  for (let length = 0; length < whole.length; length++) {
    writeFileSync(path, whole.subarray(0, length));
    assert.equal(
      refusal(() => readKeyFile(path)),
      "key-file.truncated",
    );
  }
});

test("every flipped bit of a key file, and trailing bytes, are reported as malformed", (t) => {
  const path = join(temporaryFolder(t), "root.key");
  createKeyFile(path);
  const whole = readFileSync(path);
  for (const flipped of flippedBits(whole)) {
    writeFileSync(path, flipped);
    assert.equal(
      refusal(() => readKeyFile(path)),
      "key-file.malformed",
    );
  }
  for (const extra of ["\n", "x", "\0".repeat(5000)]) {
    writeFileSync(path, whole + extra);
    assert.equal(
      refusal(() => readKeyFile(path)),
      "key-file.malformed",
    );
  }
});

test("no key file error shows the key", (t) => {
  const path = join(temporaryFolder(t), "root.key");
  const root = createKeyFile(path);
  const key = rootKeyObject(root).export().toString("base64url");
  writeFileSync(path, readFileSync(path, "latin1").replace(root.id, "0".repeat(32)));
  try {
    readKeyFile(path);
    assert.fail("it was accepted");
  } catch (error) {
    assert.ok(!inspect(error, { showHidden: true, depth: Infinity }).includes(key.slice(0, 8)));
  }
});
