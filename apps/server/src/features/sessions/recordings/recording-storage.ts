// The storages of recordings: the data folder and, if configured, a bucket.
import { folderStorage } from "@strongroom/recordings/storage";
import type { RecordingStorage } from "@strongroom/recordings/storage";
import type { Config } from "#kernel/config.ts";
import { recordingsFolder } from "../gateway/gateway-socket.ts";
import type { StorageKind } from "./recordings.store.ts";

type Place = Pick<Config, "dataFolder" | "recordingsBucket">;

/** One client for each configuration: it keeps its connections. */
const buckets = new WeakMap<object, Promise<RecordingStorage>>();

/** Loaded only when configured: the client is large. */
async function bucketStorage(config: NonNullable<Config["recordingsBucket"]>): Promise<RecordingStorage> {
  const { objectStorage } = await import("@strongroom/recordings/object-storage");
  return objectStorage(config);
}

/** The storage of new recordings. */
export function recordingStorage(config: Place): Promise<RecordingStorage> {
  const { recordingsBucket: bucket } = config;
  if (bucket === null) return Promise.resolve(folderStorage(recordingsFolder(config)));
  const known = buckets.get(bucket) ?? bucketStorage(bucket);
  buckets.set(bucket, known);
  return known;
}

/** The storage of an existing recording; null when it is in a bucket and this process has none. */
export async function storageOf(config: Place, kind: StorageKind): Promise<RecordingStorage | null> {
  if (kind === "folder") return folderStorage(recordingsFolder(config));
  return config.recordingsBucket === null ? null : await recordingStorage(config);
}
