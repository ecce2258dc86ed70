// Maps credential rows to API objects, names keys and audit targets, and lists the fields that a login depends on.
import { moment } from "#kernel/moment.ts";
import type { Credential, CredentialId, UserId } from "@strongroom/contract";
import type { NewEvent } from "#kernel/events/events.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import { connectorFacts } from "./connector-facts.ts";
import type { CredentialRow, HostKey } from "./credentials.store.ts";
import type { StoredFields } from "./edit-stored.ts";
import { verificationStatus } from "./verification-status.ts";

/** The purpose that is bound into the envelopes of this feature. */
export const ENVELOPE_PURPOSE = "credential";

/** The key-encryption key of a user's vault. */
export const vaultOf = (userId: string): string => `vault:${userId}`;

/** The key-encryption key of a safe. */
export const keyOfSafe = (safeId: string): string => `safe:${safeId}`;

/** The key-encryption key for an owner's secrets: that of a user's vault or of a safe. */
export function keyOfOwner({ user_id, safe_id }: Pick<CredentialRow, "user_id" | "safe_id">): string {
  if (user_id !== null) return vaultOf(user_id);
  if (safe_id !== null) return keyOfSafe(safe_id);
  throw new Error("a secret has no owner");
}

/** The same refusal for a credential that does not exist and one of another user. */
export const notFound = (): Refusal => refuse(404, "credential.not-found", "Credential not found");

/** The target of audit entries about a credential. */
export const targetOf = ({ id, name }: { id: string; name: string }) => ({ type: "credential", id, name });

/** The event for the user who may see the credential. */
export const changed = ({ id, user_id }: { id: string; user_id: string | null }): NewEvent => ({
  type: "credential.changed",
  audience: { users: user_id === null ? [] : [user_id] },
  data: { credential_id: id },
});

const HOUR = 3_600_000;

/** A new secret is verified at once. If that verification is lost, the schedule repeats it at this time. */
export const scheduledFirst = (at: Date): Date => new Date(at.getTime() + HOUR);

/** When one of these fields changes, a login with the stored secret may have another result. */
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

/** When one of these fields changes, another host may answer, with another host key. */
const ADDRESS_FIELDS = ["host", "port", "connection_string"] as const;

/** The fields that decide where a secret is sent, and how it is protected on the way. */
const WAY_FIELDS = [...ADDRESS_FIELDS, "type", "ssl_enabled", "additional_params"] as const;

/**
 * The destination and user name of a login. INVARIANT: none of them is ever a secret (a connection string has no
 * password).
 */
export const DESTINATION_FIELDS = [...ADDRESS_FIELDS, "username"] as const;

/** Returns the fields in which an edit differs from the stored values. */
export function changedFields(row: CredentialRow, fields: StoredFields): (keyof StoredFields)[] {
  return (Object.keys(fields) as (keyof typeof fields)[]).filter((name) => !isSame(row[name], fields[name]));
}

export const changesLogin = (changed: readonly string[]): boolean =>
  LOGIN_FIELDS.some((name) => changed.includes(name));
export const changesAddress = (changed: readonly string[]): boolean =>
  ADDRESS_FIELDS.some((name) => changed.includes(name));

export const changesMethod = (changed: readonly string[]): boolean => WAY_FIELDS.some((name) => changed.includes(name));

/** Compares additional parameters by content, regardless of the order of their keys. */
export function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  const names = Object.keys(a);
  if (Array.isArray(a) !== Array.isArray(b) || names.length !== Object.keys(b).length) return false;
  return names.every((name) => name in b && isSame(a[name as never], b[name as never]));
}

export function toCredential(row: CredentialRow): Credential {
  return {
    id: row.id as CredentialId,
    user_id: row.user_id as UserId,
    name: row.name,
    type: row.type as Credential["type"],
    username: row.username,
    host: row.host,
    port: row.port,
    status: row.status as Credential["status"],
    environment: row.environment as Credential["environment"],
    verification_status: verificationStatus(row),
    verified_at: moment(row.verified_at),
    last_verification_attempt: moment(row.last_verification_attempt),
    verification_error: row.verification_error,
    host_key_alarm: hostKeyAlarm(row),
    last_accessed: moment(row.last_accessed_at),
    connector: connectorFacts(row),
    database_name: row.database_name,
    schema_name: row.schema_name,
    connection_string: row.connection_string,
    ssl_enabled: row.ssl_enabled,
    additional_params: row.additional_params,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** The pinned host key and the presented one, in a form users can compare; null when there is no alarm. */
export function hostKeyAlarm({
  host_key,
  offered_host_key,
}: Pick<CredentialRow, "host_key" | "offered_host_key">): Credential["host_key_alarm"] {
  if (host_key === null || offered_host_key === null) return null;
  return { expected: hostKeyText(host_key), presented: hostKeyText(offered_host_key) };
}

/** In the format of OpenSSH: `ssh-ed25519 SHA256:…`. */
export const hostKeyText = ({ type, fingerprint }: HostKey): string => `${type} ${fingerprint}`;
