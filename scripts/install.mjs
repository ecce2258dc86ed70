// Installs missing packages, from the lockfile only. Plain JavaScript, so that any Node from version 18 can run it.
import { createHash } from "node:crypto";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildNativeParts, patchPackages } from "./patch-packages.mjs";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stampFile = join(root, "node_modules", ".strongroom-installed");

const [major, minor] = process.versions.node.split(".").map(Number);
/** The platform package for Apple silicon is too old for the server (argon2id needs Node 24.7). */
const isPackageTooOld = process.platform === "darwin" && process.arch === "arm64";

/** The pinned Node that everything runs on. */
export const pinnedNode = isPackageTooOld ? process.execPath : join(root, "node_modules", ".bin", "node");

/**
 * Ensures that `node_modules` matches the lockfile. A development install also serves production.
 * @param {"production" | "development"} kind
 */
export function ensureInstalled(kind) {
  if (isPackageTooOld && (major < 24 || (major === 24 && minor < 7))) {
    console.error("On Apple silicon, Strongroom needs Node 24.7 or newer on the PATH.");
    process.exit(1);
  }
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  const stamp = existsSync(stampFile) ? readFileSync(stampFile, "utf8").trim() : "";
  const isInstalled = stamp === `development ${lock}` || stamp === `${kind} ${lock}`;
  if (!isInstalled) install(kind);
  // Also needed after a plain `npm ci`, which runs no scripts.
  patchPackages(root);
  const notBuilt = buildNativeParts(root, { key: lock, env: environment(), npm });
  if (isInstalled) return;
  if (notBuilt !== null) {
    console.log(`Sessions will need about twice the processor time: ssh2 has no native part (${notBuilt}).`);
  }
  writeFileSync(stampFile, `${kind} ${lock}\n`);
}

/** @param {"production" | "development"} kind */
function install(kind) {
  console.log("Installing packages (once for each version of the lockfile) …");
  const args = ["ci", "--no-audit", "--no-fund", "--loglevel=error", ...(kind === "production" ? ["--omit=dev"] : [])];
  if (!npm(args, environment())) {
    console.error("The packages could not be installed. See npm's output above.");
    process.exit(1);
  }
  if (!existsSync(pinnedNode)) {
    console.error(`No pinned Node package supports ${process.platform} ${process.arch}.`);
    process.exit(1);
  }
}

function environment() {
  const { npm_config_ignore_scripts: _, ...env } = process.env;
  return env;
}

/** Runs npm in the repository. Returns whether it succeeded. */
function npm(args, env) {
  const path = process.env.npm_execpath;
  const command = path?.endsWith(".js") ? [process.execPath, [path, ...args]] : ["npm", args];
  return spawnSync(command[0], command[1], { cwd: root, stdio: "inherit", env }).status === 0;
}
