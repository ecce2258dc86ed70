// The current root key for commands: from the key file, the passphrase file, or the terminal.
import { KeyRing, Secret, keyFileProvider, parseSealRecord, passphraseProvider } from "@strongroom/keys";
import type { RootKey, SealRecord } from "@strongroom/keys";
import { createKekStore, readSealRecord } from "@strongroom/server/kernel/keys/kek-store.ts";
import { readFileSync } from "node:fs";
import { askSecret, firstLine } from "./ask-secret.ts";
import { CommandError } from "./command-error.ts";
import { macOf, readKeyFileOf, recordIn } from "@strongroom/server/kernel/keys/find-backup-mac.ts";
import type { FindMac } from "@strongroom/server/kernel/embedded/backup-manifest.ts";
import type { Config } from "@strongroom/server/kernel/config.ts";
import type { CommandContext } from "./command-context.ts";

/** The caller disposes of `root`. Throws SealError or CommandError with one sentence when the key is unavailable. */
export async function openRootKey({
  config,
  database,
}: CommandContext): Promise<{ root: RootKey; record: SealRecord }> {
  const stored = await readSealRecord(database);
  if (stored === null) throw new CommandError("There is no root key yet. Start Strongroom once.");
  const record = parseSealRecord(stored);
  if (record.provider === "key-file") return { root: await keyFileProvider(config.keyFile).open(record), record };
  return { root: await openPassphrase(config, record), record };
}

async function openPassphrase({ passphraseFile: file }: Config, record: SealRecord): Promise<RootKey> {
  using passphrase = file === null ? Secret.fromText(await askSecret("Passphrase")) : readPassphraseFile(file);
  return passphraseProvider(passphrase).open(record);
}

/** The root key that authenticates a backup: from its key file (opened read-only) or from its passphrase. */
export function findMacOfPerson(config: Config): FindMac {
  return async (named) => {
    const record = recordIn(named);
    const isFile = record.provider === "key-file";
    return macOf(isFile ? readKeyFileOf(config.keyFile, record.rootKeyId) : await openPassphrase(config, record));
  };
}

/** The first line of the file, as a secret that the caller disposes of. */
export function readPassphraseFile(path: string): Secret {
  try {
    return Secret.fromText(firstLine(readFileSync(path, "utf8")));
  } catch (error) {
    throw new CommandError(`The passphrase file ${path} cannot be read.`, { cause: error });
  }
}

/** Passes `work` a key ring that is unsealed while it runs. */
export async function withKeys<T>(context: CommandContext, work: (keys: KeyRing) => Promise<T>): Promise<T> {
  const keys = new KeyRing(createKekStore(context.database));
  const { root } = await openRootKey(context);
  await keys.unseal(root);
  try {
    return await work(keys);
  } finally {
    keys.seal();
  }
}
