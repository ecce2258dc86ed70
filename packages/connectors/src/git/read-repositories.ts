// Reads the files of repositories: the current ones of the default branch, and all versions on all branches and tags.
import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Attempt } from "../attempt.ts";
import type { Failure, ReadFilesFinding } from "../connector.ts";
import {
  isOver,
  Unread,
  withinLimits,
  type FileReader,
  type FileSearch,
  type FoundFile,
  type ReadLimit,
} from "../file-search.ts";
import { matcherOf } from "../path-patterns.ts";
import { cloneInto, withFolder } from "./clone.ts";
import { BlobReader, listVersions, sizesOf, type Version } from "./history.ts";
import type { GitFolder } from "./run-git.ts";
import type { GitSource } from "./source.ts";

/** The places of files begin with it: `git:team/app.git:config/app.env`. */
const REPOSITORIES = "git:";
/** A file can have thousands of versions. */
const LEAST_VERSIONS = 100_000;

interface RepositoryFile extends FoundFile {
  folder: GitFolder;
  versions: readonly { version: Version; size: number; isCurrent: boolean }[];
}

interface Reading {
  source: GitSource;
  search: FileSearch;
  current: Attempt;
  limit: ReadLimit | null;
  unread: Unread;
  files: RepositoryFile[];
  gone: string[];
}

export async function readRepositories(
  source: GitSource | { failure: Failure },
  search: FileSearch,
  reader: FileReader,
  current: Attempt,
): Promise<ReadFilesFinding> {
  if ("failure" in source) return source.failure;
  const reading: Reading = { source, search, current, limit: null, unread: new Unread(), files: [], gone: [] };
  return withFolder(async (folder) => {
    const failure = await cloneAll(reading, folder);
    if (failure !== null) return failure;
    const chosen = withinLimits(reading, await reader.choose(reading.files)) as RepositoryFile[];
    await readAll(reading, chosen, reader);
    const { unread, gone, limit } = reading;
    return {
      outcome: "read",
      message: `Read the repositories of ${source.where}.`,
      unread: unread.paths,
      unreadCount: unread.count,
      gone,
      limit,
      way: null,
      isRoot: false,
      facts: source.facts,
    };
  });
}

/** The repositories of the entry that the search is about. */
function wantedOf({ source, search }: Reading): readonly string[] {
  if (search.roots.includes(REPOSITORIES)) return source.repositories;
  return source.repositories.filter((name) => search.roots.flatMap(pathIn(name)).length > 0);
}

const placeOf = (repository: string, path: string): string => `${REPOSITORIES}${repository}:${path}`;

/** The path of a place in this repository; empty for other places. */
const pathIn =
  (repository: string) =>
  (place: string): string[] => {
    const prefix = placeOf(repository, "");
    return place.startsWith(prefix) ? [place.slice(prefix.length)] : [];
  };

/** Repositories that could not be cloned are unread; the first failure when there was no other. */
async function cloneAll(reading: Reading, folder: string): Promise<Failure | null> {
  const { source, search, current, unread } = reading;
  const proxy = await source.startProxy(search.maxTotalBytes);
  let cloned = 0;
  let failed: Failure | null = null;
  try {
    for (const [index, repository] of wantedOf(reading).entries()) {
      if (isOver(reading)) break;
      current.waitFor(`${source.where} to send ${repository}`);
      const settings = [...proxy.settings, ["remote.origin.url", proxy.urlOf(repository)] as const];
      const at = { path: join(folder, String(index)), signal: current.signal, protocol: proxy.protocol, settings };
      const failure = await cloneInto(at, proxy, repository, search);
      if (failure === null) {
        cloned += 1;
        await addFiles(reading, repository, at);
        continue;
      }
      unread.add(`${REPOSITORIES}${repository}`);
      await rm(at.path, { recursive: true, force: true });
      if (failure === "bytes") {
        reading.limit = "bytes";
        continue;
      }
      failed ??= failure;
      // A login that was rejected before any other answer is wrong, and is not tried again.
      if (cloned === 0 && failure.outcome === "rejected" && failure.code === "wrong-password") return failure;
    }
  } finally {
    proxy.close();
  }
  return cloned === 0 && reading.limit === null ? failed : null;
}

async function addFiles(reading: Reading, repository: string, folder: GitFolder): Promise<void> {
  const { source, search } = reading;
  const isWantedPlace = wantedPlaces(search);
  const listed = await listVersions(folder, {
    history: search.history,
    paths: search.roots.includes(REPOSITORIES) ? null : search.roots.flatMap(pathIn(repository)),
    maxVersions: Math.max(search.maxFiles, LEAST_VERSIONS),
  });
  if (listed === null) return reading.unread.add(`${REPOSITORIES}${repository}`);
  const { byPath, current: present, isCut } = listed;
  if (isCut) reading.limit ??= "files";
  else if (search.history) {
    const isGone = (place: string) => pathIn(repository)(place).some((path) => !byPath.has(path));
    reading.gone.push(...search.known.filter(isGone));
  }
  const wanted = [...byPath].filter(([path]) => isWantedPlace(path, placeOf(repository, path)));
  const sizes = await sizesOf(folder, [...new Set(wanted.flatMap(([, versions]) => versions.map(({ blob }) => blob)))]);
  const mode = (await source.isPublic(repository)) ? "644" : "640";
  for (const [path, versions] of wanted) {
    if (reading.files.length >= search.maxFiles) {
      reading.limit ??= "files";
      break;
    }
    const isPresent = (blob: string) => present.get(path) === blob;
    const read = versions.flatMap((version) => {
      const size = sizes.get(version.blob);
      return size === undefined || size > search.maxFileSize
        ? []
        : [{ version, size, isCurrent: isPresent(version.blob) }];
    });
    if (read.length === 0) continue;
    const stamp = createHash("sha256").update(String([search.history, mode]));
    for (const { version, isCurrent } of read) stamp.update(`${version.blob}${isCurrent}`);
    reading.files.push({
      path: placeOf(repository, path),
      size: read.reduce((sum, { size }) => sum + size, 0),
      stamp: stamp.digest("base64url"),
      modifiedAt: read[0]!.version.committedAt,
      // As for a file that the users of a group may read.
      mode,
      owner: "",
      group: "",
      folder,
      versions: read,
    });
  }
}

/** Whether the search is about a file, by its path in the repository and its place. */
function wantedPlaces({ roots, names, excludes }: FileSearch): (path: string, place: string) => boolean {
  if (!roots.includes(REPOSITORIES)) return (_path, place) => roots.includes(place);
  const isSkipped = matcherOf(excludes);
  const isWanted = names.length === 0 ? () => true : matcherOf(names);
  return (path, place) => isWanted(path) && !isSkipped(`/${path}`) && !isSkipped(place);
}

async function readAll(reading: Reading, chosen: readonly RepositoryFile[], reader: FileReader): Promise<void> {
  for (const [folder, files] of Map.groupBy(chosen, (file) => file.folder)) {
    const blobs = new BlobReader(folder);
    try {
      for (const file of files) {
        if (isOver(reading)) return;
        await readVersions(reading, file, { blobs, reader });
      }
    } finally {
      await blobs.close();
    }
  }
}

async function readVersions(
  { unread }: Reading,
  { folder: _folder, versions, ...file }: RepositoryFile,
  { blobs, reader }: { blobs: BlobReader; reader: FileReader },
): Promise<void> {
  for (const [index, { version, size, isCurrent }] of versions.entries()) {
    const content = await blobs.read(version.blob, size);
    if (content === null) return unread.add(file.path);
    const { commit, author, committedAt } = version;
    const isLast = index === versions.length - 1;
    const read = { commit, author, committedAt, isCurrent, isLast };
    await reader.read({ ...file, content, isOfPackage: false, version: read });
  }
}
