// The searchable names of an entry: its actor, target, host and ticket, and the label of its event.
import type { AuditEntry } from "@strongroom/auditlog";
import { labelOfAuditEvent } from "@strongroom/contract";
import type { NamedSubject } from "./names.store.ts";

const LONGEST = 300;
/** The maximum number of names that this process remembers as stored; beyond that it forgets all of them. */
const MOST_KNOWN = 50_000;

/** Returns no names for an invalid entry, which was written to the database from outside. */
export function namesIn(canonical: Buffer): NamedSubject[] {
  const entry = parse(canonical);
  if (entry === null) return [];
  const { actor, target, event, details } = entry;
  const ofTarget =
    target === undefined ? [] : [target.name, details?.["host"], details?.["hostname"], details?.["ticket"]];
  const names: (NamedSubject | null)[] = [
    { kind: "event", subject: event, name: `${labelOfAuditEvent(event)} ${event}`.toLowerCase() },
    ...("id" in actor ? [named("actor", actor.id, actor.name)] : []),
    ...ofTarget.map((name) => named("target", target!.id, name)),
  ];
  return names.filter((each) => each !== null);
}

/**
 * The names of an entry's actor and target, limited to those that every version stored in the same way: other target
 * names, and letters beyond ASCII, were stored differently before migration 0020.
 */
export function mainNamesIn(canonical: Buffer): NamedSubject[] {
  const entry = parse(canonical);
  if (entry === null) return [];
  const { actor, target } = entry;
  const names = [
    ...("id" in actor ? [named("actor", actor.id, actor.name)] : []),
    ...(target === undefined ? [] : [named("target", target.id, target.name)]),
  ];
  return names.filter((each) => each !== null && /^[ -~]*$/.test(each.name)) as NamedSubject[];
}

function named(kind: "actor" | "target", subject: string, name: unknown): NamedSubject | null {
  return typeof name === "string" && name !== "" ? { kind, subject, name: name.slice(0, LONGEST).toLowerCase() } : null;
}

function parse(canonical: Buffer): AuditEntry | null {
  try {
    const entry = JSON.parse(canonical.toString("utf8")) as AuditEntry;
    return typeof entry.event === "string" && typeof entry.actor === "object" ? entry : null;
  } catch {
    return null; // The entry is invalid, so it has no searchable names.
  }
}

export interface KnownNames {
  /** The names that are new in these entries, each once. */
  newIn(entries: readonly Buffer[]): NamedSubject[];
  /** To be called after the names are committed. */
  remember(names: readonly NamedSubject[]): void;
}

export function createKnownNames(): KnownNames {
  const known = new Set<string>();
  const keyOf = ({ kind, subject, name }: NamedSubject): string => `${kind} ${subject} ${name}`;
  return {
    newIn(entries) {
      const fresh = new Map<string, NamedSubject>();
      for (const each of entries.flatMap(namesIn)) if (!known.has(keyOf(each))) fresh.set(keyOf(each), each);
      return [...fresh.values()];
    },
    remember(names) {
      if (known.size + names.length > MOST_KNOWN) known.clear();
      for (const each of names) known.add(keyOf(each));
    },
  };
}
