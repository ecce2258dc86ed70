// Reads the objects of S3 buckets that could contain secrets: the newest version of each, never an archived one.
import {
  GetBucketPolicyStatusCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  type S3Client,
} from "@aws-sdk/client-s3";
import type { Attempt } from "../attempt.ts";
import type { ReadFilesFinding, Target } from "../connector.ts";
import {
  inParallel,
  isOver,
  Unread,
  withinLimits,
  type FileReader,
  type FileSearch,
  type FoundFile,
  type ReadLimit,
} from "../file-search.ts";
import { misconfigured } from "../finding.ts";
import { matcherOf } from "../path-patterns.ts";
import { awsAccessOf } from "./access-key.ts";
import { errorOf, failureOf } from "./answer.ts";
import { openBuckets } from "./session.ts";
import { NoAnswer } from "../http-over-stream.ts";

/** The places of objects begin with it: `s3://bucket/key`. */
const BUCKETS = "s3://";

const MAX_BUCKETS = 1_000;
const IN_FLIGHT = 8;
/** Objects in these classes must be restored first, which takes hours and costs money. */
const ARCHIVED = new Set(["GLACIER", "DEEP_ARCHIVE"]);

interface Bucket {
  name: string;
  /** Everybody may read its objects. */
  isPublic: boolean;
}

interface Reading {
  search: FileSearch;
  current: Attempt;
  limit: ReadLimit | null;
  unread: Unread;
  client: S3Client;
  buckets: Map<string, Bucket>;
}

/** The additional parameter `buckets`: names, separated by commas. Null when the key lists them itself. */
function chosenBuckets({ additionalParams: { buckets } }: Target): string[] | null {
  if (typeof buckets !== "string") return null;
  return buckets.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
}

export async function readBuckets(
  target: Target,
  value: string,
  search: FileSearch,
  reader: FileReader,
  current: Attempt,
): Promise<ReadFilesFinding> {
  const access = awsAccessOf(target, value);
  if ("failure" in access) return access.failure;
  const largest = search.maxFileSize;
  const opened = openBuckets(access, current, largest);
  const unread = new Unread();
  const reading: Reading = {
    search,
    current,
    limit: null,
    unread,
    client: opened.client,
    buckets: new Map(),
  };
  try {
    const isOfAll = search.roots.includes(BUCKETS);
    const files = isOfAll
      ? await filesOfBuckets(reading, chosenBuckets(target))
      : await namedFiles(reading, search.roots);
    if (files === null) return misconfigured("no-permission", LIST_REFUSED);
    const gone = await goneOf(reading, files);
    const chosen = withinLimits(reading, await reader.choose(files));
    await inParallel(chosen, IN_FLIGHT, async (file) => {
      if (isOver(reading)) return;
      const content = await contentOf(reading, file);
      if (content === null) unread.add(file.path);
      else await reader.read({ ...file, content, isOfPackage: false });
    });
    const count = reading.buckets.size;
    return {
      outcome: "read",
      message: `Read the objects of ${count === 1 ? "1 bucket" : `${count.toLocaleString("en")} buckets`}.`,
      unread: unread.paths,
      unreadCount: unread.count,
      gone,
      limit: reading.limit,
      way: null,
      isRoot: false,
      facts: {},
    };
  } catch (error) {
    if (errorOf(error) === null && !(error instanceof NoAnswer)) throw error;
    return failureOf(error, access);
  } finally {
    opened.close();
  }
}

const LIST_REFUSED =
  'The access key may not list buckets. Allow s3:ListAllMyBuckets, or name the buckets in the additional parameter "buckets".';

/** Null when the key may not list buckets. */
async function filesOfBuckets(reading: Reading, chosen: readonly string[] | null): Promise<FoundFile[] | null> {
  const names = chosen ?? (await bucketNames(reading));
  if (names === null) return null;
  const files: FoundFile[] = [];
  for (const name of names) {
    if (isOver(reading)) break;
    reading.current.waitFor(`AWS to list the bucket ${name}`);
    const bucket = await bucketOf(reading, name);
    await listObjects(reading, bucket, files);
    if (files.length < reading.search.maxFiles) continue;
    reading.limit = "files";
    break;
  }
  return files.slice(0, reading.search.maxFiles);
}

async function bucketNames(reading: Reading): Promise<string[] | null> {
  const names: string[] = [];
  let token: string | undefined;
  do {
    try {
      const page = await reading.client.send(
        new ListBucketsCommand({ MaxBuckets: MAX_BUCKETS, ...(token && { ContinuationToken: token }) }),
      );
      names.push(...(page.Buckets ?? []).flatMap(({ Name: name }) => (isBucketName(name) ? [name] : [])));
      token = page.ContinuationToken;
    } catch (error) {
      if (errorOf(error)?.code === "AccessDenied") return null;
      throw error;
    }
  } while (token !== undefined && names.length < MAX_BUCKETS);
  if (names.length > MAX_BUCKETS || token !== undefined) reading.limit = "files";
  return names.slice(0, MAX_BUCKETS);
}

const isBucketName = (name: unknown): name is string => typeof name === "string" && /^[\w.-]{3,255}$/.test(name);

async function bucketOf(reading: Reading, name: string): Promise<Bucket> {
  const known = reading.buckets.get(name);
  if (known !== undefined) return known;
  let isPublic = false;
  try {
    const { PolicyStatus } = await reading.client.send(new GetBucketPolicyStatusCommand({ Bucket: name }));
    isPublic = PolicyStatus?.IsPublic === true;
  } catch (error) {
    // Without a policy, or without permission to read it, nothing is known about other readers.
    if (error instanceof NoAnswer) throw error;
  }
  const bucket = { name, isPublic };
  reading.buckets.set(name, bucket);
  return bucket;
}

/** Adds the requested objects to `files`. A bucket that the key may not list is unread. */
async function listObjects(reading: Reading, bucket: Bucket, files: FoundFile[]): Promise<void> {
  const { search, unread } = reading;
  const isSkipped = matcherOf(search.excludes);
  const isWanted = search.names.length === 0 ? () => true : matcherOf(search.names);
  let token: string | undefined;
  do {
    if (isOver(reading)) return;
    let page;
    try {
      page = await reading.client.send(
        new ListObjectsV2Command({ Bucket: bucket.name, ...(token && { ContinuationToken: token }) }),
      );
    } catch (error) {
      if (error instanceof NoAnswer) throw error;
      unread.add(`${BUCKETS}${bucket.name}`);
      return;
    }
    for (const { Key: key = "", Size: size = 0, ETag: tag = "", LastModified: at, StorageClass } of page.Contents ??
      []) {
      const path = `${BUCKETS}${bucket.name}/${key}`;
      const name = key.slice(key.lastIndexOf("/") + 1);
      if (size > search.maxFileSize || !isWanted(name) || isSkipped(path)) continue;
      if (ARCHIVED.has(StorageClass ?? "") || key.includes("\0")) unread.add(path);
      else files.push(fileOf(bucket, path, { size, tag, at }));
    }
    token = page.NextContinuationToken;
  } while (token !== undefined && files.length < search.maxFiles);
}

interface Seen {
  size: number;
  tag: string;
  at: Date | undefined;
}

function fileOf({ isPublic }: Bucket, path: string, { size, tag, at = new Date(0) }: Seen): FoundFile {
  // As for a file that all users of a host may read.
  const mode = isPublic ? "644" : "600";
  const modifiedAt = at.toISOString();
  return { path, size, stamp: [size, tag, modifiedAt, mode].join(" "), modifiedAt, mode, owner: "", group: "" };
}

/** The objects at these places that still exist. */
async function namedFiles(reading: Reading, places: readonly string[]): Promise<FoundFile[]> {
  const files: FoundFile[] = [];
  await inParallel(places, IN_FLIGHT, async (path) => {
    const at = locationOf(path);
    if (at === null) return;
    const bucket = await bucketOf(reading, at.bucket);
    try {
      const head = await reading.client.send(new HeadObjectCommand({ Bucket: at.bucket, Key: at.key }));
      const { ContentLength: size = 0, ETag: tag = "", LastModified } = head;
      if (size <= reading.search.maxFileSize) files.push(fileOf(bucket, path, { size, tag, at: LastModified }));
    } catch (error) {
      if (error instanceof NoAnswer) throw error;
      reading.unread.add(path);
    }
  });
  return files;
}

function locationOf(path: string): { bucket: string; key: string } | null {
  const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/s.exec(path) ?? [];
  return bucket === undefined || key === undefined ? null : { bucket, key };
}

/** Null when the key may not read the object, or when it was deleted in the meantime. */
async function contentOf(reading: Reading, { path }: FoundFile): Promise<Buffer | null> {
  const { bucket: name, key } = locationOf(path)!;
  try {
    const { Body: body } = await reading.client.send(new GetObjectCommand({ Bucket: name, Key: key }));
    return body === undefined ? Buffer.alloc(0) : Buffer.from(await body.transformToByteArray());
  } catch (error) {
    if (error instanceof NoAnswer) throw error;
    return null;
  }
}

/** Known objects of which S3 says that they do not exist; without permission to list the bucket, it does not say. */
async function goneOf(reading: Reading, files: readonly FoundFile[]): Promise<string[]> {
  const seen = new Set(files.map(({ path }) => path));
  const gone: string[] = [];
  const missing = reading.search.known.filter((path) => !seen.has(path));
  await inParallel(missing, IN_FLIGHT, async (path) => {
    const at = locationOf(path);
    if (at === null || isOver(reading)) return;
    try {
      await reading.client.send(new HeadObjectCommand({ Bucket: at.bucket, Key: at.key }));
    } catch (error) {
      if (error instanceof NoAnswer) throw error;
      if (errorOf(error)?.status === 404) gone.push(path);
    }
  });
  return gone;
}
