// Pure rules by which a witness accepts a submitted checkpoint (C2SP tlog-witness, "add-checkpoint").
import { parseCheckpoint, parseVerifierKey, verifyCheckpoint, verifyConsistency } from "@strongroom/auditlog";
import type { Checkpoint } from "@strongroom/auditlog";

export interface Submission {
  /** The size of the last checkpoint that the log thinks this witness saw. */
  old: number;
  proof: Buffer[];
  checkpoint: Checkpoint;
  /** The note as received. */
  note: string;
}

/** Null for text that is not a valid submission. */
export function readSubmission(text: string): Submission | null {
  const split = text.indexOf("\n\n");
  if (split < 0) return null;
  const [first = "", ...lines] = text.slice(0, split).split("\n");
  const old = /^old (0|[1-9]\d{0,14})$/.exec(first)?.[1];
  const note = text.slice(split + 2);
  const checkpoint = parseCheckpoint(note);
  if (old === undefined || checkpoint === null || lines.length > 63) return null;
  const proof = lines.map((line) => Buffer.from(line, "base64"));
  const isRead = proof.every((hash, at) => hash.length === 32 && hash.toString("base64") === lines[at]);
  return isRead ? { old: Number(old), proof, checkpoint, note } : null;
}

export type Judgement =
  | { verdict: "extends" }
  /** The log must start its proof from the last size that this witness saw. */
  | { verdict: "wrong-size"; seen: number }
  | { verdict: "not-signed" | "malformed" }
  /** Signed by the log, but not an extension of the previously cosigned checkpoint. */
  | { verdict: "contradicts"; reason: string; status: 409 | 422 };

interface Known {
  verifier_key: string;
  size: number;
  note: string | null;
}

/**
 * INVARIANT: a cosigned checkpoint extends the previously cosigned one, so two histories of one log are never both
 * cosigned.
 */
export function judge({ old, proof, checkpoint, note }: Submission, known: Known): Judgement {
  const verifier = parseVerifierKey(known.verifier_key);
  if (verifier === null || verifyCheckpoint(note, verifier).outcome !== "verified") return { verdict: "not-signed" };
  const { size, root } = checkpoint;
  const before = known.note === null ? null : parseCheckpoint(known.note);
  if (old > size) return { verdict: "malformed" };
  if (before !== null && size === before.size && !root.equals(before.root)) {
    return { verdict: "contradicts", status: 409, reason: `It signed two different histories of ${size} entries.` };
  }
  if (old !== known.size) return { verdict: "wrong-size", seen: known.size };
  const continues =
    before === null
      ? proof.length === 0
      : verifyConsistency({ earlier: before.size, size, earlierRoot: before.root, root, proof });
  if (continues) return { verdict: "extends" };
  const reason = `Its ${size} entries do not provably extend the ${known.size} cosigned before.`;
  return { verdict: "contradicts", status: 422, reason };
}
