// Writes the trail, or one entry with its proof, as JSON Lines for the offline verifier.
import {
  checkpointLine,
  consistencyProof,
  entryLine,
  headerLine,
  inclusionProof,
  parseCheckpoint,
} from "@strongroom/auditlog";
import type { Db } from "#kernel/db/database.ts";
import type { LogIdentity } from "./signing-key.ts";
import { checkpointAfter, nodeReader, readCheckpoints, readLeaves } from "./tree.store.ts";
import type { StoredCheckpoint } from "./tree.store.ts";

/** Lines go out in pieces of about this many characters. */
const PIECE = 64 * 1024;

/**
 * Everything up to a checkpoint, in pieces of text. An entry that is gone leaves a gap, which the verifier names.
 * Reads in pages as the reader takes the pieces.
 */
export async function* writeCompleteExport(
  db: Db,
  identity: LogIdentity,
  newest: StoredCheckpoint,
): AsyncGenerator<string> {
  yield* inPieces(completeLines(db, identity, newest));
}

async function* completeLines(db: Db, identity: LogIdentity, newest: StoredCheckpoint): AsyncGenerator<string> {
  const { origin, verifierKey } = identity;
  yield headerLine({ kind: "complete", origin, verifierKey, checkpoint: newest.note });
  const checkpoints = readCheckpoints(db, newest.size);
  let next = await checkpoints.next();
  for await (const { index, canonical, leafHash } of readLeaves(db, newest.size)) {
    for (; !next.done && next.value.size <= index; next = await checkpoints.next())
      yield checkpointLine(next.value.note);
    if (canonical !== null) yield entryLine({ index, canonical, leafHash });
  }
  for (; !next.done; next = await checkpoints.next()) yield checkpointLine(next.value.note);
}

/**
 * One entry, proven against the newest checkpoint, and the first checkpoint that covered it: that one says since when
 * the entry is on record.
 */
export async function writeEvidence(
  db: Db,
  identity: LogIdentity,
  newest: StoredCheckpoint,
  entry: { index: number; canonical: Buffer; leafHash: Buffer },
): Promise<string> {
  const { origin, verifierKey } = identity;
  const readNodes = nodeReader(db);
  const proof = await inclusionProof(readNodes, entry.index, newest.size);
  const lines = [
    headerLine({ kind: "evidence", origin, verifierKey, checkpoint: newest.note }),
    entryLine({ ...entry, proof }),
  ];
  const first = await checkpointAfter(db, entry.index);
  const size = first && parseCheckpoint(first.note)?.size;
  if (first !== undefined && size !== undefined && size < newest.size) {
    lines.push(checkpointLine(first.note, await consistencyProof(readNodes, size, newest.size)));
  }
  return lines.map((line) => `${line}\n`).join("");
}

async function* inPieces(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = "";
  for await (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}
