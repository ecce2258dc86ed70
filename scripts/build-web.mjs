// Builds the web app if its sources changed since the last build.
import { createHash } from "node:crypto";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pinnedNode, root } from "./install.mjs";

const web = join(root, "apps", "web");
const stampFile = join(web, "dist", ".built-from");
const sources = [
  "apps/web/src",
  "apps/web/public",
  "apps/web/index.html",
  "apps/web/vite.config.ts",
  "packages/contract/src",
  "package-lock.json",
];

function* files(path) {
  if (!existsSync(path)) return;
  const entries = readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const full = join(path, entry.name);
    if (entry.isDirectory()) yield* files(full);
    else if (!/\.test\.tsx?$/.test(entry.name)) yield full;
  }
}

function fingerprint() {
  const hash = createHash("sha256");
  for (const source of sources.map((path) => join(root, path))) {
    const isFile = /\.(html|ts|json)$/.test(source);
    for (const file of isFile ? [source] : files(source)) {
      hash
        .update(`${relative(root, file)}\0`)
        .update(readFileSync(file))
        .update("\0");
    }
  }
  return hash.digest("hex");
}

export function ensureWebBuilt() {
  const wanted = fingerprint();
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8").trim() === wanted) return;
  console.log("Building the web app …");
  const vite = join(root, "node_modules", "vite", "bin", "vite.js");
  const result = spawnSync(pinnedNode, [vite, "build", "--logLevel", "warn"], { cwd: web, stdio: "inherit" });
  if (result.status !== 0) {
    console.error("The web app could not be built. See the output above.");
    process.exit(1);
  }
  writeFileSync(stampFile, `${wanted}\n`);
}
