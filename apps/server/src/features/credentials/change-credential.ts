// Changes a credential; with a new secret, the earlier one is kept as history.
import type { Credential, updateCredential as updateEndpoint } from "@strongroom/contract";
import { Secret, sealSecret } from "@strongroom/keys";
import type { Updateable } from "kysely";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import type { Kernel } from "#kernel/kernel.ts";
import {
  DESTINATION_FIELDS,
  changed as changedEvent,
  changedFields,
  changesAddress,
  changesLogin,
  ENVELOPE_PURPOSE,
  hostKeyText,
  notFound,
  scheduledFirst,
  targetOf,
  toCredential,
  vaultOf,
} from "./credentials.ts";
import { insertSecretVersion, lockCredential, updateCredential } from "./credentials.store.ts";
import type { CredentialRow, CredentialsTable } from "./credentials.store.ts";
import { searchKeys, searchText } from "./index-credential.ts";
import type { LoginListener } from "./store-credential.ts";

type Edit = SteppedCall<typeof updateEndpoint>;

export async function changeCredential(kernel: Kernel, call: Edit, onLogin: LoginListener): Promise<Credential> {
  const { id } = call.params;
  const { value, additional_params, ...fields } = call.body;
  call.note({ target: { type: "credential", id } });
  using secret = value === undefined ? null : Secret.fromText(value);
  const kek = secret === null ? null : await kernel.keys.kekFor(vaultOf(call.actor.id));
  const at = kernel.clock.now();

  // Awaited here, because the secret lives no longer than this function.
  return await call.commit(async (tx) => {
    const before = await lockCredential(tx, call.actor, id);
    if (before === null) throw notFound();
    const version = before.secret_version + (secret === null ? 0 : 1);
    if (kek !== null && secret !== null) {
      const envelope = sealSecret(kek, { purpose: ENVELOPE_PURPOSE, recordId: id, version }, secret);
      const made = { created_at: at, created_by: call.actor.id, reason: "edited" } as const;
      await insertSecretVersion(tx, { credential_id: id, version, envelope, ...made });
    }
    const changed = changedFields(before, call.body);
    const isLoginChanged = secret !== null || changesLogin(changed);
    const forgotten = changesAddress(changed) ? before.host_key : null;
    const found = {
      ...fields,
      user_id: before.user_id,
      verification_status: isLoginChanged ? "pending" : before.verification_status,
    };
    const row = await updateCredential(tx, id, {
      ...fields,
      ...(isLoginChanged ? { ...unproven(before), verify_after: scheduledFirst(at) } : {}),
      ...(changesAddress(changed) ? { host_key: null, offered_host_key: null } : {}),
      additional_params: JSON.stringify(additional_params),
      secret_version: version,
      updated_at: at,
      search_text: searchText(found),
      search_keys: searchKeys(found),
    });
    await kernel.events.publish(tx, changedEvent(row));
    if (isLoginChanged) await onLogin(tx, row);
    call.note({
      target: targetOf(row),
      details: {
        changed,
        secret_changed: secret !== null,
        ...moved(before, row, changed),
        ...(forgotten === null ? {} : { forgotten_host_key: hostKeyText(forgotten) }),
      },
    });
    return toCredential(row);
  });
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
function unproven(before: CredentialRow): Updateable<CredentialsTable> {
  return {
    login_revision: before.login_revision + 1,
    status: "pending",
    verification_status: "pending",
    verified_at: null,
    verification_error: null,
    expires_at: null,
  };
}
