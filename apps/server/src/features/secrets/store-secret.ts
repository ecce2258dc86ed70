// Seals a secret and stores it as the next version of an existing row or with a new row.
import type { CredentialEdit, SecretVersion } from "@strongroom/contract";
import { sealSecret } from "@strongroom/keys";
import type { Kek, Secret } from "@strongroom/keys";
import type { z } from "zod";
import type { Tx } from "#kernel/db/database.ts";
import { forgetMismatch } from "./active-version-alarm.ts";
import { bindActive } from "./active-version.ts";
import { ENVELOPE_PURPOSE } from "./owner-keys.ts";
import { searchKeys, searchText } from "./search-keys.ts";
import { insertSecret, insertSecretVersion } from "./secrets.store.ts";
import type { SecretRow } from "./secrets.store.ts";

const HOUR = 3_600_000;

/** A new secret is verified immediately. If that verification is lost, the schedule repeats it at this time. */
export const scheduledFirst = (at: Date): Date => new Date(at.getTime() + HOUR);

/** All fields of an edit except the secret. */
export type SecretFields = Omit<z.output<typeof CredentialEdit>, "value">;

export interface NewVersion {
  id: string;
  version: number;
  /** The owner's key. */
  kek: Kek;
  secret: Secret;
  at: Date;
  /** Null if the product itself stores the secret. */
  by: string | null;
  reason: SecretVersion["reason"];
}

/**
 * Stores the new active version; the previous version stays as history. The caller must bind the new version as the
 * active one.
 */
export async function storeVersion(tx: Tx, { id, version, kek, secret, at, by, reason }: NewVersion): Promise<void> {
  const envelope = sealSecret(kek, { purpose: ENVELOPE_PURPOSE, recordId: id, version }, secret);
  await insertSecretVersion(tx, { credential_id: id, version, envelope, created_at: at, created_by: by, reason });
  await forgetMismatch(tx, id);
}

export type SecretToStore = Omit<NewVersion, "version"> & {
  owner: { user_id: string; safe_id: null } | { user_id: null; safe_id: string };
  fields: SecretFields;
  /** The values by which a search finds the secret, the name first. */
  searched: readonly (string | null)[];
};

/** Inserts a new row with its first secret. The caller must call the login listeners. */
export async function storeSecret(tx: Tx, { owner, fields, searched, ...secret }: SecretToStore): Promise<SecretRow> {
  const { additional_params, ...known } = fields;
  const found = { ...known, ...owner, verification_status: "pending", search_text: searchText(searched) };
  const row = await insertSecret(tx, {
    ...found,
    id: secret.id,
    additional_params: JSON.stringify(additional_params),
    ...bindActive(secret.kek, secret.id, 1, null),
    verify_after: scheduledFirst(secret.at),
    search_keys: searchKeys(found),
    created_at: secret.at,
    updated_at: secret.at,
  });
  await storeVersion(tx, { ...secret, version: 1 });
  return row;
}
