// Stores recordings in a bucket of an S3-compatible object store: each chunk is an object, written once.
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectVersionsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { recordingPath } from "./file-store.ts";
import type { SealedChunk } from "./ports.ts";
import type { RecordingStorage } from "./storage.ts";

export interface ObjectStorageOptions {
  readonly bucket: string;
  /** Prepended to each key; empty, or ends with `/`. */
  readonly prefix: string;
  readonly region: string;
  /** The URL of a store other than AWS; null is AWS. */
  readonly endpoint: string | null;
  /** The mode of the object lock; null does not lock. */
  readonly lock: "governance" | "compliance" | null;
  /** Null uses AWS's usual sources: variables, files, and the role of the machine. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export interface ObjectStorage extends RecordingStorage {
  /** Closes the connections. */
  close(): void;
}

/** The recorder repeats an attempt that takes longer. Shorter than the 10 s after which it ends the session. */
const ATTEMPT_MS = 2500;
const READ_MS = 30_000;
/** A gateway can have 1,000 sessions. */
const MOST_CONNECTIONS = 200;
/** Chunks that are requested before the reader needs them. */
const READ_AHEAD = 8;
const DAY_MS = 86_400_000;
/** The object that says that the deletion of the recording has begun. */
const DELETED = "deleted";
const CHUNK = /^\d{8}$/;

export function objectStorage(options: ObjectStorageOptions): ObjectStorage {
  const { bucket, prefix, region, endpoint, lock, credentials } = options;
  const client = new S3Client({
    region,
    // The recorder repeats attempts itself, with its own limits.
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: ATTEMPT_MS,
      httpsAgent: { keepAlive: true, maxSockets: MOST_CONNECTIONS },
      httpAgent: { keepAlive: true, maxSockets: MOST_CONNECTIONS },
    },
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    ...(credentials === undefined ? {} : { credentials }),
  });

  /** `recordingPath` rejects ids that are not UUIDs. */
  const folderOf = (id: string): string => `${prefix}${recordingPath("", id).replace(/\.srr$/, "")}/`;

  async function put(key: string, body: Buffer, lockedUntil: Date | null): Promise<void> {
    const locked = lockedUntil !== null && lock !== null;
    const command = new PutObjectCommand({
      Bucket: bucket,
      Key: key,
      Body: body,
      ContentType: "application/octet-stream",
      // INVARIANT: no request overwrites a chunk, not even one that arrives late.
      IfNoneMatch: "*",
      ...(locked
        ? {
            ObjectLockMode: lock === "compliance" ? ("COMPLIANCE" as const) : ("GOVERNANCE" as const),
            ObjectLockRetainUntilDate: lockedUntil,
          }
        : {}),
    });
    await client.send(command, { abortSignal: AbortSignal.timeout(ATTEMPT_MS) });
  }

  async function get(key: string, within = READ_MS): Promise<Uint8Array> {
    const command = new GetObjectCommand({ Bucket: bucket, Key: key });
    const { Body: body } = await client.send(command, { abortSignal: AbortSignal.timeout(within) });
    if (body === undefined) throw new Error("The object store sent no content.");
    return await body.transformToByteArray();
  }

  async function storeChunk(folder: string, chunk: SealedChunk, lockedUntil: Date | null): Promise<void> {
    const key = `${folder}${String(chunk.number).padStart(8, "0")}`;
    try {
      await put(key, chunk.bytes, lockedUntil);
    } catch (error) {
      if (!isStatus(error, 412)) throw error;
      // The answer to an earlier attempt was lost, or another chunk is at this position.
      if (!chunk.bytes.equals(await get(key, ATTEMPT_MS))) throw error;
    }
  }

  /** The keys of the chunks in order, and whether the deletion has begun. */
  async function list(id: string): Promise<{ keys: string[]; isDeleted: boolean }> {
    const folder = folderOf(id);
    const keys: string[] = [];
    let isDeleted = false;
    let token: string | undefined;
    do {
      const command = new ListObjectsV2Command({ Bucket: bucket, Prefix: folder, ContinuationToken: token });
      const page = await client.send(command, { abortSignal: AbortSignal.timeout(READ_MS) });
      for (const { Key: key = "" } of page.Contents ?? []) {
        if (CHUNK.test(key.slice(folder.length))) keys.push(key);
        if (key === folder + DELETED) isDeleted = true;
      }
      token = page.NextContinuationToken;
    } while (token !== undefined);
    return { keys: keys.toSorted(), isDeleted };
  }

  async function* read(id: string): AsyncGenerator<Uint8Array> {
    const { keys } = await list(id);
    if (keys.length === 0) throw Object.assign(new Error("The bucket has no such recording."), { code: "ENOENT" });
    const ahead: Promise<Uint8Array>[] = [];
    for (let next = 0; next < keys.length || ahead.length > 0;) {
      for (; next < keys.length && ahead.length < READ_AHEAD; next += 1) {
        const piece = get(keys[next]!);
        // Read below; a reader that stops early does not wait for it.
        piece.catch(() => {});
        ahead.push(piece);
      }
      yield await ahead.shift()!;
    }
  }

  /** Deletes all versions of the objects under these keys. Throws when one is locked. */
  async function deleteVersions(folder: string, isWanted: (key: string) => boolean): Promise<void> {
    let from: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } = {};
    for (;;) {
      const command = new ListObjectVersionsCommand({ Bucket: bucket, Prefix: folder, ...from });
      const page = await client.send(command, { abortSignal: AbortSignal.timeout(READ_MS) });
      const found = [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])].filter(({ Key }) => isWanted(Key ?? ""));
      if (found.length > 0) {
        const Objects = found.map(({ Key, VersionId }) => ({ Key, VersionId }));
        const deletion = new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } });
        const { Errors } = await client.send(deletion, { abortSignal: AbortSignal.timeout(READ_MS) });
        const [first] = Errors ?? [];
        if (first !== undefined) throw new Error(`The object store kept ${first.Key}: ${first.Code} ${first.Message}`);
      }
      if (page.IsTruncated !== true) return;
      from = { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker };
    }
  }

  return {
    kind: "s3",
    // oxlint-disable-next-line typescript/require-await -- rejects for an invalid id
    async create(id, lockedDays) {
      const folder = folderOf(id);
      const lockedUntil = lockedDays === null ? null : new Date(Date.now() + lockedDays * DAY_MS);
      return {
        path: folder,
        store: (chunk) => storeChunk(folder, chunk, lockedUntil),
        release: () => Promise.resolve(),
      };
    },
    read,
    has: (id) =>
      list(id).then(
        ({ keys }) => keys.length > 0,
        () => false,
      ),
    async empty(id) {
      const { keys, isDeleted } = await list(id);
      if (keys.length === 0 && !isDeleted) return false;
      const folder = folderOf(id);
      // First, so that a run after a crash knows that the recording existed.
      if (!isDeleted) await put(folder + DELETED, Buffer.alloc(0), null);
      await deleteVersions(folder, (key) => key !== folder + DELETED);
      return true;
    },
    async delete(id) {
      await deleteVersions(folderOf(id), () => true);
    },
    async check() {
      await client.send(new HeadBucketCommand({ Bucket: bucket }), { abortSignal: AbortSignal.timeout(ATTEMPT_MS) });
    },
    close: () => client.destroy(),
  };
}

const isStatus = (error: unknown, status: number): boolean =>
  (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode === status;
