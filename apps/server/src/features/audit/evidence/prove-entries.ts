// Proves recent entries of some events, for reports: their place in the tree and the hashes to the signed root.
import { inclusionProof } from "@strongroom/auditlog";
import { sql } from "kysely";
import type { Db } from "#kernel/db/database.ts";
import { requireCheckpoint } from "../audit.ts";
import { nodeReader } from "../tree/tree.store.ts";
import type { LogIdentity } from "../tree/signing-key.ts";

export interface EntryProof {
  id: string;
  at: string;
  event: string;
  actor: string;
  leaf_index: number;
  /** Base64, like the other hashes. */
  leaf_hash: string;
  /** From the leaf to the root (RFC 9162 §2.1.3). */
  hashes: string[];
}

export interface ProvenEntries {
  /** A signed note over the size and the root hash of the tree. */
  checkpoint: string;
  verifier_key: string;
  proofs: EntryProof[];
}

export interface WantedEntries {
  events: readonly string[];
  since: Date;
  limit: number;
}

interface Row {
  id: string;
  at: Date;
  event: string;
  actor_name: string | null;
  leaf_index: number;
  leaf_hash: Buffer;
}

/** The newest entries that the newest checkpoint contains. Throws a refusal when there is no valid checkpoint. */
export async function proveEntries(
  db: Db,
  identity: LogIdentity,
  { events, since, limit }: WantedEntries,
): Promise<ProvenEntries> {
  const { newest } = await requireCheckpoint(db, identity);
  const { rows } = await sql<Row>`
    select entry.id, entry.at, entry.event, entry.actor_name, leaf.leaf_index::integer as leaf_index, leaf.leaf_hash
    from audit_entries entry join audit_leaves leaf on leaf.entry_id = entry.id
    where entry.event = any(${[...events]}::text[]) and entry.at >= ${since} and leaf.leaf_index < ${newest.size}
    order by entry.at desc, entry.id desc limit ${limit}`.execute(db);
  const proofs = await Promise.all(
    rows.map(async ({ id, at, event, actor_name, leaf_index, leaf_hash }) => ({
      id,
      at: at.toISOString(),
      event,
      actor: actor_name ?? "Strongroom",
      leaf_index,
      leaf_hash: leaf_hash.toString("base64"),
      hashes: (await inclusionProof(nodeReader(db), leaf_index, newest.size)).map((hash) => hash.toString("base64")),
    })),
  );
  return { checkpoint: newest.note, verifier_key: identity.verifierKey, proofs };
}
