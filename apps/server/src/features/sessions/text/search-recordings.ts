// Searches what the terminals of recorded sessions showed, newest session first. Filters choose the texts that are opened.
import type { RecordingHit, searchRecordings } from "@strongroom/contract";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { readTimePlace, writeTimePlace } from "#kernel/http/cursor.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { toSession } from "../monitoring/find-sessions.ts";
import { listRecorded, readShownSessions } from "../monitoring/shown-sessions.store.ts";
import type { RecordedSession } from "../monitoring/shown-sessions.store.ts";
import { recordingPurpose } from "../recordings/store-recording.ts";
import { readFilters, readSealedText } from "./recording-text.store.ts";
import type { StoredFilter, TextKind } from "./recording-text.store.ts";
import { keyOf, openFilter, openText } from "./sealed-text.ts";
import type { Texts } from "./sealed-text.ts";
import { folded, mayContain } from "./text-filter.ts";

const PAGE = 500;
/** The number of filters that are read together, each up to 8 kB and for one part of a text. */
const MOST_PARTS = 2000;
const MOST_HITS = 20;
const MOST_LINES = 5;
/** A search that takes longer returns what it has found, with a cursor to continue. */
const SEARCH_MS = 1500;

type Keys = Pick<Kernel, "keys" | "log">;
type Found = Pick<RecordingHit, "lines" | "count">;

export async function findInRecordings(kernel: Kernel, call: Call<typeof searchRecordings>, tx: Tx) {
  const { text, cursor, ...filter } = call.body;
  const wanted = folded(text);
  const until = performance.now() + SEARCH_MS;
  const found = new Map<string, Found>();
  let after = cursor === undefined ? null : readTimePlace(cursor);
  let searched = 0;
  let skipped = 0;
  let isOver = false;
  while (!isOver && found.size < MOST_HITS && performance.now() < until) {
    const page = await listRecorded(tx, call.actor, filter, { limit: PAGE, after });
    for (const { row, parts } of await candidatesOf(kernel, tx, bounded(page), wanted)) {
      if (found.size >= MOST_HITS || performance.now() >= until) break;
      after = { at: row.began_at, id: row.id };
      searched += 1;
      if (row.text_status !== "indexed") skipped += 1;
      const lines = await linesIn(kernel, tx, row, { wanted, parts });
      if (lines.count > 0) found.set(row.id, lines);
      isOver = row === page.at(-1) && page.length < PAGE;
    }
    isOver ||= page.length === 0;
  }
  // The searched text may be a secret, so the entry does not contain it.
  call.note({ details: { sessions: searched, hits: found.size, shown: [...found.keys()] } });
  return {
    hits: await hitsOf(call, tx, found),
    searched,
    skipped,
    next_cursor: isOver || after === null ? null : writeTimePlace(after),
  };
}

/** In the order of `found`. */
async function hitsOf(
  { actor }: Call<typeof searchRecordings>,
  tx: Tx,
  found: ReadonlyMap<string, Found>,
): Promise<RecordingHit[]> {
  const rows = new Map((await readShownSessions(tx, actor, [...found.keys()])).map((row) => [row.id, row]));
  return [...found].flatMap(([id, lines]) => {
    const row = rows.get(id);
    return row === undefined ? [] : [{ session: toSession(row, actor), ...lines }];
  });
}

/** The first recordings whose filters fit into memory at once: at least one. */
function bounded(page: readonly RecordedSession[]): RecordedSession[] {
  let parts = 0;
  const over = page.findIndex(({ text_parts }, index) => (parts += text_parts) > MOST_PARTS && index > 0);
  return over === -1 ? [...page] : page.slice(0, over);
}

interface Candidate {
  row: RecordedSession;
  /** The parts of its text that may contain the searched text. */
  parts: number[];
}

async function candidatesOf(
  kernel: Keys,
  tx: Tx,
  rows: readonly RecordedSession[],
  wanted: string,
): Promise<Candidate[]> {
  if (rows.length === 0) return [];
  const candidates = new Map(rows.map((row) => [row.recording_id, { row, parts: [] as number[] }]));
  for (const stored of await readFilters(tx, [...candidates.keys()])) {
    const { row, parts } = candidates.get(stored.recording_id)!;
    if (await isCandidate(kernel, stored, row.safe_id, wanted)) parts.push(stored.part);
  }
  return [...candidates.values()];
}

/** INVARIANT: a filter that is missing or was changed in the database hides no text. */
async function isCandidate(kernel: Keys, stored: StoredFilter, safeId: string, wanted: string): Promise<boolean> {
  if (stored.filter === null) return true;
  const kek = await keyOf(kernel, stored.kek_id);
  const filter = kek?.purpose === recordingPurpose(safeId) ? openFilter(kek, stored, stored.filter) : null;
  if (filter !== null) return mayContain(filter, wanted);
  kernel.log.error({ recording: stored.recording_id, part: stored.part }, "a filter was changed in the database");
  return true;
}

interface Wanted {
  wanted: string;
  parts: readonly number[];
}

async function linesIn(kernel: Keys, tx: Tx, row: RecordedSession, { wanted, parts }: Wanted): Promise<Found> {
  const lines: RecordingHit["lines"] = [];
  let count = 0;
  if (parts.length === 0) return { lines, count };
  for await (const [at, line] of textsOf(kernel, tx, row, "lines", parts)) {
    if (!folded(line).includes(wanted)) continue;
    count += 1;
    if (lines.length < MOST_LINES) lines.push({ at_seconds: at / 1000, text: line });
  }
  return { lines, count };
}

/** INVARIANT: text opens only with the key of the safe that the session belongs to. Yields nothing for changed text. */
export async function* textsOf<Kind extends TextKind>(
  kernel: Keys,
  db: Db,
  { recording_id: id, safe_id: safeId }: { recording_id: string | null; safe_id: string },
  kind: Kind,
  parts: readonly number[] | null = null,
): AsyncGenerator<Texts[Kind]> {
  if (id === null) return;
  for (const part of await readSealedText(db, id, kind, parts)) {
    const kek = await keyOf(kernel, part.kek_id);
    const opened = kek?.purpose === recordingPurpose(safeId) ? await openText(kek, part) : null;
    if (opened === null) {
      kernel.log.error({ recording: id, part: part.part }, "the text of a recording was changed in the database");
      continue;
    }
    yield* opened as Texts[Kind][];
  }
}
