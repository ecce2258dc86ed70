// Maps the rows of a vault to API objects, names credentials in the audit trail, and publishes changes.
import { moment } from "#kernel/moment.ts";
import { CREDENTIAL_FIELD_NAMES, pick } from "@strongroom/contract";
import type { Credential, CredentialField, CredentialId, UserId } from "@strongroom/contract";
import type { NewEvent } from "#kernel/events/events.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import { addressUsed, connectorFacts, hostKeyAlarm, verificationStatus } from "#features/secrets/index.ts";
import type { SecretRow } from "#features/secrets/index.ts";

/** The same refusal for a credential that does not exist and one of another user. */
export const credentialNotFound = (): Refusal => refuse(404, "credential.not-found", "Credential not found");

/** The target of audit entries about a credential. */
export const credentialTarget = ({ id, name }: { id: string; name: string }) => ({ type: "credential", id, name });

/** The event for the user who may see the credential. */
export const credentialChanged = ({ id, user_id }: { id: string; user_id: string | null }): NewEvent => ({
  type: "credential.changed",
  audience: { users: user_id === null ? [] : [user_id] },
  data: { credential_id: id },
});

/** The values by which a search finds a credential, the name first. */
export const searchedValues = ({ name, username }: Pick<Credential, "name" | "username">) => [name, username];

export function toCredential(row: SecretRow): Credential {
  return {
    id: row.id as CredentialId,
    user_id: row.user_id as UserId,
    ...(pick(row, CREDENTIAL_FIELD_NAMES) as Pick<Credential, CredentialField>),
    ...addressUsed(row),
    status: row.status as Credential["status"],
    verification_status: verificationStatus(row),
    verified_at: moment(row.verified_at),
    last_verification_attempt: moment(row.last_verification_attempt),
    verification_error: row.verification_error,
    host_key_alarm: hostKeyAlarm(row),
    last_accessed: moment(row.last_accessed_at),
    connector: connectorFacts(row),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
