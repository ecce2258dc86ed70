// A backup's manifest: its files with checksums, its time and version, and a MAC over all of this under the root key.
import { createHash, timingSafeEqual } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { StartError } from "#kernel/start-error.ts";

const MANIFEST = "manifest.json";
/** The maximum size of a manifest, enough for about 400,000 files. */
const LONGEST_MANIFEST = 64 * 1024 * 1024;

/** A relative path with "/" between its parts, which never leaves the folder. */
const Path = z
  .string()
  .min(1)
  .refine((path) =>
    path.split("/").every((part) => part !== "" && part !== "." && part !== ".." && !/[\\\0]/.test(part)),
  );

const BackupFile = z.strictObject({
  path: Path,
  size: z.number().int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type BackupFile = z.infer<typeof BackupFile>;

const common = {
  /** The time of the database state, in ISO 8601. */
  made_at: z.iso.datetime(),
  /** The version of Strongroom that made the backup. */
  strongroom: z.string(),
  /** The major version of PostgreSQL; other major versions cannot open the backup. */
  major: z.number().int(),
  /** All folders, even empty ones, with paths relative to the data folder. */
  folders: z.array(Path),
  /** Regular files only. A restore creates each file with mode 0600 and takes no mode or type from the backup. */
  files: z.array(BackupFile),
};

const RootKeyName = z.strictObject({ id: z.string().regex(/^[0-9a-f]{32}$/), provider: z.string() });

const BackupManifest = z.strictObject({
  format: z.literal("strongroom-backup/2"),
  /** The folder's original name, so that one backup cannot be passed off as another in the same list. */
  name: z.string(),
  ...common,
  /** PostgreSQL's identifier of the cluster. */
  system_identifier: z.string().regex(/^\d+$/),
  /** The id of the root key that opens the backup's secrets and authenticates the manifest. No backup contains the key itself. */
  root_key: RootKeyName,
  /** How to derive or find that root key: for a passphrase, the salt and the cost parameters. Contains no secret. */
  seal: z.record(z.string(), z.unknown()),
});
export type BackupManifest = z.infer<typeof BackupManifest>;

/** The plain checksum of backups before 1.1 (format 1). An attacker who changes a backup can recompute it. */
const EarlierManifest = z.strictObject({
  format: z.literal("strongroom-backup/1"),
  ...common,
  root_key: RootKeyName.nullable(),
});
export type EarlierManifest = z.infer<typeof EarlierManifest>;

/** A parsed manifest. Nothing in it may be relied on before `authenticate` succeeds. */
export type FoundManifest =
  | { isAuthenticable: true; manifest: BackupManifest; mac: Buffer; message: Buffer }
  | { isAuthenticable: false; manifest: EarlierManifest };

/** Computes the MAC under a root key. */
export type Mac = (message: Buffer) => Buffer;
/** Finds the root key that a manifest names. Rejects with StartError or SealError when the key is not available here. */
export type FindMac = (manifest: Pick<BackupManifest, "root_key" | "seal">) => Promise<Mac>;

export const manifestPath = (folder: string): string => join(folder, MANIFEST);

/** The manifest with its MAC, as text. */
export function renderManifest(manifest: BackupManifest, mac: Mac): string {
  return `${JSON.stringify({ ...manifest, mac: mac(messageOf(manifest)).toString("hex") }, null, 1)}\n`;
}

/** Throws a one-sentence `StartError` if the folder is not a backup, or if the backup is unfinished or damaged. */
export async function readManifest(folder: string): Promise<FoundManifest> {
  const text = await readText(manifestPath(folder)).catch((error: unknown) => {
    throw new StartError(`${folder} is not a complete backup: it has no readable ${MANIFEST}.`, {
      cause: error,
    });
  });
  try {
    const { mac, checksum, ...rest } = JSON.parse(text) as Record<string, unknown>;
    if (rest["format"] === "strongroom-backup/2" && typeof mac === "string" && checksum === undefined) {
      const manifest = BackupManifest.parse(rest);
      return { isAuthenticable: true, manifest, mac: Buffer.from(mac, "hex"), message: messageOf(rest) };
    }
    const digest = createHash("sha256").update(messageOf(rest)).digest("hex");
    if (rest["format"] === "strongroom-backup/1" && checksum === digest && mac === undefined) {
      return { isAuthenticable: false, manifest: EarlierManifest.parse(rest) };
    }
  } catch (error) {
    throw damaged(folder, MANIFEST, error);
  }
  throw damaged(folder, MANIFEST);
}

export interface Authenticated {
  manifest: BackupManifest | EarlierManifest;
  /** False only for a backup of an earlier version that the operator accepted without a MAC. */
  isAuthenticated: boolean;
}

/** A backup of an earlier version, which has no MAC. */
export class UnauthenticatedBackup extends StartError {}

/**
 * Checks the manifest's MAC. INVARIANT: nothing in a backup is started or executed before this check. Throws `StartError`, or
 * `UnauthenticatedBackup` for a manifest without a MAC, unless those are accepted.
 */
export async function authenticate(
  folder: string,
  found: FoundManifest,
  findMac: FindMac,
  acceptUnauthenticated = false,
): Promise<Authenticated> {
  if (!found.isAuthenticable) {
    if (acceptUnauthenticated) return { manifest: found.manifest, isAuthenticated: false };
    throw new UnauthenticatedBackup(
      `The backup ${folder} was made by an earlier version and cannot be authenticated: anyone who could write to it ` +
        "may have changed it.",
    );
  }
  const { manifest, mac, message } = found;
  const expected = (await findMac(manifest))(message);
  if (mac.length === expected.length && timingSafeEqual(mac, expected)) return { manifest, isAuthenticated: true };
  throw new StartError(
    `The backup ${folder} was changed after it was made: its manifest does not authenticate with the root key ` +
      `${manifest.root_key.id}. Use another backup, and find out who can write to this one.`,
  );
}

export function damaged(folder: string, path: string, cause?: unknown): StartError {
  return new StartError(`The backup ${folder} is damaged: ${path} does not match its checksum. Use another backup.`, {
    cause,
  });
}

/** JSON keeps the order of members, so parsed data serialises to the same text. */
const messageOf = (manifest: object): Buffer => Buffer.from(JSON.stringify(manifest), "utf8");

async function readText(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!found.isFile() || found.size > LONGEST_MANIFEST) throw new Error("not a manifest");
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}
