// `restore`: restores a backup into an empty data folder, starts its database once to check that it opens, and prints
// the next steps.
import { parseSealRecord } from "@strongroom/keys";
import { UnauthenticatedBackup } from "@strongroom/server/kernel/embedded/backup-manifest.ts";
import type { Authenticated } from "@strongroom/server/kernel/embedded/backup-manifest.ts";
import type { Embedded } from "@strongroom/server/kernel/embedded/embedded.ts";
import { markRestored } from "@strongroom/server/kernel/embedded/restore-mark.ts";
import { restore } from "@strongroom/server/kernel/embedded/restore.ts";
import { readConfig } from "@strongroom/server/kernel/config.ts";
import { createPendingKeys, usePendingKeys } from "@strongroom/server/kernel/audit/pending-keys.ts";
import { openDatabase } from "@strongroom/server/kernel/db/database.ts";
import { readSealRecord } from "@strongroom/server/kernel/keys/kek-store.ts";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { command } from "../command.ts";
import { CommandError } from "../command-error.ts";
import { refuseUnlessOwner } from "../other-owner.ts";
import { note, print } from "../output.ts";
import { findMacOfPerson } from "../root-key.ts";
import { versions } from "../schema-version.ts";
import { log } from "../command-context.ts";

export const restoreCommand = command({
  options: { "accept-unauthenticated": { type: "boolean" } },
  operands: [1, 1],
  async run({ "accept-unauthenticated": acceptUnauthenticated = false }, folder = "") {
    const config = readConfig(process.env);
    if (config.databaseUrl !== null) {
      throw new CommandError("The database is on an external server (DATABASE_URL). Restore it with pg_restore.");
    }
    const { dataFolder } = config;
    if (existsSync(dataFolder)) refuseUnlessOwner(dataFolder);
    const keyName = basename(config.keyFile);
    const kept = (name: string): boolean =>
      ["audit", "audit-sinks", "backups", "drills"].includes(name) ||
      name === keyName ||
      name.startsWith(`${keyName}.`);
    const findMac = findMacOfPerson(config);
    const proveIn = (embedded: Embedded, backup: Authenticated) => checkDatabase(embedded, backup, dataFolder);
    const restoring = restore({
      backup: folder,
      dataFolder,
      kept,
      prove: proveIn,
      findMac,
      acceptUnauthenticated,
      log,
    });
    const { manifest, isAuthenticated } = await restoring.catch(explain);
    print(`Restored the backup of ${manifest.made_at} into ${dataFolder}. Its database starts.`);
    if (isAuthenticated) print(`It authenticates with the root key ${manifest.root_key?.id}.`);
    else note("It was not authenticated. Anyone with write access may have changed it.");
    note(`It does not contain anything recorded or stored after ${manifest.made_at}. Now start Strongroom.`);
    note(
      "At the first start, all sessions, links and grants end and API tokens are suspended. An administrator then reviews the restore.",
    );
  },
});

function explain(error: unknown): never {
  if (!(error instanceof UnauthenticatedBackup)) throw error;
  throw new CommandError(
    `${error.message} Starting a changed database can run commands as this user. To restore it anyway, add ` +
      "--accept-unauthenticated.",
    { cause: error },
  );
}

/** Checks that the database answers, is not from a newer Strongroom, and matches the manifest. */
async function checkDatabase(
  { connection }: Embedded,
  { manifest, isAuthenticated }: Authenticated,
  dataFolder: string,
): Promise<void> {
  const { root_key: rootKey, made_at: madeAt } = manifest;
  const database = openDatabase({ connection, log, poolSize: 2, applicationName: "strongroom command" });
  usePendingKeys(database.pool, createPendingKeys(join(dataFolder, "audit")));
  try {
    const { stored, known } = await versions(database);
    if (stored > known)
      throw new CommandError(
        `This backup is of version ${stored}, but this Strongroom only supports ${known}. Use the newer Strongroom.`,
      );
    const seal = await readSealRecord(database);
    const id = seal === null ? null : parseSealRecord(seal).rootKeyId;
    if (id !== (rootKey?.id ?? null))
      throw new CommandError("The restored database and its manifest name different root keys.");
    await markRestored(database.pool, {
      found_by: "restore",
      backup_made_at: new Date(madeAt),
      is_authenticated: isAuthenticated,
    });
  } finally {
    await database.close();
  }
}
