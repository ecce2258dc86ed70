// Writes the whole trail, or some entries with their proofs, as JSON Lines for the offline verifier.
import {
  checkpointLine,
  consistencyProof,
  entryLine,
  headerLine,
  inclusionProof,
  parseCheckpoint,
} from "@strongroom/auditlog";
import type { EvidenceAbout, NodeAddress, ReadNodes } from "@strongroom/auditlog";
import type { Db } from "#kernel/db/database.ts";
import type { PlacedLeaf } from "./evidence.store.ts";
import type { LogIdentity } from "../tree/signing-key.ts";
import { checkpointAfter, nodeReader, readCheckpoints, readLeaves } from "../tree/tree.store.ts";
import type { StoredCheckpoint } from "../tree/tree.store.ts";

/** The approximate number of characters per chunk of lines. */
const PIECE = 64 * 1024;

/**
 * Writes all entries up to a checkpoint as chunks of text. A deleted entry leaves a gap, which the verifier reports.
 * Reads the next page when the consumer takes the next chunk.
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
 * Writes entries in tree order, proven against the newest checkpoint, and the earliest checkpoint that covers the first
 * of them, which dates it. Lines have no newlines.
 */
export async function* writeEvidenceLines(
  db: Db,
  { origin, verifierKey }: LogIdentity,
  newest: StoredCheckpoint,
  { about, leaves }: { about?: EvidenceAbout; leaves: readonly PlacedLeaf[] },
): AsyncGenerator<string> {
  const readNodes = remembering(nodeReader(db));
  yield headerLine({ kind: "evidence", origin, verifierKey, checkpoint: newest.note, about });
  for (const leaf of leaves) {
    yield entryLine({ ...leaf, proof: await inclusionProof(readNodes, leaf.index, newest.size) });
  }
  const first = leaves[0] && (await checkpointAfter(db, leaves[0].index));
  const size = first && parseCheckpoint(first.note)?.size;
  if (first !== undefined && size !== undefined && size < newest.size) {
    yield checkpointLine(first.note, await consistencyProof(readNodes, size, newest.size));
  }
}

/** Caches nodes: proofs of one tree share most of them, so each is read once. */
function remembering(readNodes: ReadNodes): ReadNodes {
  const known = new Map<string, Buffer>();
  const keyOf = ({ level, index }: NodeAddress): string => `${level}/${index}`;
  return async (addresses) => {
    const missing = addresses.filter((address) => !known.has(keyOf(address)));
    const read = await readNodes(missing);
    missing.forEach((address, place) => known.set(keyOf(address), read[place]!));
    return addresses.map((address) => known.get(keyOf(address))!);
  };
}

/** Joins lines, each with its newline, into chunks. */
export async function* inPieces(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = "";
  for await (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}
