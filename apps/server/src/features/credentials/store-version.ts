// Seals a secret and stores it: as the next version of what is there, or with a new row.
import type { SecretVersion } from "@strongroom/contract";
import { sealSecret } from "@strongroom/keys";
import type { Kek, Secret } from "@strongroom/keys";
import type { Tx } from "#kernel/db/database.ts";
import { ENVELOPE_PURPOSE, scheduledFirst } from "./credentials.ts";
import { insertCredential, insertSecretVersion } from "./credentials.store.ts";
import type { CredentialRow } from "./credentials.store.ts";
import type { StoredFields } from "./edit-stored.ts";
import { searchKeys, searchText } from "./index-credential.ts";

export interface NewVersion {
  id: string;
  version: number;
  /** Of the owner. */
  kek: Kek;
  secret: Secret;
  at: Date;
  /** Null: the product itself. */
  by: string | null;
  reason: SecretVersion["reason"];
}

/** The version in force from now on; the one before stays as history. */
export async function storeVersion(tx: Tx, { id, version, kek, secret, at, by, reason }: NewVersion): Promise<void> {
  const envelope = sealSecret(kek, { purpose: ENVELOPE_PURPOSE, recordId: id, version }, secret);
  await insertSecretVersion(tx, { credential_id: id, version, envelope, created_at: at, created_by: by, reason });
}

export type NewStored = Omit<NewVersion, "version"> & {
  owner: { user_id: string; safe_id: null } | { user_id: null; safe_id: string };
  fields: StoredFields;
};

/** A new row with its first secret. The listeners of logins are to be told. */
export async function storeNew(tx: Tx, { owner, fields, ...secret }: NewStored): Promise<CredentialRow> {
  const { additional_params, ...known } = fields;
  const found = { ...known, ...owner, verification_status: "pending" };
  const row = await insertCredential(tx, {
    ...found,
    id: secret.id,
    additional_params: JSON.stringify(additional_params),
    secret_version: 1,
    verify_after: scheduledFirst(secret.at),
    search_text: searchText(found),
    search_keys: searchKeys(found),
    created_at: secret.at,
    updated_at: secret.at,
  });
  await storeVersion(tx, { ...secret, version: 1 });
  return row;
}
