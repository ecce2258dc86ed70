// Updates the stored fields of a credential or account and, if given, its secret.
import type { CredentialEdit } from "@strongroom/contract";
import type { Kek, Secret } from "@strongroom/keys";
import type { Updateable } from "kysely";
import type { z } from "zod";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import { bindActive } from "./active-version.ts";
import {
  DESTINATION_FIELDS,
  changedFields,
  changesAddress,
  changesLogin,
  changesMethod,
  hostKeyText,
  scheduledFirst,
} from "./credentials.ts";
import { nextVersion, updateCredential } from "./credentials.store.ts";
import type { CredentialRow, CredentialsTable } from "./credentials.store.ts";
import { searchKeys, searchText } from "./index-credential.ts";
import { refuseWhileRotating, supersedeRotation } from "./rotation-lock.ts";
import { storeVersion } from "./store-version.ts";

/** All fields of an edit except the secret. */
export type StoredFields = Omit<z.output<typeof CredentialEdit>, "value">;

export interface StoredEdit {
  fields: StoredFields;
  /** The new active secret; null keeps the current one. */
  replacement: { kek: Kek; secret: Secret } | null;
  at: Date;
  /** The user who makes the edit. */
  by: string;
  /**
   * As `call.requireStepUp`: called when the edit would send a production secret elsewhere or change its environment.
   */
  requireStepUp: () => void;
}

export interface Edited {
  row: CredentialRow;
  /** A login may now have another result: the caller must call the listeners. */
  isLoginChanged: boolean;
  /** For the audit entry. INVARIANT: it contains no secret. */
  details: NonNullable<AuditNote["details"]> & { changed: string[] };
}

const SECRET_REPLACED = "Another secret was stored during the rotation. The rotation's secret is kept as a version.";
const ADDRESS_CHANGED = "The target was changed during the rotation. The rotation's secret is kept as a version.";

/** `before` must be locked. The previous secret is kept as history. Throws 409 while a rotation is working on it. */
export async function editStored(tx: Tx, before: CredentialRow, edit: StoredEdit): Promise<Edited> {
  const { replacement, at, by } = edit;
  const { additional_params, ...fields } = edit.fields;
  const changed = changedFields(before, edit.fields);
  const leadsAway = changesMethod(changed) || changed.includes("environment");
  // INVARIANT: an edit requires the same re-authentication as a reveal; otherwise it would be a way around it.
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
    ...(isLoginChanged ? { ...resetVerification(before), verify_after: scheduledFirst(at) } : {}),
    ...(changesAddress(changed) ? { host_key: null, offered_host_key: null } : {}),
    additional_params: JSON.stringify(additional_params),
    ...(replacement === null ? {} : bindActive(replacement.kek, before.id, version, before)),
    // INVARIANT: a secret is sent to another address only if the user who changed it could have retrieved that very
    // secret.
    ...(replacement !== null && changesMethod(changed) ? { sendable_from: version } : {}),
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

/** The previous and new destination of the login, for the fields that changed. */
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

/** The verification of the old secret or target is not valid for the new one. */
export function resetVerification(before: CredentialRow): Updateable<CredentialsTable> {
  return {
    login_revision: before.login_revision + 1,
    status: "pending",
    verification_status: "pending",
    verified_at: null,
    verification_error: null,
    expires_at: null,
  };
}
