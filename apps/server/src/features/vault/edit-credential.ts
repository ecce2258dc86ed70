// Updates a credential. When the secret changes, the previous secret is kept as history.
import type { Credential, updateCredential as updateEndpoint } from "@strongroom/contract";
import { Secret } from "@strongroom/keys";
import { editSecret, keyOfVault } from "#features/secrets/index.ts";
import type { LoginListener } from "#features/secrets/index.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { credentialChanged, credentialNotFound, credentialTarget, searchedValues, toCredential } from "./vault.ts";
import { lockCredential } from "./vault.store.ts";

type Edit = SteppedCall<typeof updateEndpoint>;

export async function editCredential(kernel: Kernel, call: Edit, onLogin: LoginListener): Promise<Credential> {
  const { id } = call.params;
  const { value, ...fields } = call.body;
  call.note({ target: { type: "credential", id } });
  using secret = value === undefined ? null : Secret.fromText(value);
  const replacement = secret === null ? null : { secret, kek: await kernel.keys.kekFor(keyOfVault(call.actor.id)) };
  const at = kernel.clock.now();

  // Awaited here because the secret is destroyed when this function returns.
  return await call.commit(
    async (tx) => {
      const before = await lockCredential(tx, call.actor, id);
      if (before === null) throw credentialNotFound();
      const edit = { fields, searched: searchedValues(fields), replacement, at, by: call.actor.id };
      const { row, isLoginChanged, details } = await editSecret(tx, before, {
        ...edit,
        requireStepUp: () => call.requireStepUp(),
      });
      await kernel.events.publish(tx, credentialChanged(row));
      if (isLoginChanged) await onLogin(tx, row);
      call.note({ target: credentialTarget(row), details });
      return toCredential(row);
    },
    (credential) => credential,
  );
}
