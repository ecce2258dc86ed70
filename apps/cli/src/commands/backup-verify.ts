// `backup verify`: authenticates a backup and compares every file with its checksum. Starts nothing and changes nothing.
import { readConfig } from "@strongroom/server/kernel/config.ts";
import { verifyBackup } from "@strongroom/server/kernel/embedded/restore.ts";
import { command } from "../command.ts";
import { count, print, printJson } from "../output.ts";
import { findMacOfPerson } from "../root-key.ts";

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
