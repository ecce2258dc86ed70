// Replaces the root key of a live database: stores its record and notifies running servers in one transaction.
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
  /** The current root key, which the caller still owns. */
  old: RootKey;
  /** Creates and stores the new root key. */
  next: SealProvider;
  /** The audit entry, recorded in the transaction that replaces the key. */
  entryOf(rootKeyId: string): AuditEntry;
}

/** Returns the new record. Rejects like `rekeyRoot`. The old root key is then still current, or may be. */
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
