// Stores a new credential, with its secret sealed under its owner's key.
import type { Credential, createCredential } from "@strongroom/contract";
import { Secret } from "@strongroom/keys";
import { keyOfVault, storeSecret } from "#features/secrets/index.ts";
import type { LoginListener } from "#features/secrets/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { newId } from "#kernel/id.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { credentialChanged, credentialTarget, searchedValues, toCredential } from "./vault.ts";

type Creation = SteppedCall<typeof createCredential>;

export async function createOwnCredential(kernel: Kernel, call: Creation, onLogin: LoginListener): Promise<Credential> {
  const { value, ...fields } = call.body;
  const at = kernel.clock.now();
  const id = newId(at.getTime());
  using secret = Secret.fromText(value);
  const kek = await kernel.keys.kekFor(keyOfVault(call.actor.id));
  const owner = { user_id: call.actor.id, safe_id: null };
  const store = async (tx: Tx) => {
    const searched = searchedValues(fields);
    const stored = { id, owner, fields, searched, secret, kek, at, by: call.actor.id, reason: "created" } as const;
    const row = await storeSecret(tx, stored);
    await kernel.events.publish(tx, credentialChanged(row));
    await onLogin(tx, row);
    call.note({ target: credentialTarget(row), details: { type: row.type } });
    return toCredential(row);
  };
  // Awaited here because the secret is destroyed when this function returns.
  return await call.commit(store, (stored) => stored);
}
