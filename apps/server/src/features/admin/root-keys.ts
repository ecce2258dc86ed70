// The keys as an administrator sees them, and replacing them while servers run.
import type { KeyFacts, rekey, replaceSigningKey } from "@strongroom/contract";
import { SealError, keyFileProvider, parseSealRecord } from "@strongroom/keys";
import { callEntry } from "#kernel/audit/entry.ts";
import type { Db } from "#kernel/db/database.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { readSealRecord } from "#kernel/keys/kek-store.ts";
import type { Vault } from "#kernel/keys/open-key-ring.ts";
import { replaceRootKey } from "#kernel/keys/replace-root-key.ts";
import { rekeyObstacle } from "./admin.policy.ts";
import { readKeyRow } from "./admin.store.ts";

export interface KeySite {
  kernel: Kernel;
  vault: Vault;
  signIn: {
    rotateSigningKey(): Promise<void>;
    signingKeySince(db: Db): Promise<Date | null>;
  };
}

const obstacleOf = ({ kernel, vault }: KeySite): string | null =>
  rekeyObstacle({
    provider: vault.provider,
    isSealed: vault.ring.isSealed,
    isOneMachine: kernel.config.databaseUrl === null,
  });

export async function readKeyFacts(site: KeySite, db: Db): Promise<KeyFacts> {
  const { vault } = site;
  const row = await readKeyRow(db);
  const signingKeySince = await site.signIn.signingKeySince(db);
  return {
    is_sealed: vault.ring.isSealed,
    provider: vault.provider,
    root_key_id: row.root_key_id,
    root_key_since: row.changed_at.toISOString(),
    keys: row.keys,
    signing_key_since: signingKeySince?.toISOString() ?? null,
    problem: await vault.problem(),
    rekey_obstacle: obstacleOf(site),
  };
}

/** What `strongroom rekey` does, asked for here. This process follows before it answers; the others do by themselves. */
export async function replaceRoot(site: KeySite, call: SteppedCall<typeof rekey>, db: Db): Promise<KeyFacts> {
  const { kernel, vault } = site;
  const { database, events, config, clock } = kernel;
  const obstacle = obstacleOf(site);
  if (obstacle !== null) throw refuse(409, "seal.no-rekey-from-here", obstacle);
  try {
    const before = parseSealRecord(await readSealRecord(database));
    call.note({ target: { type: "root-key", id: before.rootKeyId } });
    const provider = keyFileProvider(config.keyFile);
    const old = await provider.open(before);
    // On record before anything changes; what came of it is a record of its own.
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
    await vault.follow();
  } catch (error) {
    if (error instanceof SealError) throw refuse(409, "seal.rekey-failed", error.message);
    throw error;
  }
  return readKeyFacts(site, db);
}

export async function replaceSigning(
  site: KeySite,
  call: SteppedCall<typeof replaceSigningKey>,
  db: Db,
): Promise<KeyFacts> {
  await call.commit(async () => {});
  await site.signIn.rotateSigningKey();
  return readKeyFacts(site, db);
}
