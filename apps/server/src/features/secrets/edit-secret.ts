// Updates the stored fields of a credential or account and, if given, its secret.
import { isDatabaseType, withConnectionAddress } from "@strongroom/contract";
import type { AddressFields } from "@strongroom/contract";
import type { Kek, Secret } from "@strongroom/keys";
import type { Updateable } from "kysely";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import { bindActive } from "./active-version.ts";
import { hostKeyText } from "./host-keys.ts";
import { refuseWhileRotating, supersedeRotation } from "./rotation-lock.ts";
import { searchKeys, searchText } from "./search-keys.ts";
import { nextVersion, updateSecret } from "./secrets.store.ts";
import type { SecretRow, SecretsTable } from "./secrets.store.ts";
import { scheduledFirst, storeVersion } from "./store-secret.ts";
import type { SecretFields } from "./store-secret.ts";

export interface SecretEdit {
  fields: SecretFields;
  /** The values by which a search finds the secret, the name first. */
  searched: readonly (string | null)[];
  /** The new active secret; null keeps the current one. */
  replacement: { kek: Kek; secret: Secret } | null;
  at: Date;
  /** The user who makes the edit. */
  by: string;
  /**
   * Like `call.requireStepUp`: called when the edit would send a production secret to a different destination or change
   * its environment.
   */
  requireStepUp: () => void;
}

export interface Edited {
  row: SecretRow;
  /** A login may now have a different result: the caller must call the listeners. */
  isLoginChanged: boolean;
  /** For the audit entry. INVARIANT: it contains no secret. */
  details: NonNullable<AuditNote["details"]> & { changed: string[] };
}

/** When one of these fields changes, a login with the stored secret may have a different result. */
const LOGIN_FIELDS = [
  "type",
  "username",
  "host",
  "port",
  "database_name",
  "schema_name",
  "connection_string",
  "ssl_enabled",
  "additional_params",
] as const;

/** When one of these fields changes, a different host with a different host key may answer. */
const ADDRESS_FIELDS = ["host", "port", "connection_string"] as const;

/** The fields that determine where a secret is sent, and how it is protected in transit. */
const WAY_FIELDS = [...ADDRESS_FIELDS, "type", "ssl_enabled", "additional_params"] as const;

/**
 * The destination and user name of a login. INVARIANT: none of these fields contains a secret (a connection string has
 * no password).
 */
const DESTINATION_FIELDS = [...ADDRESS_FIELDS, "username"] as const;

const changesLogin = (changed: readonly string[]): boolean => LOGIN_FIELDS.some((name) => changed.includes(name));
const changesAddress = (changed: readonly string[]): boolean => ADDRESS_FIELDS.some((name) => changed.includes(name));

const changesMethod = (changed: readonly string[]): boolean => WAY_FIELDS.some((name) => changed.includes(name));

const SECRET_REPLACED = "Another secret was stored during the rotation. The rotation's secret is kept as a version.";
const ADDRESS_CHANGED = "The target was changed during the rotation. The rotation's secret is kept as a version.";

/** `before` must be locked. The previous secret is kept as history. Throws 409 while a rotation is working on it. */
export async function editSecret(tx: Tx, before: SecretRow, edit: SecretEdit): Promise<Edited> {
  const { replacement, at, by } = edit;
  const { additional_params, ...fields } = edit.fields;
  const changed = changedFields(before, edit.fields);
  const leadsAway = changesMethod(changed) || changed.includes("environment");
  // INVARIANT: an edit requires the same re-authentication as a reveal. Otherwise, an edit could be used to bypass the
  // re-authentication.
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
  const search_text = searchText(edit.searched);
  const found = { ...fields, user_id: before.user_id, verification_status, search_text };
  const row = await updateSecret(tx, before.id, {
    ...fields,
    ...(isLoginChanged ? { ...resetVerification(before), verify_after: scheduledFirst(at) } : {}),
    ...(changesAddress(changed) ? { host_key: null, offered_host_key: null } : {}),
    additional_params: JSON.stringify(additional_params),
    ...(replacement === null ? {} : bindActive(replacement.kek, before.id, version, before)),
    // INVARIANT: a secret is sent to a different address only if the user who changed the address could have retrieved
    // that same secret.
    ...(replacement !== null && changesMethod(changed) ? { sendable_from: version } : {}),
    updated_at: at,
    search_text,
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
function moved(before: SecretRow, after: SecretRow, changed: readonly string[]): NonNullable<AuditNote["details"]> {
  const fields = DESTINATION_FIELDS.filter((name) => changed.includes(name));
  if (fields.length === 0) return {};
  const of = (row: SecretRow) => Object.fromEntries(fields.map((name) => [name, row[name]]));
  return { from: of(before), to: of(after) };
}

/** The verification result of the old secret or target does not apply to the new one. */
function resetVerification(before: SecretRow): Updateable<SecretsTable> {
  return {
    login_revision: before.login_revision + 1,
    status: "pending",
    verification_status: "pending",
    verified_at: null,
    verification_error: null,
    verification_code: null,
    expires_at: null,
  };
}

/**
 * Stores a different secret as the active one on behalf of the product, and resets the verification status. The row
 * must be locked, and no rotation may be working on it. The caller must call the login listeners.
 */
export async function replaceSecret(
  tx: Tx,
  before: SecretRow,
  { kek, secret, at }: { kek: Kek; secret: Secret; at: Date },
): Promise<SecretRow> {
  const version = await nextVersion(tx, before.id);
  await storeVersion(tx, { id: before.id, version, kek, secret, at, by: null, reason: "rotated" });
  return updateSecret(tx, before.id, {
    ...resetVerification(before),
    ...bindActive(kek, before.id, version, before),
    verify_after: scheduledFirst(at),
    updated_at: at,
    search_keys: searchKeys({ ...before, verification_status: "pending" }),
  });
}

/** Returns the fields in which an edit differs from the stored values. */
function changedFields(before: SecretRow, fields: SecretFields): (keyof SecretFields)[] {
  const row = { ...before, ...addressUsed(before) };
  return (Object.keys(fields) as (keyof typeof fields)[]).filter((name) => !isSame(row[name], fields[name]));
}

/**
 * The address that a login uses (CRED-38). Rows of earlier versions may contain a different address than their
 * connection string; the next edit stores this one, which does not count as a change of target.
 */
export const addressUsed = (
  row: AddressFields & Pick<SecretRow, "type" | "connection_string">,
): Pick<SecretRow, keyof AddressFields> =>
  withConnectionAddress(isDatabaseType(row.type) ? row.connection_string : null, row);

/** Compares additional parameters by content, regardless of the order of their keys. */
export function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  const names = Object.keys(a);
  if (Array.isArray(a) !== Array.isArray(b) || names.length !== Object.keys(b).length) return false;
  return names.every((name) => name in b && isSame(a[name as never], b[name as never]));
}
