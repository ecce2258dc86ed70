// Sealing and unsealing the vault of this process.
import { readSeal, seal, unseal } from "@strongroom/contract";
import { SealError, Secret } from "@strongroom/keys";
import { implement, implementInSteps } from "#kernel/http/implement.ts";
import { clientKey } from "#kernel/http/rate-limits.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Vault } from "#kernel/keys/open-key-ring.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { createTurns } from "./turns.ts";

/** `onSealed` ends what must not go on while nobody can be let in. */
export function installSeal(kernel: Kernel, vault: Vault, onSealed: () => void): void {
  kernel.authority.grant({ "seal.manage": ["admin"] });
  const takeTurn = createTurns();

  const close = () => {
    vault.ring.seal();
    onSealed();
  };

  implement(kernel, readSeal, async () => ({ is_sealed: vault.ring.isSealed, provider: vault.provider }));

  implementInSteps(kernel, unseal, (call) =>
    takeTurn(clientKey(call.request.ip), async () => {
      if (!vault.ring.isSealed) throw refuse(409, "seal.not-sealed", "The vault is not sealed.");
      try {
        using passphrase = Secret.fromText(call.body.passphrase);
        await vault.unsealWith(passphrase);
      } catch (error) {
        if (error instanceof SealError) throw refuse(403, "seal.refused", error.message);
        throw error;
      }
      // INVARIANT: a vault whose unsealing could not be recorded is not left open.
      await call
        .commit(async () => {})
        .catch((error: unknown) => {
          close();
          throw error;
        });
      return { message: "The vault is unsealed." };
    }),
  );

  implementInSteps(kernel, seal, async (call) => {
    if (vault.provider !== "passphrase") {
      throw refuse(
        409,
        "seal.key-file",
        "A vault with a key file opens itself; only one with a passphrase can be sealed.",
      );
    }
    await call.commit(async () => {});
    // After this turn, so that the answer to this call still leaves.
    setImmediate(close);
    return { message: "The vault is sealed." };
  });
}
