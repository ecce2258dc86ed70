// The findings of a log check, in words for readers who do not know Merkle trees.
import type { EvidenceAbout } from "./export-format.ts";

const FINDING_KINDS = [
  "changed",
  "deleted",
  "missing",
  "swapped",
  "reordered",
  "repeated",
  "added",
  "truncated",
  "rewritten",
  "proof",
  "signature",
  "checkpoint",
  "malformed",
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

export interface Finding {
  readonly kind: FindingKind;
  /** The first entry that the finding concerns, counted from 0; null when it concerns none. */
  readonly index: number | null;
  readonly message: string;
}

export interface VerifyReport {
  /** No findings, and a signature covers every entry that was read. */
  readonly isIntact: boolean;
  readonly origin: string | null;
  /** The subject that the evidence names; it is not signed. */
  readonly about?: EvidenceAbout | undefined;
  /** How many entries were read. */
  readonly entries: number;
  /** How many of them a signed checkpoint covers unchanged. */
  readonly proven: number;
  /** How many signed checkpoints matched. */
  readonly checkpoints: number;
  /** The size and time of the newest checkpoint that matched. */
  readonly size: number | null;
  readonly signedAt: Date | null;
  readonly findings: readonly Finding[];
  /** Findings beyond the first 1000: counted, not kept. */
  readonly omitted: number;
}

const MAX_FINDINGS = 1000;

/** Collects findings, in bounded memory. */
export class Findings {
  readonly kept: Finding[] = [];
  omitted = 0;

  add(kind: FindingKind, index: number | null, message: string): void {
    if (this.kept.length < MAX_FINDINGS) this.kept.push({ kind, index, message });
    else this.omitted++;
  }

  get isEmpty(): boolean {
    return this.kept.length === 0;
  }
}

/** `entry 41 is`, `entries 41 and 42 are`, `entries 41 to 45 are`. */
export function entries(from: number, to: number, verb: "is" | "was"): string {
  const plural = { is: "are", was: "were" }[verb];
  if (from === to) return `entry ${from} ${verb}`;
  return to === from + 1 ? `entries ${from} and ${to} ${plural}` : `entries ${from} to ${to} ${plural}`;
}

/** `the checkpoint of 2026-11-21T09:08:07Z`. */
export function checkpointOf({ signedAt }: { signedAt: Date }): string {
  return `the checkpoint of ${signedAt.toISOString().slice(0, 19)}Z`;
}
