// What a backup says of itself: its files with their checksums, of what it was made and when, and which root key opens it.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { StartError } from "#kernel/start-error.ts";

const MANIFEST = "manifest.json";

/** Relative, with "/" between the parts, and never out of the folder. */
const Path = z
  .string()
  .min(1)
  .refine((path) =>
    path.split("/").every((part) => part !== "" && part !== "." && part !== ".." && !part.includes("\\")),
  );

const BackupFile = z.strictObject({
  path: Path,
  size: z.number().int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type BackupFile = z.infer<typeof BackupFile>;

const BackupManifest = z.strictObject({
  format: z.literal("strongroom-backup/1"),
  /** The database is as it was at this moment. ISO 8601. */
  made_at: z.iso.datetime(),
  /** The Strongroom that made it. */
  strongroom: z.string(),
  /** Of PostgreSQL: another one does not open it. */
  major: z.number().int(),
  /** Which root key opens the secrets in it. The key itself is in no backup. Null before the first start. */
  root_key: z.strictObject({ id: z.string(), provider: z.string() }).nullable(),
  /** Laid out as in the data folder; also those that are empty. */
  folders: z.array(Path),
  files: z.array(BackupFile),
});
export type BackupManifest = z.infer<typeof BackupManifest>;

export const manifestPath = (folder: string): string => join(folder, MANIFEST);

/** The manifest with a checksum over itself, as it is written. */
export function renderManifest(manifest: BackupManifest): string {
  return `${JSON.stringify({ ...manifest, checksum: checksumOf(manifest) }, null, 1)}\n`;
}

/** Throws `StartError` with one sentence for a folder that is no backup, an unfinished one or a damaged one. */
export async function readManifest(folder: string): Promise<BackupManifest> {
  const text = await readFile(manifestPath(folder), "utf8").catch((error: unknown) => {
    throw new StartError(`${folder} is not a backup, or one that was not finished: it has no ${MANIFEST}.`, {
      cause: error,
    });
  });
  try {
    const { checksum, ...rest } = JSON.parse(text) as Record<string, unknown>;
    if (rest["format"] === "strongroom-backup/1" && checksum === checksumOf(rest)) return BackupManifest.parse(rest);
  } catch (error) {
    throw damaged(folder, MANIFEST, error);
  }
  throw damaged(folder, MANIFEST);
}

export function damaged(folder: string, path: string, cause?: unknown): StartError {
  return new StartError(`The backup ${folder} is damaged: ${path} is not what was written. Take another backup.`, {
    cause,
  });
}

/** JSON keeps the order of members, so what was read gives the text that was written. */
const checksumOf = (manifest: object): string => createHash("sha256").update(JSON.stringify(manifest)).digest("hex");
