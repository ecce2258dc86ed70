// Searches what the terminals of recorded sessions showed. Texts are opened in memory, newest session first.
import type { RecordingHit, searchRecordings } from "@strongroom/contract";
import { KekError } from "@strongroom/keys";
import type { Kek } from "@strongroom/keys";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { readTimePlace, writeTimePlace } from "#kernel/http/cursor.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { toSession } from "../monitoring/find-sessions.ts";
import { listShown } from "../monitoring/shown-sessions.store.ts";
import type { ShownSession } from "../monitoring/shown-sessions.store.ts";
import { recordingPurpose } from "../recordings/store-recording.ts";
import { readSealedText } from "./recording-text.store.ts";
import type { TextKind } from "./recording-text.store.ts";
import { openText } from "./sealed-text.ts";
import type { Texts } from "./sealed-text.ts";

const PAGE = 50;
const MOST_HITS = 20;
const MOST_LINES = 5;
/** A search that takes longer answers with what it found, and with a cursor to continue. */
const SEARCH_MS = 1500;

export async function findInRecordings(kernel: Kernel, call: Call<typeof searchRecordings>, tx: Tx) {
  const { text, cursor, ...filter } = call.body;
  const wanted = text.toLowerCase();
  const until = performance.now() + SEARCH_MS;
  const hits: RecordingHit[] = [];
  let after = cursor === undefined ? null : readTimePlace(cursor);
  let searched = 0;
  let skipped = 0;
  let isOver = false;
  while (!isOver && hits.length < MOST_HITS && performance.now() < until) {
    const page = await listShown(tx, call.actor, { ...filter, recorded: true }, { limit: PAGE, after });
    for (const row of page.slice(0, PAGE)) {
      if (hits.length >= MOST_HITS || performance.now() >= until) break;
      after = { at: row.began_at, id: row.id };
      searched += 1;
      if (row.text_status !== "indexed") skipped += 1;
      const found = await linesIn(kernel, tx, row, wanted);
      if (found.count > 0) hits.push({ session: toSession(row, call.actor), ...found });
      isOver = row === page.at(-1);
    }
    isOver ||= page.length === 0;
  }
  // The searched text may be a secret, so the entry does not contain it.
  call.note({ details: { sessions: searched, hits: hits.length, shown: hits.map(({ session }) => session.id) } });
  return {
    hits,
    searched,
    skipped,
    next_cursor: isOver || after === null ? null : writeTimePlace(after),
  };
}

async function linesIn(kernel: Kernel, tx: Tx, row: ShownSession, wanted: string) {
  const lines: RecordingHit["lines"] = [];
  let count = 0;
  for await (const [at, line] of textsOf(kernel, tx, row, "lines")) {
    if (!line.toLowerCase().includes(wanted)) continue;
    count += 1;
    if (lines.length < MOST_LINES) lines.push({ at_seconds: at / 1000, text: line });
  }
  return { lines, count };
}

/** INVARIANT: text opens only with the key of the safe that the session belongs to. Yields nothing for changed text. */
export async function* textsOf<Kind extends TextKind>(
  kernel: Pick<Kernel, "keys" | "log">,
  tx: Parameters<typeof readSealedText>[0],
  { recording_id: id, safe_id: safeId }: Pick<ShownSession, "recording_id" | "safe_id">,
  kind: Kind,
): AsyncGenerator<Texts[Kind]> {
  if (id === null) return;
  for (const part of await readSealedText(tx, id, kind)) {
    const kek = await keyOf(kernel, part.kek_id);
    const opened = kek?.purpose === recordingPurpose(safeId) ? await openText(kek, part) : null;
    if (opened === null) {
      kernel.log.error({ recording: id, part: part.part }, "the text of a recording was changed in the database");
      continue;
    }
    yield* opened as Texts[Kind][];
  }
}

async function keyOf({ keys }: Pick<Kernel, "keys">, id: string): Promise<Kek | null> {
  try {
    return await keys.kekById(id);
  } catch (error) {
    if (error instanceof KekError) return null;
    throw error;
  }
}
