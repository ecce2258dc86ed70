// Verifies evidence: some entries, each with the proof that it is in the log signed by the checkpoint.
import { checkpointOf } from "./findings.ts";
import type { Findings, VerifyReport } from "./findings.ts";
import type { CheckpointLine, EntryLine } from "./export-format.ts";
import type { SignedCheckpoint } from "./log-trace.ts";
import { verifyConsistency, verifyInclusion } from "./proofs.ts";
import { isOfLog, readOrReport, readSignedCheckpoint } from "./export-check.ts";
import type { ExportCheck, NumberedLine } from "./export-check.ts";

export async function verifyEvidence(lines: AsyncIterable<NumberedLine>, check: ExportCheck): Promise<VerifyReport> {
  const { findings, checkpoint, header } = check;
  const rootsProven = new Map([[checkpoint.size, checkpoint.root]]);
  let [count, proven, last] = [0, 0, -1];
  for await (const numbered of lines) {
    const line = readOrReport(numbered, findings);
    if (line === null) continue;
    if (line.type === "header") {
      findings.add("malformed", null, `line ${numbered.lineNumber} is a second header`);
    } else if (line.type === "checkpoint") {
      const earlier = checkEarlier(line, numbered.lineNumber, check);
      if (earlier !== null) rootsProven.set(earlier.size, earlier.root);
    } else {
      count++;
      if (line.index <= last)
        findings.add("repeated", line.index, `entry ${line.index} appears again, or out of order`);
      last = Math.max(last, line.index);
      if (isProven(line, checkpoint, findings)) proven++;
    }
  }
  if (count === 0) findings.add("missing", null, "the evidence contains no entries");
  for (const kept of check.kept) reportKept(kept, check, rootsProven);

  return {
    isIntact: findings.isEmpty && proven === count,
    origin: header.origin,
    ...(header.about === undefined ? {} : { about: header.about }),
    entries: count,
    proven,
    checkpoints: rootsProven.size,
    size: checkpoint.size,
    signedAt: checkpoint.signedAt,
    findings: findings.kept,
    omitted: findings.omitted,
  };
}

function isProven(line: EntryLine, checkpoint: SignedCheckpoint, findings: Findings): boolean {
  const { index, proof, written, computed } = line;
  const { size, root } = checkpoint;
  const signed = checkpointOf(checkpoint);
  if (index >= size) {
    findings.add("added", index, `entry ${index} was added: ${signed} signed only ${size}`);
    return false;
  }
  if (proof === null) {
    findings.add("proof", index, `entry ${index} has no proof`);
    return false;
  }
  const isInLog = (leaf: Buffer) => verifyInclusion({ index, size, leaf, proof, root });
  if (isInLog(computed)) {
    if (computed.equals(written)) return true;
    findings.add("changed", index, `the hash stored with entry ${index} was changed; the entry itself was not`);
    return true;
  }
  if (isInLog(written)) findings.add("changed", index, `entry ${index} was changed`);
  else findings.add("proof", index, `entry ${index} is not in the log that ${signed} signed, or its proof was changed`);
  return false;
}

/** An earlier checkpoint in the file, if the consistency proof beside it is valid. */
function checkEarlier(line: CheckpointLine, lineNumber: number, check: ExportCheck): SignedCheckpoint | null {
  const { findings, verifier, verifierKey, checkpoint } = check;
  const which = `the checkpoint in line ${lineNumber}`;
  const earlier = readSignedCheckpoint(line.note, verifierKey, verifier, which, findings);
  if (earlier === null || !isOfLog(earlier, checkpoint.origin, findings)) return null;
  const isConsistent = verifyConsistency({
    earlier: earlier.size,
    size: checkpoint.size,
    earlierRoot: earlier.root,
    root: checkpoint.root,
    proof: line.consistency ?? [],
  });
  if (isConsistent) return earlier;
  findings.add("proof", null, `${checkpointOf(checkpoint)} is not proved to extend the one in line ${lineNumber}`);
  return null;
}

/** The auditor's kept checkpoint must belong to the same log: equal, or with a consistency proof in the file. */
function reportKept(kept: SignedCheckpoint, check: ExportCheck, rootsProven: ReadonlyMap<number, Buffer>): void {
  const { checkpoint, findings } = check;
  const message = `the log of ${checkpointOf(kept)} that you kept (${kept.size} entries)`;
  const root = rootsProven.get(kept.size);
  if (kept.size > checkpoint.size) {
    findings.add(
      "truncated",
      checkpoint.size,
      `${message} is longer than the log of this evidence (${checkpoint.size})`,
    );
  } else if (root === undefined) {
    findings.add("proof", null, `${message} cannot be compared: the evidence has no consistency proof from it`);
  } else if (!root.equals(kept.root)) {
    findings.add("rewritten", null, `${message} differs from the log of this evidence`);
  }
}
