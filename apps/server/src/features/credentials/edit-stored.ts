// Changes what is stored of a secret and, if there is a new one, the secret: the same for a person's and for a safe's.
import type { CredentialEdit } from "@strongroom/contract";
import type { Kek, Secret } from "@strongroom/keys";
import type { Updateable } from "kysely";
import type { z } from "zod";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import {
  DESTINATION_FIELDS,
  changedFields,
  changesAddress,
  changesLogin,
  changesWay,
  hostKeyText,
  scheduledFirst,
} from "./credentials.ts";
import { nextVersion, updateCredential } from "./credentials.store.ts";
import type { CredentialRow, CredentialsTable } from "./credentials.store.ts";
import { searchKeys, searchText } from "./index-credential.ts";
import { refuseWhileRotating, supersedeRotation } from "./rotation-lock.ts";
import { storeVersion } from "./store-version.ts";

/** Everything that an edit names, without the secret. */
export type StoredFields = Omit<z.output<typeof CredentialEdit>, "value">;

export interface StoredEdit {
  fields: StoredFields;
  /** The secret that takes the place of the one in force; null keeps that. */
  replacement: { kek: Kek; secret: Secret } | null;
  at: Date;
  /** Whose edit it is. */
  by: string;
  /** As `call.requireStepUp`: asked where the edit would lead a production secret elsewhere, or call it something else. */
  requireStepUp: () => void;
}

export interface Edited {
  row: CredentialRow;
  /** A login may end otherwise now: the listeners are to be told. */
  isLoginChanged: boolean;
  /** For the trail. INVARIANT: nothing of it is a secret. */
  details: NonNullable<AuditNote["details"]> & { changed: string[] };
}

const SECRET_REPLACED = "Somebody stored another secret. What this rotation had stored is kept among its versions.";
const ADDRESS_CHANGED =
  "Somebody changed where the secret is used. What this rotation had stored is kept among its versions.";

/** `before` is locked. An earlier secret is kept as history. Throws 409 while a rotation has it in hand. */
export async function editStored(tx: Tx, before: CredentialRow, edit: StoredEdit): Promise<Edited> {
  const { replacement, at, by } = edit;
  const { additional_params, ...fields } = edit.fields;
  const changed = changedFields(before, edit.fields);
  const leadsAway = changesWay(changed) || changed.includes("environment");
  // INVARIANT: what a reveal asks for is asked here too: otherwise an edit would be a way around it.
  if (before.environment === "production" && leadsAway) edit.requireStepUp();
  const isLoginChanged = replacement !== null || changesLogin(changed);
  if (isLoginChanged) {
    await refuseWhileRotating(tx, before.id);
    await supersedeRotation(tx, before.id, at, replacement === null ? ADDRESS_CHANGED : SECRET_REPLACED);
  }
  const version = replacement === null ? before.secret_version : await nextVersion(tx, before.id);
  if (replacement !== null) {
    const { kek, secret } = replacement;
    await storeVersion(tx, { id: before.id, version, kek, secret, at, by, reason: "edited" });
  }
  const forgotten = changesAddress(changed) ? before.host_key : null;
  const verification_status = isLoginChanged ? "pending" : before.verification_status;
  const found = { ...fields, user_id: before.user_id, verification_status };
  const row = await updateCredential(tx, before.id, {
    ...fields,
    ...(isLoginChanged ? { ...unproven(before), verify_after: scheduledFirst(at) } : {}),
    ...(changesAddress(changed) ? { host_key: null, offered_host_key: null } : {}),
    additional_params: JSON.stringify(additional_params),
    secret_version: version,
    // INVARIANT: a secret goes to another address only if the one who changed it could have taken out that very secret.
    ...(replacement !== null && changesWay(changed) ? { sendable_from: version } : {}),
    updated_at: at,
    search_text: searchText(found),
    search_keys: searchKeys(found),
  });
  const details = {
    changed,
    secret_changed: replacement !== null,
    ...moved(before, row, changed),
    ...(forgotten === null ? {} : { forgotten_host_key: hostKeyText(forgotten) }),
  };
  return { row, isLoginChanged, details };
}

/** Where the login went and as whom, and where it goes now, as far as that is another. */
function moved(
  before: CredentialRow,
  after: CredentialRow,
  changed: readonly string[],
): NonNullable<AuditNote["details"]> {
  const fields = DESTINATION_FIELDS.filter((name) => changed.includes(name));
  if (fields.length === 0) return {};
  const of = (row: CredentialRow) => Object.fromEntries(fields.map((name) => [name, row[name]]));
  return { from: of(before), to: of(after) };
}

/** What was proved of the old secret or the old target says nothing about the new one. */
export function unproven(before: CredentialRow): Updateable<CredentialsTable> {
  return {
    login_revision: before.login_revision + 1,
    status: "pending",
    verification_status: "pending",
    verified_at: null,
    verification_error: null,
    expires_at: null,
  };
}
