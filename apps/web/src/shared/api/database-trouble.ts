// Whether the server's database is in trouble, as the answers to calls tell: the sentence to show until calls are served again.
import type { Endpoint } from "@strongroom/contract";
import { useSyncExternalStore } from "react";
import type { CallError } from "./call-error.ts";

const AWAY = "The database cannot be reached at the moment.";

let sentence: string | null = null;
const listeners = new Set<() => void>();

function set(next: string | null): void {
  if (next === sentence) return;
  sentence = next;
  for (const listener of listeners) listener();
}

/** A 503 for which the database is the reason: the call had no effect, or says that this is not known. */
export const isDatabaseTrouble = ({ status, code }: CallError): boolean =>
  status === 503 && code?.startsWith("database.") === true;

export function noteFailure(error: CallError): void {
  if (!isDatabaseTrouble(error)) return;
  // What became of a change is said where it was made.
  if (error.code === "database.outcome-unknown") set(AWAY);
  // The rest of it tells a program what to do.
  else set(error.message.split(/(?<=\.) /, 1)[0] ?? AWAY);
}

/** What is public may be answered without the database. */
export function noteSuccess(endpoint: Endpoint): void {
  if (endpoint.needs !== "public") set(null);
}

export const forgetTrouble = (): void => set(null);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Null while all is well. */
export const useDatabaseTrouble = (): string | null => useSyncExternalStore(subscribe, () => sentence);
