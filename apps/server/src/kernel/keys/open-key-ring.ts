// Finds the root key at start, or leaves the vault sealed until a person brings the passphrase.
import { KeyRing, Secret, SealError, keyFileProvider, parseSealRecord, passphraseProvider } from "@strongroom/keys";
import type { SealProvider, SealRecord } from "@strongroom/keys";
import { readFileSync } from "node:fs";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import type { Log } from "../log.ts";
import { StartError } from "../start-error.ts";
import { createKekStore, insertSealRecord, lockFirstSeal, readSealRecord } from "./kek-store.ts";

export interface Vault {
  ring: KeyRing;
  /** Of the root key in force: a rekey may change it. */
  readonly provider: SealRecord["provider"];
  /** Unseals with a passphrase. Rejects with SealError `passphrase.wrong`, or `seal-record.other-provider`. */
  unsealWith(passphrase: Secret): Promise<void>;
  /**
   * Takes over the root key that a rekey has put in force; does nothing when there was none. While the new key file is
   * not there, what is loaded stays in use. Where a person has to bring the new passphrase, the vault is sealed.
   */
  follow(): Promise<void>;
  /** Why this process cannot use the root key that is in force, in a plain sentence; null when it can, or is sealed. */
  problem(): Promise<string | null>;
}

const LEFT_BEHIND =
  "The root key was changed, and the new one cannot be had here. Put its key file in place and restart this server";

/**
 * Opens the key ring. On the first start it makes the root key as the configuration says; later the stored seal record
 * decides. Rejects with StartError when the key file is not the right one.
 */
export async function openVault(config: Config, database: Database, log: Log): Promise<Vault> {
  try {
    const record = await sealRecordOf(config, database, log);
    const ring = new KeyRing(createKekStore(database));
    const provider = providerOf(config, record);
    if (provider !== null) await ring.unseal(await provider.open(record));
    return vaultOf({ config, database, log, ring, record });
  } catch (error) {
    if (error instanceof SealError) throw new StartError(error.message, { cause: error });
    throw error;
  }
}

interface Opened {
  config: Config;
  database: Database;
  log: Log;
  ring: KeyRing;
  record: SealRecord;
}

function vaultOf({ config, database, log, ring, record }: Opened): Vault {
  let inForce = record;
  const current = async () => parseSealRecord(await readSealRecord(database));
  return {
    ring,
    get provider() {
      return inForce.provider;
    },
    async unsealWith(passphrase) {
      inForce = await current();
      await ring.unseal(await passphraseProvider(passphrase).open(inForce));
    },
    async follow() {
      const before = inForce;
      inForce = await current();
      if (inForce.rootKeyId === before.rootKeyId || ring.isSealed) return;
      try {
        const provider = providerOf(config, inForce);
        if (provider !== null) return await ring.unseal(await provider.open(inForce));
      } catch (error) {
        if (!(error instanceof SealError || error instanceof StartError)) throw error;
        log.error({ err: error }, "the root key was changed, and the new one cannot be had here");
      }
      if (inForce.provider === "passphrase") ring.seal();
    },
    async problem() {
      const { rootKeyId } = ring;
      return rootKeyId === null || rootKeyId === (await current()).rootKeyId ? null : LEFT_BEHIND;
    },
  };
}

/** Null when a person has to bring the passphrase. */
function providerOf(config: Config, record: SealRecord): SealProvider | null {
  if (record.provider === "key-file") return keyFileProvider(config.keyFile);
  const passphrase = passphraseFromFile(config);
  return passphrase === null ? null : passphraseProvider(passphrase);
}

async function sealRecordOf(config: Config, database: Database, log: Log): Promise<SealRecord> {
  const stored = await readSealRecord(database);
  if (stored !== null) return parseSealRecord(stored);
  // INVARIANT: of several concurrent first starts, one creates the root key; the others wait and find its record.
  return database.transaction(async (tx) => {
    await lockFirstSeal(tx);
    const faster = await readSealRecord({ db: tx });
    if (faster !== null) return parseSealRecord(faster);
    const sealed = await firstProvider(config).create();
    await insertSealRecord(tx, sealed.record);
    sealed.root.dispose();
    log.info({ provider: sealed.record.provider }, "made the root key");
    return sealed.record;
  });
}

function firstProvider(config: Config): SealProvider {
  if (config.seal === "key-file") return keyFileProvider(config.keyFile);
  const passphrase = passphraseFromFile(config);
  if (passphrase === null) {
    throw new StartError(
      "The first start with STRONGROOM_SEAL=passphrase needs STRONGROOM_PASSPHRASE_FILE, a file that holds the new passphrase.",
    );
  }
  return passphraseProvider(passphrase);
}

function passphraseFromFile(config: Config): Secret | null {
  if (config.passphraseFile === null) return null;
  try {
    return Secret.fromText(readFileSync(config.passphraseFile, "utf8").split(/\r?\n/, 1)[0] ?? "");
  } catch (error) {
    throw new StartError(`The passphrase file ${config.passphraseFile} cannot be read.`, { cause: error });
  }
}
