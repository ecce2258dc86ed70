// Reads one credential without its secret, and its history.
import type {
  AuditLogEntry,
  Credential,
  readCredential as readEndpoint,
  readCredentialHistory,
} from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { notFound, toCredential } from "./credentials.ts";
import { readCredential } from "./credentials.store.ts";

/** The audit feature's list of entries about one target, newest first. Throws a refusal for an invalid cursor. */
export type HistoryOfTarget = (
  db: Db,
  target: { type: string; id: string },
  page: { limit: number; cursor?: string; without?: readonly string[] },
) => Promise<{ history: AuditLogEntry[]; next_cursor: string | null }>;

/** Each is followed by the entry with the result. */
const LEFT_OUT = ["verification.started"];

export async function readOne(call: Call<typeof readEndpoint>, db: Db): Promise<Credential> {
  const row = await readCredential(db, call.actor, call.params.id);
  if (row === null) throw notFound();
  return toCredential(row);
}

export async function readHistory(call: Call<typeof readCredentialHistory>, db: Db, historyOfTarget: HistoryOfTarget) {
  const row = await readCredential(db, call.actor, call.params.id);
  if (row === null) throw notFound();
  return historyOfTarget(db, { type: "credential", id: row.id }, { ...call.query, without: LEFT_OUT });
}
