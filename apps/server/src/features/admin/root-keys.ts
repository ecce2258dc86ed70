// Shows the root key and signing key to administrators and replaces them while servers run.
import type { KeyFacts, rekey, replaceSigningKey } from "@strongroom/contract";
import { SealError, keyFileProvider, parseSealRecord } from "@strongroom/keys";
import { callEntry } from "#kernel/audit/entry.ts";
import type { Db } from "#kernel/db/database.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { readSealRecord } from "#kernel/keys/kek-store.ts";
import type { SealableKeyRing } from "#kernel/keys/open-key-ring.ts";
import { replaceRootKey } from "#kernel/keys/replace-root-key.ts";
import { rekeyObstacle } from "./admin.policy.ts";
import { readKeyRow } from "./admin.store.ts";

export interface RootKeyContext {
  kernel: Kernel;
  keyRing: SealableKeyRing;
  signIn: {
    rotateSigningKey(): Promise<void>;
    signingKeySince(db: Db): Promise<Date | null>;
  };
}

const obstacleOf = ({ kernel, keyRing }: RootKeyContext): string | null =>
  rekeyObstacle({
    provider: keyRing.provider,
    isSealed: keyRing.ring.isSealed,
    isOneMachine: kernel.config.databaseUrl === null,
  });

export async function readKeyFacts(context: RootKeyContext, db: Db): Promise<KeyFacts> {
  const { keyRing } = context;
  const row = await readKeyRow(db);
  const signingKeySince = await context.signIn.signingKeySince(db);
  return {
    is_sealed: keyRing.ring.isSealed,
    provider: keyRing.provider,
    root_key_id: row.root_key_id,
    root_key_since: row.changed_at.toISOString(),
    keys: row.keys,
    signing_key_since: signingKeySince?.toISOString() ?? null,
    problem: await keyRing.problem(),
    rekey_obstacle: obstacleOf(context),
  };
}

/**
 * Replaces the root key as `strongroom rekey` does. This process uses the new key before it replies; the others follow on their
 * own.
 */
export async function replaceRoot(context: RootKeyContext, call: SteppedCall<typeof rekey>, db: Db): Promise<KeyFacts> {
  const { kernel, keyRing } = context;
  const { database, events, config, clock } = kernel;
  const obstacle = obstacleOf(context);
  if (obstacle !== null) throw refuse(409, "seal.no-rekey-from-here", obstacle);
  try {
    const before = parseSealRecord(await readSealRecord(database));
    call.note({ target: { type: "root-key", id: before.rootKeyId } });
    const provider = keyFileProvider(config.keyFile);
    const old = await provider.open(before);
    // Audit the attempt before any change. The result is a separate audit entry.
    await call.commit(async () => {});
    try {
      const entryOf = (id: string) => {
        const note = { target: { type: "root-key", id }, details: { from: before.rootKeyId } };
        return callEntry("seal.rekeyed", call.actor, call.request, note, clock.now());
      };
      await replaceRootKey({ database, events, old, next: provider, entryOf });
    } finally {
      old.dispose();
    }
    await keyRing.follow();
  } catch (error) {
    if (error instanceof SealError) throw refuse(409, "seal.rekey-failed", error.message);
    throw error;
  }
  return readKeyFacts(context, db);
}

export async function replaceSigning(
  context: RootKeyContext,
  call: SteppedCall<typeof replaceSigningKey>,
  db: Db,
): Promise<KeyFacts> {
  await call.commit(async () => {});
  await context.signIn.rotateSigningKey();
  return readKeyFacts(context, db);
}
