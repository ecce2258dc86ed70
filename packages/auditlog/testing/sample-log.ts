// A log in memory for tests: entries, tree and checkpoints as the sequencer would write them.
import { randomUUID } from "node:crypto";
import {
  EMPTY_FRONTIER,
  appendLeaves,
  consistencyProof,
  encodeEntry,
  encodeVerifierKey,
  inclusionProof,
  leafHash,
  noteSigner,
  rootHash,
  signCheckpoint,
} from "../src/index.ts";
import type { AuditEntry, EvidenceAbout, NoteSigner, ReadNodes, TreeFrontier } from "../src/index.ts";
import { checkpointLine, entryLine as writeEntry, headerLine } from "../src/index.ts";

export const ORIGIN = "strongroom.test/audit";
export const START = Date.parse("2026-11-21T09:00:00.000Z");

export function aSigner(name = ORIGIN): NoteSigner {
  return noteSigner(name, Buffer.alloc(32, 7));
}

export function anEntry(i: number, over: Partial<AuditEntry> = {}): AuditEntry {
  return {
    v: 1,
    id: randomUUID(),
    at: new Date(START + i * 1000).toISOString(),
    actor: { id: "3f0e1d8a-0c1b-4e6f-9a53-0d2c5b7f1a11", name: "Ada", role: "admin" },
    event: "credential.revealed",
    target: { type: "credential", id: String(i) },
    result: "success",
    details: { number: i },
    ...over,
  };
}

/** Keeps every node of a tree in a map, as a database table would. */
export function aNodeStore() {
  const nodes = new Map<string, Buffer>();
  let frontier: TreeFrontier = EMPTY_FRONTIER;
  const readNodes: ReadNodes = async (addresses) =>
    addresses.map(({ level, index }) => {
      const hash = nodes.get(`${level}/${index}`);
      if (!hash) throw new Error(`no node ${level}/${index}`);
      return hash;
    });
  const append = (leaves: readonly Buffer[]) => {
    leaves.forEach((leaf, i) => nodes.set(`0/${frontier.size + i}`, leaf));
    const appended = appendLeaves(frontier, leaves);
    for (const { level, index, hash } of appended.nodes) nodes.set(`${level}/${index}`, hash);
    return (frontier = appended.frontier);
  };
  return { nodes, readNodes, append };
}

/** A log with a checkpoint at each of `sizes`; the last one covers everything. Signed a minute apart. */
export function aLog(sizes: readonly number[], signer = aSigner()) {
  const store = aNodeStore();
  const entries: { index: number; entry: AuditEntry; canonical: Buffer }[] = [];
  const checkpoints: { size: number; note: string }[] = [];
  for (const [n, size] of sizes.entries()) {
    let frontier = store.append([]);
    while (entries.length < size) {
      const index = entries.length;
      const entry = anEntry(index);
      const canonical = encodeEntry(entry);
      entries.push({ index, entry, canonical });
      frontier = store.append([leafHash(canonical)]);
    }
    const checkpoint = { origin: ORIGIN, size, root: rootHash(frontier) };
    checkpoints.push({ size, note: signCheckpoint(checkpoint, signer, new Date(START + n * 60_000)) });
  }
  return { ...store, entries, checkpoints, key: encodeVerifierKey(signer), signer };
}

export type SampleLog = ReturnType<typeof aLog>;

/** An entry's line with the leaf hash computed from its bytes. */
export function entryLine(index: number, canonical: Buffer, proof?: readonly Buffer[]): string {
  return writeEntry({ index, canonical, leafHash: leafHash(canonical), ...(proof ? { proof } : {}) });
}

/** The lines of a complete export. */
export function completeExport(log: SampleLog): string[] {
  const newest = log.checkpoints.at(-1)!;
  const lines = [headerLine({ kind: "complete", origin: ORIGIN, verifierKey: log.key, checkpoint: newest.note })];
  for (const { index, canonical } of log.entries) {
    lines.push(entryLine(index, canonical));
    for (const { size, note } of log.checkpoints) if (size === index + 1) lines.push(checkpointLine(note));
  }
  return lines;
}

/** Evidence for some entries, with the consistency of all earlier checkpoints. */
export async function evidenceExport(
  log: SampleLog,
  indexes: readonly number[],
  about?: EvidenceAbout,
): Promise<string[]> {
  const newest = log.checkpoints.at(-1)!;
  const header = { kind: "evidence", origin: ORIGIN, verifierKey: log.key, checkpoint: newest.note, about } as const;
  const lines = [headerLine(header)];
  for (const index of indexes) {
    const proof = await inclusionProof(log.readNodes, index, newest.size);
    lines.push(entryLine(index, log.entries[index]!.canonical, proof));
  }
  for (const { size, note } of log.checkpoints.slice(0, -1)) {
    lines.push(checkpointLine(note, await consistencyProof(log.readNodes, size, newest.size)));
  }
  return lines;
}
