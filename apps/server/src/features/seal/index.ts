// Seals and unseals the vault of this process.
import { readSeal, seal, unseal } from "@strongroom/contract";
import { SealError, Secret } from "@strongroom/keys";
import { implement, implementInSteps } from "#kernel/http/implement.ts";
import { clientKey } from "#kernel/http/rate-limits.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { SealableKeyRing } from "#kernel/keys/open-key-ring.ts";
import type { Kernel } from "#kernel/kernel.ts";

/** The maximum number of waiting clients; more than this at once indicates abuse. */
const MOST_WAITING = 50;

interface Deps {
  /** Runs before any other use of the keys. */
  onUnsealed: () => Promise<void>;
  /** Ends everything that must not continue while no user can sign in. */
  onSealed: () => void;
}

export function installSeal(kernel: Kernel, keyRing: SealableKeyRing, { onUnsealed, onSealed }: Deps): void {
  kernel.authority.grant({ "seal.manage": ["admin"] });
  const takeTurn = createClientQueue();

  const close = () => {
    keyRing.ring.seal();
    onSealed();
  };

  implement(kernel, readSeal, async () => ({ is_sealed: keyRing.ring.isSealed, provider: keyRing.provider }));

  implementInSteps(kernel, unseal, (call) =>
    takeTurn(clientKey(call.request.ip), async () => {
      if (!keyRing.ring.isSealed) throw refuse(409, "seal.not-sealed", "The vault is not sealed.");
      try {
        using passphrase = Secret.fromText(call.body.passphrase);
        await keyRing.unsealWith(passphrase);
      } catch (error) {
        if (error instanceof SealError) throw refuse(403, "seal.refused", error.message);
        throw error;
      }
      // INVARIANT: if the unsealing cannot be recorded, the vault is sealed again.
      await onUnsealed()
        .then(() => call.commit(async () => {}))
        .catch((error: unknown) => {
          close();
          throw error;
        });
      return { message: "The vault is unsealed." };
    }),
  );

  implementInSteps(kernel, seal, async (call) => {
    if (keyRing.provider !== "passphrase") {
      throw refuse(
        409,
        "seal.key-file",
        "Only a vault that uses a passphrase can be sealed. This one opens with its key file.",
      );
    }
    await call.commit(async () => {});
    // In the next event loop turn, so that the reply to this call is still sent.
    setImmediate(close);
    return { message: "The vault is sealed." };
  });
}

/**
 * Runs work one at a time, in order of arrival and at most once per client, so that a client that floods the server
 * delays every other client by at most one run. Throws 429 if the client already has work in the queue, or if the queue
 * is full.
 */
function createClientQueue(): <T>(client: string, work: () => Promise<T>) => Promise<T> {
  const clients = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();
  return async (client, work) => {
    if (clients.has(client) || clients.size >= MOST_WAITING) {
      throw refuse(429, "seal.busy", "Another attempt is in progress. Please try again.", { retryAfter: 2 });
    }
    clients.add(client);
    const turn = last.then(work).finally(() => clients.delete(client));
    last = turn.catch(() => undefined);
    return turn;
  };
}
