// Patches of installed packages: applied once, checked by hashes, and never through a hard link.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";

const {
  buildNativeParts,
  patchPackages,
}: {
  patchPackages: (root: string) => void;
  buildNativeParts: (root: string, options: object) => string | null;
} = await import(join(import.meta.dirname, "../scripts/patch-packages.mjs"));

const BEFORE = "one\ntwo\nthree\nfour\n";
const AFTER = "one\n2\nthree\nfour\nfive\n";
const PATCH = "--- a/lib/index.js\n+++ b/lib/index.js\n@@ -1,4 +1,5 @@\n one\n-two\n+2\n three\n four\n+five\n";
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

let root: string;
let file: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "strongroom-patches-"));
  file = join(root, "node_modules/sample/lib/index.js");
  mkdirSync(join(root, "patches"));
  mkdirSync(join(root, "node_modules/sample/lib"), { recursive: true });
  writeFileSync(file, BEFORE);
  writeFileSync(join(root, "patches/sample.patch"), PATCH);
  const files = { "lib/index.js": { before: sha256(BEFORE), after: sha256(AFTER) } };
  const sample = { package: "sample", version: "1.0.0", patch: "sample.patch", files };
  writeFileSync(join(root, "patches/sample.json"), JSON.stringify(sample));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("a patch is applied once", () => {
  patchPackages(root);
  assert.equal(readFileSync(file, "utf8"), AFTER);
  patchPackages(root);
  assert.equal(readFileSync(file, "utf8"), AFTER);
});

test("a file that is neither the original nor the patched one stops the installation", () => {
  writeFileSync(file, `${BEFORE}more\n`);
  assert.throws(() => patchPackages(root), /sample\/lib\/index.js is not the file of version 1.0.0/);
  assert.equal(readFileSync(file, "utf8"), `${BEFORE}more\n`);
});

test("a patch whose result does not match its hash stops the installation", () => {
  writeFileSync(join(root, "patches/sample.patch"), PATCH.replace("+five", "+six"));
  assert.throws(() => patchPackages(root), /has another result/);
  assert.equal(readFileSync(file, "utf8"), BEFORE);
});

test("another installation that shares the file by a hard link keeps the original", () => {
  const shared = join(root, "shared.js");
  linkSync(file, shared);
  patchPackages(root);
  assert.equal(readFileSync(shared, "utf8"), BEFORE);
});

test("a patch of a package that is not installed is skipped", () => {
  rmSync(join(root, "node_modules/sample"), { recursive: true });
  patchPackages(root);
});

test("the native part of ssh2 is not built without Node's headers, and the reason is given", () => {
  mkdirSync(join(root, "node_modules/ssh2"));
  const npm = () => assert.fail("npm must not run");
  assert.equal(buildNativeParts(root, { key: "x", env: {}, npm }), "no headers of Node");
});

test("a failed build is reported and not tried again for the same packages", () => {
  mkdirSync(join(root, "node_modules/ssh2"));
  mkdirSync(join(root, `node_modules/node-${process.platform}-${process.arch}/include/node`), { recursive: true });
  writeFileSync(join(root, `node_modules/node-${process.platform}-${process.arch}/include/node/node.h`), "");
  const bin = join(root, "bin");
  mkdirSync(bin);
  for (const name of ["c++", "make", "python3"]) writeFileSync(join(bin, name), "");
  const path = process.env["PATH"];
  process.env["PATH"] = bin;
  try {
    let runs = 0;
    const npm = () => (runs += 1) < 0;
    assert.match(buildNativeParts(root, { key: "x", env: {}, npm }) ?? "", /the build failed/);
    assert.equal(buildNativeParts(root, { key: "x", env: {}, npm }), "the build failed earlier");
    assert.equal(runs, 1);
    buildNativeParts(root, { key: "y", env: {}, npm });
    assert.equal(runs, 2);
  } finally {
    process.env["PATH"] = path;
  }
});
