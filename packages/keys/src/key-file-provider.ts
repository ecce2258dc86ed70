// The default seal provider: keeps the root key in a file beside the database.
import { existsSync, linkSync, renameSync, unlinkSync } from "node:fs";
import { SealError } from "./errors.ts";
import { createKeyFile, isSystemError, keyFileError, keyFileRefusal, readKeyFile, syncFolderOf } from "./key-file.ts";
import { RootKey } from "./root-key.ts";
import type { SealProvider } from "./seal-provider.ts";
import type { KeyFileSealRecord, SealRecord } from "./seal-record.ts";

/**
 * Keeps the root key in the file `path`.
 *
 * A rekey writes the new key to `path.<root key id>` first and moves it to `path` after the database's commit;
 * the old key then stays as `path.<its id>`, because backups from before the rekey need it. So whichever root
 * key the database names, before or after a crash at any step, `open` finds it under one of the two names and
 * finishes the move.
 */
export function keyFileProvider(path: string): SealProvider {
  return {
    name: "key-file",

    async create() {
      const root = readIfThere(path) ?? createKeyFile(path);
      return { root, record: recordOf(root) };
    },

    async open(record) {
      return openKeyFile(path, record);
    },

    async stage() {
      const root = RootKey.generate();
      const staged = besides(path, root.id);
      createKeyFile(staged, root);
      readKeyFile(staged).dispose();
      return {
        root,
        record: recordOf(root),
        putInPlace: async () => putInPlace(path, root.id),
        discard: async () => {
          root.dispose();
          unlinkSync(staged);
        },
      };
    },
  };
}

function openKeyFile(path: string, record: SealRecord): RootKey {
  if (record.provider !== "key-file") {
    throw new SealError(
      "seal-record.other-provider",
      "This database is sealed by a passphrase. Unseal it with the passphrase.",
    );
  }
  const { rootKeyId } = record;
  const inPlace = readIfThere(path, rootKeyId);
  if (inPlace) return inPlace;
  const staged = readIfThere(besides(path, rootKeyId), rootKeyId);
  if (staged) {
    putInPlace(path, rootKeyId);
    return staged;
  }
  // Another process may have moved the key file into place between these two reads.
  const moved = readIfThere(path, rootKeyId);
  if (moved) return moved;
  throw keyFileRefusal(existsSync(path) ? "key-file.other-root-key" : "key-file.missing", path);
}

/**
 * Keeps the key at `path` under its own name, then moves the staged key to `path`: both have a name at every
 * moment. Several processes that start after a crash may do this at once.
 */
function putInPlace(path: string, rootKeyId: string): void {
  try {
    const current = readIfThere(path);
    if (current?.id === rootKeyId) return;
    if (current) keepBeside(path, current.id);
    renameSync(besides(path, rootKeyId), path);
    syncFolderOf(path);
  } catch (error) {
    if (isSystemError(error, "ENOENT") && readIfThere(path, rootKeyId)) return;
    throw keyFileError(path, error, "key-file.unwritable");
  }
}

function keepBeside(path: string, rootKeyId: string): void {
  try {
    linkSync(path, besides(path, rootKeyId));
  } catch (error) {
    // The name contains the key's id, so an existing file holds this same key.
    if (!isSystemError(error, "EEXIST")) throw error;
  }
  syncFolderOf(path);
}

/** Null when the file is missing or holds a different root key. */
function readIfThere(path: string, rootKeyId?: string): RootKey | null {
  try {
    const root = readKeyFile(path);
    return rootKeyId === undefined || root.id === rootKeyId ? root : null;
  } catch (error) {
    if (error instanceof SealError && error.code === "key-file.missing") return null;
    throw error;
  }
}

function besides(path: string, rootKeyId: string): string {
  return `${path}.${rootKeyId}`;
}

function recordOf(root: RootKey): KeyFileSealRecord {
  return { version: 1, provider: "key-file", rootKeyId: root.id };
}
