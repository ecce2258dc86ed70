// Who may see how the system is, and look after it; and the rules of what may be done from here.
import type { Grants } from "#kernel/authz/authorise.ts";

export const grants = {
  "system.read": ["admin"],
  "system.manage": ["admin"],
} satisfies Grants;

/** A process says this often that it is there, and counts as gone after a while of silence. Milliseconds. */
export const SIGN_OF_LIFE_EVERY = 10_000;
export const GONE_AFTER = 60_000;

interface KeyPlace {
  provider: "key-file" | "passphrase";
  isSealed: boolean;
  /** Whether every process of this Strongroom runs on this machine: the database is private to it. */
  isOneMachine: boolean;
}

/** Why the root key cannot be replaced from the Admin Console; null when it can. */
export function rekeyObstacle({ provider, isSealed, isOneMachine }: KeyPlace): string | null {
  if (isSealed) return "The vault is sealed.";
  if (provider === "passphrase") {
    return "A new passphrase is chosen at a terminal, so that it travels nowhere: npx strongroom rekey.";
  }
  if (!isOneMachine) {
    return "Servers on other machines need the new key file too: run npx strongroom rekey, and copy it to them.";
  }
  return null;
}

/** What to do where backups cannot be made from here; null where they can. */
export const backupInstead = (isEmbedded: boolean): string | null =>
  isEmbedded
    ? null
    : "This database is a server's own (DATABASE_URL). Back it up with pg_dump --format=custom, or with your cluster's own backups.";

export const isWithin = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** What is to be known of the folder in which backups lie; null when there is nothing. */
export const folderWarning = (dataFolder: string, backupFolder: string): string | null =>
  isWithin(dataFolder, backupFolder)
    ? "Backups lie in the data folder, with which they would be lost. Set STRONGROOM_BACKUPS to a folder on another disk."
    : null;

/** `20261121T093000Z`. */
export const backupName = (at: Date): string => at.toISOString().replace(/[-:]|\.\d+/g, "");

/** Room that is left when a copy of this size was made; below it, none is begun. */
export const hasRoom = (free: number, size: number): boolean => free > size * 1.1 + 256 * 1024 * 1024;
