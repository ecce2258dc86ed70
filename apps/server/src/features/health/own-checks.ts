// The checks that belong to no other feature: the database, its clock, and free disk space.
import type { Health } from "@strongroom/contract";
import { stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "#kernel/config.ts";
import type { WriteResult } from "#kernel/db/write-probe.ts";

export type Check = Health["checks"][number];

const WITHIN_MS = 2000;
const MOST_CLOCK_DIFFERENCE_MS = 2000;
/** The free part of a disk below which it is reported, before it is full. */
const LEAST_FREE = 0.1;

export function databaseCheck({ problem }: WriteResult): Check {
  return { name: "database", state: problem === null ? "ok" : "failing", message: problem };
}

/**
 * Checks the difference between the process's clock and the database's: sessions, grants and one-time codes depend on
 * both.
 */
export function clockCheck({ clockAhead }: WriteResult): Check {
  if (clockAhead === null || Math.abs(clockAhead) <= MOST_CLOCK_DIFFERENCE_MS) return ok("clock");
  const seconds = Math.round(Math.abs(clockAhead) / 1000);
  const where = clockAhead > 0 ? "ahead of" : "behind";
  const message = `The database's clock is ${seconds} s ${where} this server's. Check the time synchronisation of both`;
  return { name: "clock", state: "warning", message };
}

/** One check per disk that the server writes to. */
export async function diskChecks(config: Config): Promise<Check[]> {
  const database = config.databaseUrl === null ? [{ of: "database", folder: join(config.dataFolder, "postgres") }] : [];
  const found = await Promise.all([{ of: "data folder", folder: config.dataFolder }, ...database].map(roomOf));
  const places = found.filter((place) => place !== null);
  const disks = places.filter((place, index) => places.findIndex(({ disk }) => disk === place.disk) === index);
  return disks.map(diskCheck);
}

interface Room {
  of: string;
  disk: number;
  free: number;
  total: number;
}

async function roomOf({ of, folder }: { of: string; folder: string }): Promise<Room | null> {
  try {
    const [{ dev }, room] = await Promise.all([stat(folder), statfs(folder)]);
    return { of, disk: dev, free: room.bavail * room.bsize, total: room.blocks * room.bsize };
  } catch {
    // The folder does not exist, or its file system does not report its size.
    return null;
  }
}

function diskCheck({ of, free, total }: Room): Check {
  const name = `disk of the ${of}`;
  if (total === 0 || free / total >= LEAST_FREE) return ok(name);
  const left = `${Math.floor((free / total) * 100)} % (${Math.floor(free / 1e6)} MB)`;
  return {
    name,
    state: "warning",
    message: `The disk of the ${of} has only ${left} left. Free space before it is full`,
  };
}

const ok = (name: string): Check => ({ name, state: "ok", message: null });

/** Wraps a check so that it returns `tooLong` after two seconds. Concurrent callers share one check. */
export function withTimeLimit<T>(check: () => Promise<T>, tooLong: T): () => Promise<T> {
  let atWork: Promise<T> | null = null;
  return async () => {
    atWork ??= check().finally(() => (atWork = null));
    const { promise: late, resolve } = Promise.withResolvers<T>();
    const timer = setTimeout(() => resolve(tooLong), WITHIN_MS);
    try {
      return await Promise.race([atWork, late]);
    } finally {
      clearTimeout(timer);
    }
  };
}
