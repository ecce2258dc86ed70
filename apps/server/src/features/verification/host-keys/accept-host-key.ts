// Accepts a host key that raised an alarm, after a user has confirmed that it belongs to the host.
import type { Message, acceptHostKey as acceptEndpoint } from "@strongroom/contract";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { hostKeyText, searchKeys, updateSecret } from "#features/secrets/index.ts";
import { credentialChanged, credentialNotFound, credentialTarget, lockCredential } from "#features/vault/index.ts";
import type { SecretRow, HostKey, LoginListener } from "#features/secrets/index.ts";

type Acceptance = Call<typeof acceptEndpoint>;

/** A verification follows automatically and trusts only this key. */
export async function acceptHostKey(
  kernel: Kernel,
  call: Acceptance,
  tx: Tx,
  onLogin: LoginListener,
): Promise<Message> {
  const { id } = call.params;
  call.note({ target: { type: "credential", id } });
  const before = await lockCredential(tx, call.actor, id);
  if (before === null) throw credentialNotFound();
  const row = await acceptOffered(tx, before, call.body.fingerprint);
  await onLogin(tx, row);
  await kernel.events.publish(tx, credentialChanged(row));
  call.note({ target: credentialTarget(row), details: acceptedKeys(before) });
  return { message: `The new host key of "${row.name}" was accepted` };
}

/** The audit details of an accepted key. */
export function acceptedKeys({ host_key, offered_host_key }: SecretRow) {
  const text = (key: HostKey | null) => (key === null ? null : hostKeyText(key));
  return { accepted: text(offered_host_key), replaced: text(host_key) };
}

/**
 * Trusts the key that raised the alarm if its fingerprint matches. Call with the row locked. Throws 409 otherwise.
 */
export async function acceptOffered(tx: Tx, before: SecretRow, fingerprint: string): Promise<SecretRow> {
  const { host_key, offered_host_key: offered } = before;
  if (offered === null || host_key === null) {
    throw refuse(409, "host-key.no-alarm", "There is no changed host key to accept.");
  }
  if (hostKeyText(offered) !== fingerprint) {
    throw refuse(409, "host-key.other", "The host key has changed again. Review the new key before you accept it.");
  }
  return updateSecret(tx, before.id, {
    host_key: JSON.stringify(offered),
    offered_host_key: null,
    status: "pending",
    verification_status: "pending",
    verification_error: null,
    verification_code: null,
    // The new revision makes results that were compared with the old key outdated, so that they do not raise the alarm
    // again. A rejected secret stays rejected.
    login_revision: before.login_revision + 1,
    rejected_revision: before.rejected_revision === before.login_revision ? before.login_revision + 1 : null,
    search_keys: searchKeys({ ...before, verification_status: "pending" }),
  });
}
