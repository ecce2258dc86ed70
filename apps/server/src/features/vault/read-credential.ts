// Reads one credential without its secret, and its history.
import type { Credential, readCredential as readEndpoint, readCredentialHistory } from "@strongroom/contract";
import type { HistoryOfTarget } from "#features/audit/index.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { credentialNotFound, toCredential } from "./vault.ts";
import { readCredential } from "./vault.store.ts";

/** Events that the history omits, because an entry with the result follows each of them. */
const LEFT_OUT = ["verification.started"];

export async function readOne(call: Call<typeof readEndpoint>, db: Db): Promise<Credential> {
  const row = await readCredential(db, call.actor, call.params.id);
  if (row === null) throw credentialNotFound();
  return toCredential(row);
}

export async function readHistory(call: Call<typeof readCredentialHistory>, db: Db, historyOfTarget: HistoryOfTarget) {
  const row = await readCredential(db, call.actor, call.params.id);
  if (row === null) throw credentialNotFound();
  return historyOfTarget(db, { type: "credential", id: row.id }, { ...call.query, without: LEFT_OUT });
}
