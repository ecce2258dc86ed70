// Applies the patches of `patches/` to installed packages, and builds the native part of ssh2. Plain JavaScript.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

const sha256 = (text) => createHash("sha256").update(text).digest("hex");

/**
 * Applies each patch whose files do not have it yet. Throws when a file is neither the original nor the patched one.
 * @param {string} root The folder with `patches` and `node_modules`.
 */
export function patchPackages(root) {
  const folder = join(root, "patches");
  for (const name of readdirSync(folder).filter((each) => each.endsWith(".json"))) {
    const { package: packageName, version, patch, files } = JSON.parse(readFileSync(join(folder, name), "utf8"));
    const installed = join(root, "node_modules", packageName);
    if (!existsSync(installed)) continue;
    const changes = parsePatch(readFileSync(join(folder, patch), "utf8"));
    for (const [path, { before, after }] of Object.entries(files)) {
      const file = join(installed, path);
      const text = readFileSync(file, "utf8");
      if (sha256(text) === after) continue;
      if (sha256(text) !== before) {
        throw new Error(`${packageName}/${path} is not the file of version ${version}, so ${patch} does not apply.`);
      }
      const patched = applyChanges(text, changes.get(path) ?? []);
      if (sha256(patched) !== after) throw new Error(`${patch} has another result for ${path} than ${name} says.`);
      // A new file, because installed files can be hard links to those of another installation.
      const fresh = `${file}.${process.pid}.patched`;
      writeFileSync(fresh, patched);
      renameSync(fresh, file);
    }
  }
}

/** The changed parts by file: lines of a unified diff, with the position in the original. */
function parsePatch(text) {
  const changes = new Map();
  let parts = [];
  for (const line of text.replace(/\n$/, "").split("\n")) {
    const [, path] = /^\+\+\+ b\/(\S+)/.exec(line) ?? [];
    const [, from] = /^@@ -(\d+)/.exec(line) ?? [];
    if (path !== undefined) changes.set(path, (parts = []));
    else if (from !== undefined) parts.push({ from: Number(from) - 1, lines: [] });
    else if (!line.startsWith("--- ")) parts.at(-1)?.lines.push(line);
  }
  return changes;
}

function applyChanges(text, parts) {
  const original = text.split("\n");
  const result = [];
  let at = 0;
  for (const { from, lines } of parts) {
    result.push(...original.slice(at, from));
    at = from;
    for (const line of lines) {
      if (line.startsWith("+")) result.push(line.slice(1));
      else if (line.startsWith(" ")) result.push(original[at++]);
      else at += 1;
    }
  }
  return [...result, ...original.slice(at)].join("\n");
}

const ADDON = "node_modules/ssh2/lib/protocol/crypto/build/Release/sshcrypto.node";
const COMPILERS = ["c++", "g++", "clang++"];
const isOnPath = (name) =>
  (process.env.PATH ?? "").split(delimiter).some((folder) => folder !== "" && existsSync(join(folder, name)));

/**
 * Builds ssh2's native part if a compiler and Node's headers are installed; downloads nothing. Returns why it is not
 * built, or null. A build that failed is not tried again until `key` changes.
 * @param {string} root
 * @param {{ key: string, env: NodeJS.ProcessEnv, npm: (args: string[], env: NodeJS.ProcessEnv) => boolean }} options
 */
export function buildNativeParts(root, { key, env, npm }) {
  if (!existsSync(join(root, "node_modules/ssh2")) || existsSync(join(root, ADDON))) return null;
  const headers = join(root, `node_modules/node-${process.platform}-${process.arch}`);
  if (process.platform === "win32" || !existsSync(join(headers, "include/node/node.h"))) return "no headers of Node";
  if (!COMPILERS.some(isOnPath) || !isOnPath("make") || !isOnPath("python3")) {
    return "no C++ compiler with make and python3";
  }
  const marker = join(root, "node_modules", ".strongroom-native");
  if (existsSync(marker) && readFileSync(marker, "utf8") === key) return "the build failed earlier";
  console.log("Building the native part of ssh2 …");
  const isBuilt =
    npm(["rebuild", "ssh2", "--ignore-scripts=false", "--loglevel=error"], { ...env, npm_config_nodedir: headers }) &&
    existsSync(join(root, ADDON));
  rmSync(marker, { force: true });
  if (isBuilt) return null;
  writeFileSync(marker, key);
  return "the build failed; see npm's output above";
}
