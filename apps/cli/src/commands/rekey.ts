// `rekey`: replaces the root key. Every key-encryption key is wrapped anew; no stored secret is touched.
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
import { note, say } from "../output.ts";
import { COMMAND_LINE } from "../record.ts";
import { refuseUnlessOwner } from "../other-owner.ts";
import { openRootKey, readPassphraseFile } from "../root-key.ts";
import { atWork } from "../workplace.ts";
import type { Workplace } from "../workplace.ts";

interface Wish {
  "key-file"?: boolean | undefined;
  passphrase?: boolean | undefined;
  "passphrase-file"?: string | undefined;
}

export const rekey = command({
  options: { "key-file": { type: "boolean" }, passphrase: { type: "boolean" }, "passphrase-file": { type: "string" } },
  operands: [0, 0],
  async run(wish) {
    if (Object.keys(wish).length > 1) throw new UsageError("One kind of root key at a time.");
    await atWork((workplace) => replace(workplace, wish));
  },
});

async function replace(workplace: Workplace, wish: Wish): Promise<void> {
  const { config, database } = workplace;
  const { root: old, record: before } = await openRootKey(workplace);
  const kind = wish["key-file"] ? "key-file" : Object.keys(wish).length > 0 ? "passphrase" : before.provider;
  using passphrase = kind === "key-file" ? null : await newPassphrase(wish);
  if (kind === "key-file") refuseUnlessOwner(existsSync(config.keyFile) ? config.keyFile : dirname(config.keyFile));
  const next = passphrase === null ? keyFileProvider(config.keyFile) : passphraseProvider(passphrase);
  const record = await replaceRootKey({
    ...workplace,
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

async function newPassphrase(wish: Wish): Promise<Secret> {
  const file = wish["passphrase-file"];
  if (file !== undefined) return readPassphraseFile(file);
  if (!process.stdin.isTTY) throw new UsageError("Without a terminal the new passphrase comes by --passphrase-file.");
  return Secret.fromText(await askNewSecret("New passphrase", "The same again"));
}

function tell(before: SealRecord, now: SealRecord, { keyFile }: Config): void {
  say(`The root key is now ${now.rootKeyId}; it was ${before.rootKeyId}.`);
  if (now.provider === "key-file")
    say(`${keyFile} holds it: copy it to where you keep keys, and to every machine that has one.`);
  else say("It comes from the new passphrase, which the next start asks for (or STRONGROOM_PASSPHRASE_FILE).");
  if (before.provider === "passphrase") return say("Backups made before now open with the old passphrase.");
  const kept = now.provider === "key-file" ? `${keyFile}.${before.rootKeyId}` : keyFile;
  say(
    `${kept} holds the old one: backups made before now need it. Keep it elsewhere as long as those, and delete it here.`,
  );
}

function adviceForServers({ provider }: SealRecord): string {
  return provider === "key-file"
    ? "Running servers take the new key from the key file. One on another machine needs the new file there, and a restart."
    : "Running servers are sealed now, unless their STRONGROOM_PASSPHRASE_FILE holds the new passphrase: run strongroom unseal.";
}

/** Other connections than those of commands are a server's. */
async function isServerConnected({ pool }: Database): Promise<boolean> {
  const { rows } = await pool.query(
    `select from pg_stat_activity
     where datname = current_database() and application_name in ('strongroom', 'strongroom jobs') limit 1`,
  );
  return rows.length > 0;
}
