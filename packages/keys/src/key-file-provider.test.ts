import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, linkSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { createKeyFile, readKeyFile } from "./key-file.ts";
import { keyFileProvider } from "./key-file-provider.ts";
import { passphraseProvider } from "./passphrase-provider.ts";
import { Secret } from "./secret.ts";

test("the first start creates a key file, and later starts open it", async (t) => {
  const path = join(temporaryFolder(t), "root.key");
  const { root, record } = await keyFileProvider(path).create();
  assert.deepEqual(record, { version: 1, provider: "key-file", rootKeyId: root.id });
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal((await keyFileProvider(path).open(JSON.parse(JSON.stringify(record)))).id, root.id);
});

test("a first start interrupted after writing the key file continues with that key", async (t) => {
  const path = join(temporaryFolder(t), "root.key");
  const { id } = createKeyFile(path);
  assert.equal((await keyFileProvider(path).create()).root.id, id);
});

test("the key file of another database is rejected and left unchanged", async (t) => {
  const folder = temporaryFolder(t);
  const { record } = await keyFileProvider(join(folder, "ours")).create();
  const theirs = createKeyFile(join(folder, "theirs"));
  await assert.rejects(keyFileProvider(join(folder, "theirs")).open(record), { code: "key-file.other-root-key" });
  assert.equal(readKeyFile(join(folder, "theirs")).id, theirs.id);
  await assert.rejects(keyFileProvider(join(folder, "nowhere")).open(record), { code: "key-file.missing" });
});

test("a key file does not open a database sealed by a passphrase", async (t) => {
  const path = join(temporaryFolder(t), "root.key");
  createKeyFile(path);
  const least = { memory: 19_456, passes: 2, parallelism: 1 };
  const { record } = await passphraseProvider(Secret.fromText("correct horse battery"), least).create();
  await assert.rejects(keyFileProvider(path).open(record), { code: "seal-record.other-provider" });
});

test("a staged key is durable and leaves the current key file in place", async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, "root.key");
  const old = createKeyFile(path);
  const staged = await keyFileProvider(path).stage();
  assert.equal(readKeyFile(path).id, old.id);
  assert.equal(readKeyFile(`${path}.${staged.root.id}`).id, staged.root.id);
  await staged.discard();
  assert.deepEqual(readdirSync(folder), ["root.key"]);
});

test("putInPlace keeps the old key file under its own name for older backups", async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, "root.key");
  const provider = keyFileProvider(path);
  const old = await provider.create();
  const staged = await provider.stage();
  await staged.putInPlace();
  assert.deepEqual(readdirSync(folder).toSorted(), ["root.key", `root.key.${old.root.id}`]);
  assert.equal((await provider.open(staged.record)).id, staged.root.id);
  assert.equal((await provider.open(old.record)).id, old.root.id);
});

test("open finishes an interrupted move at any step", async (t) => {
  const interruptions: ((path: string, oldId: string, newId: string) => void)[] = [
    () => {},
    (path, oldId) => linkSync(path, `${path}.${oldId}`),
    (path, oldId, newId) => {
      linkSync(path, `${path}.${oldId}`);
      renameSync(`${path}.${newId}`, path);
    },
  ];
  for (const interrupted of interruptions) {
    const folder = temporaryFolder(t);
    const path = join(folder, "root.key");
    const provider = keyFileProvider(path);
    const old = await provider.create();
    const staged = await provider.stage();
    interrupted(path, old.root.id, staged.root.id);
    assert.equal((await provider.open(staged.record)).id, staged.root.id);
    assert.equal(readKeyFile(path).id, staged.root.id);
    assert.equal(readKeyFile(`${path}.${old.root.id}`).id, old.root.id);
    assert.equal(readdirSync(folder).length, 2);
  }
});

test("several processes starting at once after an interrupted move all open", async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, "root.key");
  const provider = keyFileProvider(path);
  const old = await provider.create();
  const { root, record } = await provider.stage();
  const module = new URL("./index.ts", import.meta.url).href;
  const script = `
    const { keyFileProvider } = await import(${JSON.stringify(module)});
    console.log("ready");
    process.stdin.once("data", async () => {
      const root = await keyFileProvider(process.argv[1]).open(JSON.parse(process.argv[2]));
      process.exit(root.id === process.argv[3] ? 0 : 1);
    });`;
  const starts = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ["--input-type=module", "-e", script, path, JSON.stringify(record), root.id], {
      stdio: ["pipe", "pipe", "inherit"],
    }),
  );
  await Promise.all(starts.map((start) => once(start.stdout, "data")));
  const exits = starts.map((start) => once(start, "exit"));
  for (const start of starts) start.stdin.write("go");
  assert.deepEqual(
    (await Promise.all(exits)).map(([code]) => code),
    starts.map(() => 0),
  );
  assert.deepEqual(readdirSync(folder).toSorted(), ["root.key", `root.key.${old.root.id}`]);
});

test("a staged key is found even when the current key file is gone", async (t) => {
  const path = join(temporaryFolder(t), "root.key");
  const provider = keyFileProvider(path);
  await provider.create();
  const staged = await provider.stage();
  rmSync(path);
  assert.equal((await provider.open(staged.record)).id, staged.root.id);
  assert.equal(readKeyFile(path).id, staged.root.id);
});

test("a file whose name claims the right key but that holds a different key is rejected", async (t) => {
  const path = join(temporaryFolder(t), "root.key");
  const provider = keyFileProvider(path);
  await provider.create();
  const staged = await provider.stage();
  createKeyFile(`${path}.other`);
  copyFileSync(`${path}.other`, `${path}.${staged.root.id}`);
  await assert.rejects(provider.open(staged.record), { code: "key-file.other-root-key" });
});
