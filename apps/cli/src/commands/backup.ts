// `backup`: makes a consistent copy of the embedded database, with or without a running server. Never includes the root
// key.
import { parseSealRecord } from "@strongroom/keys";
import { backUp } from "@strongroom/server/kernel/embedded/backup.ts";
import { readSealRecord } from "@strongroom/server/kernel/keys/kek-store.ts";
import { command } from "../command.ts";
import { CommandError } from "../command-error.ts";
import { count, note, print, printJson } from "../output.ts";
import { record } from "../record.ts";
import { findMacOfPerson } from "../root-key.ts";
import { withContext } from "../command-context.ts";
import type { CommandContext } from "../command-context.ts";
import { readConfig } from "@strongroom/server/kernel/config.ts";
import { verifyBackup } from "@strongroom/server/kernel/embedded/restore.ts";

export const backup = command({
  options: { json: { type: "boolean" } },
  operands: [1, 1],
  async run({ json }, folder = "") {
    await withContext((context) => makeBackup(context, folder, json === true), { anyVersion: true });
  },
});

async function makeBackup(
  { embedded, database, config }: CommandContext,
  folder: string,
  asJson: boolean,
): Promise<void> {
  if (embedded === null) {
    throw new CommandError(
      "The database is on an external server (DATABASE_URL). Back it up with pg_dump --format=custom.",
    );
  }
  // INVARIANT: data that leaves is audited before it leaves; so the copy contains its own audit entry.
  await record(database, "backup.started", { result: "info" });
  const manifest = await backUp({
    administration: embedded.administration,
    dataFolder: config.dataFolder,
    target: folder,
    beside: ["audit"],
    findMac: findMacOfPerson(config),
    async seal() {
      const stored = await readSealRecord(database);
      return stored === null ? null : parseSealRecord(stored);
    },
  });
  const bytes = manifest.files.reduce((sum, { size }) => sum + size, 0);
  const { made_at: madeAt, root_key: rootKey, major } = manifest;
  await record(database, "backup.completed", { details: { made_at: madeAt, files: manifest.files.length, bytes } });
  if (asJson) return printJson({ made_at: madeAt, major, root_key: rootKey, files: manifest.files.length, bytes });
  print(`Backed up ${count(manifest.files.length, "file")}, ${(bytes / 1e6).toFixed(0)} MB, as of ${madeAt}.`);
  const where = rootKey.provider === "key-file" ? `the key file ${config.keyFile}` : "the passphrase";
  note(`It is useless without the root key ${rootKey.id}: keep a copy of ${where}, but not with this backup.`);
}

export const backupVerify = command({
  options: { json: { type: "boolean" } },
  operands: [1, 1],
  async run({ json }, folder = "") {
    const { manifest } = await verifyBackup(folder, findMacOfPerson(readConfig(process.env)));
    const { made_at: madeAt, root_key: rootKey, strongroom, files } = manifest;
    if (json === true) return printJson({ made_at: madeAt, root_key: rootKey, strongroom, files: files.length });
    print(`${count(files.length, "file")}, unchanged since Strongroom ${strongroom} wrote them at ${madeAt}.`);
    print(`Authenticated with the root key ${rootKey?.id}.`);
  },
});
