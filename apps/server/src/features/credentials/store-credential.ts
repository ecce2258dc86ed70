// Stores a new credential: its secret sealed under its owner's key, everything else as it was given.
import type { Credential, createCredential } from "@strongroom/contract";
import { Secret, sealSecret } from "@strongroom/keys";
import type { Tx } from "#kernel/db/database.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { newId } from "#kernel/id.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { changed, ENVELOPE_PURPOSE, scheduledFirst, targetOf, toCredential, vaultOf } from "./credentials.ts";
import { insertCredential, insertSecretVersion } from "./credentials.store.ts";
import type { CredentialRow } from "./credentials.store.ts";
import { searchKeys, searchText } from "./index-credential.ts";

/** Told, in the transaction that makes it true, that a login with a stored secret may end otherwise than before. */
export type LoginListener = (tx: Tx, credential: CredentialRow) => Promise<void>;

type Creation = SteppedCall<typeof createCredential>;

export async function storeCredential(kernel: Kernel, call: Creation, onLogin: LoginListener): Promise<Credential> {
  const { value, additional_params, ...fields } = call.body;
  const at = kernel.clock.now();
  const id = newId(at.getTime());
  using secret = Secret.fromText(value);
  const kek = await kernel.keys.kekFor(vaultOf(call.actor.id));
  const envelope = sealSecret(kek, { purpose: ENVELOPE_PURPOSE, recordId: id, version: 1 }, secret);
  const found = { ...fields, user_id: call.actor.id, verification_status: "pending" };
  const store = async (tx: Tx) => {
    const row = await insertCredential(tx, {
      ...found,
      id,
      additional_params: JSON.stringify(additional_params),
      secret_version: 1,
      verify_after: scheduledFirst(at),
      search_text: searchText(found),
      search_keys: searchKeys(found),
      created_at: at,
      updated_at: at,
    });
    await insertSecretVersion(tx, {
      credential_id: id,
      version: 1,
      envelope,
      created_at: at,
      created_by: call.actor.id,
      reason: "created",
    });
    await kernel.events.publish(tx, changed(row));
    await onLogin(tx, row);
    call.note({ target: targetOf(row), details: { type: row.type } });
    return toCredential(row);
  };
  return call.commit(store, (stored) => stored);
}
