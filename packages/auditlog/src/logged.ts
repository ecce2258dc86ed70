// The input of the other tools' formats: an entry with its index in the log, and its producer.
import type { AuditEntry } from "./entry.ts";

export interface LoggedEntry {
  readonly entry: AuditEntry;
  /** The entry's index in the tree; null while it has none. */
  readonly index: number | null;
}

export interface Producer {
  /** The product's version. */
  readonly version: string;
}

export const VENDOR = "Strongroom";
export const PRODUCT = "Strongroom";

export const actorName = ({ actor }: AuditEntry): string => ("id" in actor ? actor.name : actor.system);

/** `credential.revealed: Billing database (incident 7)`: one line for a person who reads a log. */
export function sentenceOf({ event, target, reason, result, actor }: AuditEntry): string {
  const about = target === undefined ? "" : ` ${target.type} ${target.name ?? target.id}`;
  const by = "id" in actor ? actor.name : actor.system;
  const why = reason === undefined || reason === "" ? "" : ` (${reason})`;
  return `${by}: ${event}${about}: ${result}${why}`;
}
