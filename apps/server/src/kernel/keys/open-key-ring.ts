// Loads the root key at start, or leaves the vault sealed until an operator enters the passphrase.
import { KeyRing, Secret, SealError, keyFileProvider, parseSealRecord, passphraseProvider } from "@strongroom/keys";
import type { SealProvider, SealRecord } from "@strongroom/keys";
import { readFileSync } from "node:fs";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import type { Log } from "../log.ts";
import { StartError } from "../start-error.ts";
import { createKekStore, insertSealRecord, lockFirstSeal, readSealRecord } from "./kek-store.ts";

export interface SealableKeyRing {
  ring: KeyRing;
  /** The provider of the current root key, which a rekey may change. */
  readonly provider: SealRecord["provider"];
  /** Unseals with a passphrase. Rejects with SealError `passphrase.wrong`, or `seal-record.other-provider`. */
  unsealWith(passphrase: Secret): Promise<void>;
  /**
   * Loads the new root key after a rekey; does nothing if there was none. While the new key file is missing, the loaded keys stay
   * in use. If the operator must enter the new passphrase, the vault is sealed.
   */
  follow(): Promise<void>;
  /** In one sentence, why this process cannot use the current root key; null if it can, or if it is sealed. */
  problem(): Promise<string | null>;
}

const LEFT_BEHIND =
  "The root key changed, and this server does not have the new one. Copy its key file here and restart this server";

/**
 * Opens the key ring. The first start creates the root key as configured; later, the stored seal record decides. Rejects with
 * StartError if the key file does not match.
 */
export async function openKeyRing(config: Config, database: Database, log: Log): Promise<SealableKeyRing> {
  try {
    const record = await sealRecordOf(config, database, log);
    const ring = new KeyRing(createKekStore(database));
    const provider = providerOf(config, record);
    if (provider !== null) await ring.unseal(await provider.open(record));
    return keyRingOf({ config, database, log, ring, record });
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

function keyRingOf({ config, database, log, ring, record }: Opened): SealableKeyRing {
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
        log.error({ err: error }, "the root key changed, and the new one is not available here");
      }
      if (inForce.provider === "passphrase") ring.seal();
    },
    async problem() {
      const { rootKeyId } = ring;
      return rootKeyId === null || rootKeyId === (await current()).rootKeyId ? null : LEFT_BEHIND;
    },
  };
}

/** Null if an operator must enter the passphrase. */
function providerOf(config: Config, record: SealRecord): SealProvider | null {
  if (record.provider === "key-file") return keyFileProvider(config.keyFile);
  const passphrase = passphraseFromFile(config);
  return passphrase === null ? null : passphraseProvider(passphrase);
}

async function sealRecordOf(config: Config, database: Database, log: Log): Promise<SealRecord> {
  const stored = await readSealRecord(database);
  if (stored !== null) return parseSealRecord(stored);
  // INVARIANT: of several concurrent first starts, exactly one creates the root key; the others wait and find its record.
  return database.transaction(async (tx) => {
    await lockFirstSeal(tx);
    const faster = await readSealRecord({ db: tx });
    if (faster !== null) return parseSealRecord(faster);
    const sealed = await firstProvider(config).create();
    await insertSealRecord(tx, sealed.record);
    sealed.root.dispose();
    log.info({ provider: sealed.record.provider }, "created the root key");
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
