// `rekey`: replaces the root key. Rewraps every key-encryption key and touches no stored secret.
import { Secret, keyFileProvider, passphraseProvider } from "@strongroom/keys";
import type { SealRecord } from "@strongroom/keys";
import { systemEntry } from "@strongroom/server/kernel/audit/entry.ts";
import type { Config } from "@strongroom/server/kernel/config.ts";
import type { Database } from "@strongroom/server/kernel/db/database.ts";
import { replaceRootKey } from "@strongroom/server/kernel/keys/replace-root-key.ts";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { askNewSecret } from "../ask-secret.ts";
import { command } from "../command.ts";
import { UsageError } from "../command-error.ts";
import { note, print } from "../output.ts";
import { COMMAND_LINE } from "../record.ts";
import { refuseUnlessOwner } from "../other-owner.ts";
import { openRootKey, readPassphraseFile } from "../root-key.ts";
import { withContext } from "../command-context.ts";
import type { CommandContext } from "../command-context.ts";

interface RekeyOptions {
  "key-file"?: boolean | undefined;
  passphrase?: boolean | undefined;
  "passphrase-file"?: string | undefined;
}

export const rekey = command({
  options: { "key-file": { type: "boolean" }, passphrase: { type: "boolean" }, "passphrase-file": { type: "string" } },
  operands: [0, 0],
  async run(options) {
    if (Object.keys(options).length > 1)
      throw new UsageError("Choose only one of --key-file, --passphrase and --passphrase-file.");
    await withContext((context) => replace(context, options));
  },
});

async function replace(context: CommandContext, options: RekeyOptions): Promise<void> {
  const { config, database } = context;
  const { root: old, record: before } = await openRootKey(context);
  const kind = options["key-file"] ? "key-file" : Object.keys(options).length > 0 ? "passphrase" : before.provider;
  using passphrase = kind === "key-file" ? null : await newPassphrase(options);
  if (kind === "key-file") refuseUnlessOwner(existsSync(config.keyFile) ? config.keyFile : dirname(config.keyFile));
  const next = passphrase === null ? keyFileProvider(config.keyFile) : passphraseProvider(passphrase);
  const record = await replaceRootKey({
    ...context,
    old,
    next,
    entryOf: (id) =>
      systemEntry(
        "seal.rekeyed",
        COMMAND_LINE,
        { target: { type: "root-key", id }, details: { from: before.rootKeyId } },
        new Date(),
      ),
  });
  old.dispose();
  tell(before, record, config);
  if (await isServerConnected(database)) note(adviceForServers(record));
}

async function newPassphrase(options: RekeyOptions): Promise<Secret> {
  const file = options["passphrase-file"];
  if (file !== undefined) return readPassphraseFile(file);
  if (!process.stdin.isTTY) throw new UsageError("Without a terminal, pass the new passphrase with --passphrase-file.");
  return Secret.fromText(await askNewSecret("New passphrase", "Repeat the new passphrase"));
}

function tell(before: SealRecord, now: SealRecord, { keyFile }: Config): void {
  print(`The root key is now ${now.rootKeyId}; it was ${before.rootKeyId}.`);
  if (now.provider === "key-file")
    print(`${keyFile} contains it: copy the file to your key storage and to every machine that has a copy.`);
  else print("It is derived from the new passphrase. The next start asks for it, or reads STRONGROOM_PASSPHRASE_FILE.");
  if (before.provider === "passphrase") return print("Earlier backups still need the old passphrase.");
  const kept = now.provider === "key-file" ? `${keyFile}.${before.rootKeyId}` : keyFile;
  print(
    `${kept} contains the old one, which earlier backups need. Store it elsewhere as long as you keep them, and delete it here.`,
  );
}

function adviceForServers({ provider }: SealRecord): string {
  return provider === "key-file"
    ? "Running servers read the new key from the key file. A server on another machine needs the new file and a restart."
    : "Running servers are sealed now, unless their STRONGROOM_PASSPHRASE_FILE contains the new passphrase: run strongroom unseal.";
}

/** All connections except those of commands belong to a server. */
async function isServerConnected({ pool }: Database): Promise<boolean> {
  const { rows } = await pool.query(
    `select from pg_stat_activity
     where datname = current_database() and application_name in ('strongroom', 'strongroom jobs') limit 1`,
  );
  return rows.length > 0;
}
