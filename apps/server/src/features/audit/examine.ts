// The look at start: is the database still the one whose checkpoint lies in the data folder?
import { parseCheckpoint, rootHash, verifyCheckpoint } from "@strongroom/auditlog";
import type { Finding } from "@strongroom/auditlog";
import type { Clock } from "#kernel/clock.ts";
import type { Database, Db } from "#kernel/db/database.ts";
import type { RaiseAlarm } from "./alarm.ts";
import type { CheckpointFile } from "./checkpoint-file.ts";
import type { LogIdentity } from "./signing-key.ts";
import { frontierOf } from "./tree.ts";
import { readSize } from "./tree.store.ts";

interface Parts {
  database: Database;
  clock: Clock;
  file: CheckpointFile;
  alarm: RaiseAlarm;
}

/**
 * Compares the database with the checkpoint file. When the database is shorter or another one, raises the alarm and sets
 * the file aside, so that every later check still knows of it.
 */
export async function examineAtStart({ database, clock, file, alarm }: Parts, identity: LogIdentity): Promise<void> {
  const note = await file.read();
  if (note === null) return;
  const finding = await contradiction(database.db, note, identity);
  if (finding === null) return;
  await alarm([finding]);
  await file.setAside(clock.now());
}

async function contradiction(db: Db, note: string, { origin, signer }: LogIdentity): Promise<Finding | null> {
  const read = verifyCheckpoint(note, signer);
  if (read.outcome !== "verified") {
    const said = parseCheckpoint(note);
    const message =
      said === null || said.origin === origin
        ? "the checkpoint in the data folder was changed: it is not signed with the key of this log"
        : `the data folder knows another log, ${said.origin} of ${said.size} entries: this database is not that one`;
    return { kind: "signature", index: null, message };
  }
  const { size, root } = read.checkpoint;
  const signed = `the checkpoint of ${read.signedAt?.toISOString() ?? "an unknown time"} in the data folder`;
  const stored = await readSize(db);
  if (stored < size) {
    const gone = stored + 1 === size ? `entry ${stored} is` : `entries ${stored} to ${size - 1} are`;
    const message = `the log ends at ${stored} but ${signed} signed ${size} entries: ${gone} gone`;
    return { kind: "truncated", index: stored, message };
  }
  const frontier = await frontierOf(db, size);
  if (frontier !== null && rootHash(frontier).equals(root)) return null;
  const message = `the first ${size} entries of the log are not those that ${signed} signed`;
  return { kind: "rewritten", index: null, message };
}
