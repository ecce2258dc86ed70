// The permissions and rules of the Admin Console.
import type { RolePermissions } from "#kernel/authz/authorise.ts";

export const rolePermissions = {
  "system.read": ["admin"],
  "system.manage": ["admin"],
} satisfies RolePermissions;

/**
 * In milliseconds: how often a process reports that it is running, and how long after its last report it counts as
 * gone.
 */
export const HEARTBEAT_INTERVAL = 10_000;
export const HEARTBEAT_TIMEOUT = 60_000;

interface KeyPlace {
  provider: "key-file" | "passphrase";
  isSealed: boolean;
  /** True when the database is embedded, so that all processes of this installation run on this machine. */
  isOneMachine: boolean;
}

/** Why the root key cannot be replaced from the Admin Console; null when it can. */
export function rekeyObstacle({ provider, isSealed, isOneMachine }: KeyPlace): string | null {
  if (isSealed) return "The vault is sealed.";
  if (provider === "passphrase") {
    return "Change the passphrase at the server's command line: npx strongroom rekey.";
  }
  if (!isOneMachine) {
    return "Servers on other machines need the new key file too: run npx strongroom rekey, then copy the file to them.";
  }
  return null;
}

/** How to make backups when the Admin Console cannot; null when it can. */
export const backupInstead = (isEmbedded: boolean): string | null =>
  isEmbedded
    ? null
    : "The database is external (DATABASE_URL). Back it up with pg_dump --format=custom, or with your cluster's own backups.";

export const isWithin = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** A warning about the location of the backup folder; null when the location is fine. */
export const folderWarning = (dataFolder: string, backupFolder: string): string | null =>
  isWithin(dataFolder, backupFolder)
    ? "Backups are stored in the data folder and would be lost with it. Set STRONGROOM_BACKUPS to a folder on another disk."
    : null;

/** Returns a name such as `20261121T093000Z`. */
export const backupName = (at: Date): string => at.toISOString().replace(/[-:]|\.\d+/g, "");

/** Whether a copy of `size` bytes fits and leaves some space free. If not, the copy is not started. */
export const hasRoom = (free: number, size: number): boolean => free > size * 1.1 + 256 * 1024 * 1024;
