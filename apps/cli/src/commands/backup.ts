// `backup`: a consistent copy of the embedded database, while the server runs or not. The root key is never in it.
import { parseSealRecord } from "@strongroom/keys";
import { backUp } from "@strongroom/server/kernel/embedded/backup.ts";
import { readSealRecord } from "@strongroom/server/kernel/keys/kek-store.ts";
import { command } from "../command.ts";
import { CommandError } from "../command-error.ts";
import { count, note, say, sayJson } from "../output.ts";
import { record } from "../record.ts";
import { findMacOfPerson } from "../root-key.ts";
import { atWork } from "../workplace.ts";
import type { Workplace } from "../workplace.ts";

export const backup = command({
  options: { json: { type: "boolean" } },
  operands: [1, 1],
  async run({ json }, folder = "") {
    await atWork((workplace) => makeBackup(workplace, folder, json === true), { anyVersion: true });
  },
});

async function makeBackup({ embedded, database, config }: Workplace, folder: string, asJson: boolean): Promise<void> {
  if (embedded === null) {
    throw new CommandError("This database is a server's own (DATABASE_URL): back it up with pg_dump --format=custom.");
  }
  // INVARIANT: what leaves is on record before it leaves; so the copy holds the record of itself.
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
  if (asJson) return sayJson({ made_at: madeAt, major, root_key: rootKey, files: manifest.files.length, bytes });
  say(`Backed up ${count(manifest.files.length, "file")}, ${(bytes / 1e6).toFixed(0)} MB, as of ${madeAt}.`);
  const where = rootKey.provider === "key-file" ? `the key file ${config.keyFile}` : "the passphrase";
  note(`It is worthless without the root key ${rootKey.id}: keep a copy of ${where}, and not beside this backup.`);
}
