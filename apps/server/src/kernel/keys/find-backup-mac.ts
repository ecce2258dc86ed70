// Finds the root key that authenticates a backup: the active one, or an earlier one whose key file still exists.
import { SealError, Secret, backupMac, parseSealRecord, passphraseProvider, readKeyFile } from "@strongroom/keys";
import type { KeyRing, RootKey, SealRecord } from "@strongroom/keys";
import { readFileSync } from "node:fs";
import type { Config } from "../config.ts";
import type { BackupManifest, FindMac, Mac } from "../embedded/backup-manifest.ts";
import { StartError } from "../start-error.ts";

/** For a server: uses its active root key, or else works like `rootKeyOf`. */
export function findMacOfServer({ config, keys }: { config: Config; keys: KeyRing }): FindMac {
  return async (named) => {
    if (keys.isSealed)
      throw new StartError("The vault is sealed. Unseal it first: backups are authenticated with its key.");
    if (keys.rootKeyId === named.root_key.id) return (message) => keys.backupMac(message);
    return macOf(await rootKeyOf(config, recordIn(named)));
  };
}

/** The seal record of a manifest. Throws StartError if it does not match the root key that the manifest names. */
export function recordIn({ root_key: { id }, seal }: Pick<BackupManifest, "root_key" | "seal">): SealRecord {
  const record = parseSealRecord(seal);
  if (record.rootKeyId === id) return record;
  throw new StartError("The backup's manifest names two root keys. Use another backup.");
}

/** Takes over `root` and disposes of it after the first use. */
export function macOf(root: RootKey): Mac {
  return (message) => {
    try {
      return backupMac(root, message);
    } finally {
      root.dispose();
    }
  };
}

/**
 * Finds the root key that a record names, without asking the operator. INVARIANT: the key files are only read, because opening a
 * key file as at a start would make an older one active. Throws SealError when the key is not available.
 */
export async function rootKeyOf(config: Config, record: SealRecord): Promise<RootKey> {
  if (record.provider === "key-file") return readKeyFileOf(config.keyFile, record.rootKeyId);
  if (config.passphraseFile === null)
    throw new SealError("passphrase.wrong", "The passphrase is not available here. Set STRONGROOM_PASSPHRASE_FILE.");
  using passphrase = Secret.fromText(readFileSync(config.passphraseFile, "utf8").split(/\r?\n/, 1)[0] ?? "");
  return passphraseProvider(passphrase).open(record);
}

/** Looks in the key file itself and in the file that a rekey kept beside it. Throws SealError. */
export function readKeyFileOf(keyFile: string, rootKeyId: string): RootKey {
  for (const path of [keyFile, `${keyFile}.${rootKeyId}`]) {
    try {
      const root = readKeyFile(path);
      if (root.id === rootKeyId) return root;
      root.dispose();
    } catch (error) {
      if (!(error instanceof SealError) || error.code !== "key-file.missing") throw error;
    }
  }
  throw new SealError(
    "key-file.missing",
    `The backup needs the root key ${rootKeyId}. Put its key file at ${keyFile} or ${keyFile}.${rootKeyId} (mode 0600).`,
  );
}
