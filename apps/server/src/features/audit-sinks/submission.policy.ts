// What a witness makes of a submitted checkpoint (C2SP tlog-witness, "add-checkpoint"). Pure.
import { parseCheckpoint, parseVerifierKey, verifyCheckpoint, verifyConsistency } from "@strongroom/auditlog";
import type { Checkpoint } from "@strongroom/auditlog";

export interface Submission {
  /** Of the checkpoint that the log thinks we saw last. */
  old: number;
  proof: Buffer[];
  checkpoint: Checkpoint;
  /** As it came. */
  note: string;
}

/** Null for text that is no submission. */
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
  /** The log has to begin from what we saw last. */
  | { verdict: "elsewhere"; seen: number }
  | { verdict: "not-signed" | "malformed" }
  /** Signed by the log, and not a continuation of what it had us cosign before. */
  | { verdict: "contradicts"; reason: string; status: 409 | 422 };

interface Known {
  verifier_key: string;
  size: number;
  note: string | null;
}

/** INVARIANT: what is cosigned continues what was cosigned before: two histories of one log never both are. */
export function judge({ old, proof, checkpoint, note }: Submission, known: Known): Judgement {
  const verifier = parseVerifierKey(known.verifier_key);
  if (verifier === null || verifyCheckpoint(note, verifier).outcome !== "verified") return { verdict: "not-signed" };
  const { size, root } = checkpoint;
  const before = known.note === null ? null : parseCheckpoint(known.note);
  if (old > size) return { verdict: "malformed" };
  if (before !== null && size === before.size && !root.equals(before.root)) {
    return { verdict: "contradicts", status: 409, reason: `It signed two different histories of ${size} entries.` };
  }
  if (old !== known.size) return { verdict: "elsewhere", seen: known.size };
  const continues =
    before === null
      ? proof.length === 0
      : verifyConsistency({ earlier: before.size, size, earlierRoot: before.root, root, proof });
  if (continues) return { verdict: "extends" };
  const reason = `Its ${size} entries are not shown to continue the ${known.size} that were cosigned before.`;
  return { verdict: "contradicts", status: 422, reason };
}
