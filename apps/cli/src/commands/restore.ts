// `restore`: puts a backup into an empty data folder, starts its database once to see that it opens, and says what it needs.
import { SealError, parseSealRecord, readKeyFile } from "@strongroom/keys";
import type { BackupManifest } from "@strongroom/server/kernel/embedded/backup-manifest.ts";
import type { Embedded } from "@strongroom/server/kernel/embedded/embedded.ts";
import { restore } from "@strongroom/server/kernel/embedded/restore.ts";
import { readConfig } from "@strongroom/server/kernel/config.ts";
import type { Config } from "@strongroom/server/kernel/config.ts";
import { openDatabase } from "@strongroom/server/kernel/db/database.ts";
import { readSealRecord } from "@strongroom/server/kernel/keys/kek-store.ts";
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { command } from "../command.ts";
import { CommandError } from "../command-error.ts";
import { refuseUnlessOwner } from "../other-owner.ts";
import { note, say } from "../output.ts";
import { record } from "../record.ts";
import { versions } from "../schema-version.ts";
import { log } from "../workplace.ts";

export const restoreCommand = command({
  options: {},
  operands: [1, 1],
  async run(_values, folder = "") {
    const config = readConfig(process.env);
    if (config.databaseUrl !== null) {
      throw new CommandError("This database is a server's own (DATABASE_URL): restore it with pg_restore.");
    }
    const { dataFolder } = config;
    if (existsSync(dataFolder)) refuseUnlessOwner(dataFolder);
    const keyName = basename(config.keyFile);
    const kept = (name: string): boolean =>
      ["audit", "audit-sinks", "backups", "drills"].includes(name) ||
      name === keyName ||
      name.startsWith(`${keyName}.`);
    const manifest = await restore({ backup: folder, dataFolder, kept, prove, log });
    say(`Restored the backup of ${manifest.made_at} into ${dataFolder}. Its database opens.`);
    tellOfKey(manifest, config);
    note(`What was recorded and stored after ${manifest.made_at} is not in it. Now start Strongroom.`);
  },
});

/** The database answers, is not from a newer Strongroom, and is the one that the manifest speaks of. */
async function prove({ connection }: Embedded, { root_key: rootKey, made_at: madeAt }: BackupManifest): Promise<void> {
  const database = openDatabase({ connection, log, poolSize: 2, applicationName: "strongroom command" });
  try {
    const { stored, known } = await versions(database);
    if (stored > known)
      throw new CommandError(
        `This backup is of version ${stored}, this Strongroom only of ${known}: use the newer one.`,
      );
    const seal = await readSealRecord(database);
    const id = seal === null ? null : parseSealRecord(seal).rootKeyId;
    if (id !== (rootKey?.id ?? null))
      throw new CommandError("The restored database names another root key than its manifest.");
    if (stored === known) await record(database, "backup.restored", { details: { made_at: madeAt } });
  } finally {
    await database.close();
  }
}

function tellOfKey({ root_key: rootKey }: BackupManifest, { keyFile }: Config): void {
  if (rootKey === null) return;
  if (rootKey.provider !== "key-file") return say("It needs the passphrase that was in force then.");
  const found = keyIdIn(keyFile) ?? keyIdIn(`${keyFile}.${rootKey.id}`);
  if (found === rootKey.id) return say(`It needs the root key ${rootKey.id}, which ${keyFile} holds.`);
  say(`It needs the root key ${rootKey.id}: put its key file at ${keyFile} (mode 0600) before you start.`);
}

/** Null where there is no key file that could be read: which is what the person is about to be told. */
function keyIdIn(path: string): string | null {
  try {
    const root = readKeyFile(path);
    root.dispose();
    return root.id;
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}
