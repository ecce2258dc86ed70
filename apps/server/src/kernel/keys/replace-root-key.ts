// Replaces the root key of a database that may be in use: with its record, and the news for running servers, in one transaction.
import { rekeyRoot } from "@strongroom/keys";
import type { RootKey, SealProvider, SealRecord } from "@strongroom/keys";
import type { AuditEntry } from "@strongroom/auditlog";
import { appendAudit } from "../audit/append.ts";
import type { Database } from "../db/database.ts";
import type { Events } from "../events/events.ts";
import { rootKeyChanged } from "./follow-rekeys.ts";
import { createKekStore } from "./kek-store.ts";

export interface Rekey {
  database: Database;
  events: Events;
  /** The root key in force; still the caller's. */
  old: RootKey;
  /** Makes and keeps the new one. */
  next: SealProvider;
  /** What goes on record in the very transaction that replaces it. */
  entryOf(rootKeyId: string): AuditEntry;
}

/** Returns the record in force afterwards. Rejects as `rekeyRoot` does; then the old root key is in force, or may be. */
export async function replaceRootKey({ database, events, old, next, entryOf }: Rekey): Promise<SealRecord> {
  const recording: Database = {
    ...database,
    transaction: (work) =>
      database.transaction(async (tx) => {
        const answer = await work(tx);
        if (answer !== "replaced") return answer;
        const { root_key_id: id } = await tx.selectFrom("seal").select("root_key_id").executeTakeFirstOrThrow();
        await appendAudit(tx, [entryOf(id)]);
        await events.publish(tx, rootKeyChanged);
        return answer;
      }),
  };
  const { root, record } = await rekeyRoot(createKekStore(recording), old, next);
  root.dispose();
  return record;
}
