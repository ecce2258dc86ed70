// Compares the log with the positions of its sinks: it must never be shorter than the delivered part, and no position
// may go back.
import { readFileSync, renameSync, writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Db } from "#kernel/db/database.ts";
import type { LogIdentity } from "./signing-key.ts";
import { Contradicted, requireKnown } from "./tree.ts";
import type { NewContradiction } from "./tree.ts";
import { readReach } from "./tree.store.ts";

/** A sink's position according to the database. */
export interface SinkStanding {
  id: string;
  name: string;
  content: "entries" | "checkpoints";
  /** Leaf index of the next entry, or the size of the newest checkpoint that was delivered. */
  cursor: number;
  /** Never decreases. */
  settled: number;
  /** For a witness: the newest checkpoint that it cosigned. */
  cosigned: string | null;
}

export interface SinkMarks {
  compare(db: Db, identity: LogIdentity, standings: readonly SinkStanding[]): Promise<NewContradiction[]>;
  /** Call this after an administrator has accepted an older database. */
  forget(): void;
}

const Marks = z.record(z.string(), z.number());
const FILE = "sinks";

/** `folder` keeps each sink's position outside the database. */
export function openSinkMarks(folder: string): SinkMarks {
  let marks: Record<string, number> | null = null;
  const path = join(folder, FILE);
  function read(): Record<string, number> {
    try {
      return Marks.parse(JSON.parse(readFileSync(path, "utf8")));
    } catch {
      return {}; // The first start, or a file truncated by a crash: starts empty.
    }
  }
  function write(): void {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(`${path}.next`, JSON.stringify(marks), { mode: 0o600 });
    renameSync(`${path}.next`, path);
  }
  return {
    async compare(db, identity, standings) {
      marks ??= read();
      const found: NewContradiction[] = [];
      // Read after the sinks' positions, because entries are sequenced before they are delivered.
      const { size, signed } = await readReach(db);
      let isChanged = false;
      for (const sink of standings) {
        if (sink.cursor > (sink.content === "entries" ? size : signed)) found.push(cutOff(sink));
        const mark = marks[sink.id] ?? 0;
        if (sink.settled < mark) found.push(wentBack(sink, mark));
        if (sink.settled !== mark) [marks[sink.id], isChanged] = [sink.settled, true];
        const contradiction = await contradictionOf(db, identity, sink);
        if (contradiction !== null) found.push(contradiction);
      }
      if (isChanged) write();
      return found;
    },
    forget() {
      marks = {};
      write();
    },
  };
}

async function contradictionOf(db: Db, identity: LogIdentity, sink: SinkStanding): Promise<NewContradiction | null> {
  if (sink.cosigned === null) return null;
  try {
    await requireKnown(db, identity, sink.cosigned, `the checkpoint cosigned by "${sink.name}"`);
    return null;
  } catch (error) {
    if (error instanceof Contradicted) return error.found;
    throw error;
  }
}

export const cutOff = ({ id, name, cursor }: Pick<SinkStanding, "id" | "name" | "cursor">): NewContradiction => ({
  source: "sink",
  subject: id,
  finding: {
    kind: "truncated",
    index: null,
    message: `"${name}" received ${cursor} entries of this log, and the log now has fewer: entries were removed`,
  },
  claim: String(cursor),
  known: null,
});

const wentBack = ({ id, name, settled }: SinkStanding, mark: number): NewContradiction => ({
  source: "sink-cursor",
  subject: id,
  finding: {
    kind: "changed",
    index: null,
    message: `the recorded position of "${name}" in this log went back from ${mark} entries to ${settled}`,
  },
  claim: `${mark} ${settled}`,
  known: null,
});
