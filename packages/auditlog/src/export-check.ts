// Shared parts of the offline verifier: read lines and checkpoints, and report what is wrong with them.
import { verifyCheckpoint } from "./checkpoint.ts";
import { readLine } from "./export-format.ts";
import type { ExportLine, HeaderLine } from "./export-format.ts";
import { checkpointOf } from "./findings.ts";
import type { Findings } from "./findings.ts";
import type { SignedCheckpoint } from "./log-trace.ts";
import type { NoteVerifier } from "./signed-note.ts";

export interface ExportCheck {
  readonly header: HeaderLine;
  readonly checkpoint: SignedCheckpoint;
  readonly verifierKey: string;
  readonly verifier: NoteVerifier;
  /** The checked checkpoints that the auditor kept from earlier, smallest first. */
  readonly kept: readonly SignedCheckpoint[];
  readonly findings: Findings;
}

export interface NumberedLine {
  readonly text: string;
  /** The line number, counted from 1 as in an editor. */
  readonly lineNumber: number;
}

/** Reads a line and reports what is wrong with it; null when it cannot be used. */
export function readOrReport({ text, lineNumber }: NumberedLine, findings: Findings): ExportLine | null {
  const { line, complaint } = readLine(text);
  const about = line?.type === "entry" ? ` (entry ${line.index})` : "";
  const index = line?.type === "entry" ? line.index : null;
  if (complaint !== null) findings.add("malformed", index, `line ${lineNumber}${about} ${complaint}`);
  return line;
}

/** Verifies a checkpoint's form and signature, and reports what is wrong; null when it cannot be used. */
export function readSignedCheckpoint(
  note: string,
  verifierKey: string,
  verifier: NoteVerifier,
  which: string,
  findings: Findings,
): SignedCheckpoint | null {
  const read = verifyCheckpoint(note, verifier);
  switch (read.outcome) {
    case "verified":
      if (read.signedAt !== null) return { ...read.checkpoint, signedAt: read.signedAt };
      // The log signs the time of each checkpoint: if it is missing, it was removed.
      findings.add("signature", null, `the signed time of ${which} was removed`);
      return null;
    case "malformed":
      findings.add("malformed", null, `${which} is not a checkpoint`);
      return null;
    case "not-signed":
      findings.add("signature", null, `${which} is not signed by key ${verifierKey}`);
      return null;
    case "wrong-signature":
      findings.add("signature", null, `signature does not match key ${verifierKey}: ${which} was changed`);
      return null;
    default:
      return read satisfies never;
  }
}

/** One key may sign several logs; a checkpoint of another log proves nothing here. */
export function isOfLog(checkpoint: SignedCheckpoint, origin: string, findings: Findings): boolean {
  if (checkpoint.origin === origin) return true;
  findings.add("checkpoint", null, `${checkpointOf(checkpoint)} belongs to another log: ${checkpoint.origin}`);
  return false;
}
