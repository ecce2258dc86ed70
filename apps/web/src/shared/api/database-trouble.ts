// Detects from replies that the server's database is failing, and gives the message to show until calls succeed again.
import type { Endpoint } from "@strongroom/contract";
import { useSyncExternalStore } from "react";
import type { CallError } from "./call-error.ts";

const AWAY = "The database cannot be reached.";

let sentence: string | null = null;
const listeners = new Set<() => void>();

function set(next: string | null): void {
  if (next === sentence) return;
  sentence = next;
  for (const listener of listeners) listener();
}

/** A 503 caused by the database: the call had no effect, or the reply says that this is unknown. */
export const isDatabaseTrouble = ({ status, code }: CallError): boolean =>
  status === 503 && code?.startsWith("database.") === true;

export function noteFailure(error: CallError): void {
  if (!isDatabaseTrouble(error)) return;
  // The caller shows the unknown outcome of a change.
  if (error.code === "database.outcome-unknown") set(AWAY);
  // The other sentences are for API clients.
  else set(error.message.split(/(?<=\.) /, 1)[0] ?? AWAY);
}

/** Public replies may not need the database. */
export function noteSuccess(endpoint: Endpoint): void {
  if (endpoint.needs !== "public") set(null);
}

export const forgetTrouble = (): void => set(null);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Null while the database works. */
export const useDatabaseTrouble = (): string | null => useSyncExternalStore(subscribe, () => sentence);
