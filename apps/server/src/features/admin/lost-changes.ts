// Reads changes that a restored database lacks from the files of audit sinks on this machine.
import type { LostChange } from "@strongroom/contract";
import { createReadStream } from "node:fs";
import { constants } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import type { Db } from "#kernel/db/database.ts";
import { findKnownEntries } from "./restores.store.ts";

/** Events that removed or changed the permissions of a user or machine identity. */
const TAKES_AWAY =
  /[.-](?:revoked|disabled|deleted|removed|ended|reset|changed|replaced|rotated|rekeyed|used|withdrawn|closed|completed|cancelled|denied|decided)$/;
const MOST_CHANGES = 500;
const LONGEST = 200;

const Line = z.object({
  index: z.number().int().min(0),
  entry: z.object({
    id: z.uuid(),
    at: z.iso.datetime(),
    event: z.string(),
    result: z.string().optional(),
    actor: z.object({ name: z.string().optional(), system: z.string().optional() }),
    target: z.object({ id: z.string(), name: z.string().optional() }).optional(),
  }),
});

export interface LostChanges {
  /** The number of entries that are in the files but not in the database. */
  entries: number;
  /** Newest first. */
  changes: LostChange[];
}

/** `size`: the number of audit entries in the database. Files in a format other than JSON are skipped. */
export async function readLostChanges(db: Db, folder: string, size: number): Promise<LostChanges> {
  const found = new Map<string, LostChange | null>();
  for (const name of await readdir(folder).catch(() => [])) {
    for await (const line of linesOf(join(folder, name))) {
      const read = parse(line);
      if (read === null || read.index < size) continue;
      const { id, at, event, result, actor, target } = read.entry;
      const matters = TAKES_AWAY.test(event) && result !== "failure";
      const by = actor.name ?? actor.system ?? null;
      const about = target?.name ?? target?.id ?? null;
      found.set(id, matters ? { at, event, by: cut(by), target: cut(about) } : null);
    }
  }
  for (const id of await findKnownEntries(db, [...found.keys()])) found.delete(id);
  const changes = [...found.values()].filter((change) => change !== null);
  changes.sort((a, b) => (a.at < b.at ? 1 : -1));
  return { entries: found.size, changes: changes.slice(0, MOST_CHANGES) };
}

const cut = (text: string | null): string | null => text?.slice(0, LONGEST) ?? null;

function parse(line: string): z.infer<typeof Line> | null {
  try {
    return Line.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    // The line has a different format.
    return null;
  }
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const stream = createReadStream(path, { flags: flags as unknown as string, encoding: "utf8" });
  try {
    yield* createInterface({ input: stream, crlfDelay: Infinity });
  } catch {
    // A folder, a symbolic link or a deleted file: continue with the other files.
  } finally {
    stream.destroy();
  }
}
