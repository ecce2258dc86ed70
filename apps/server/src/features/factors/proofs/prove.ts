// Verifies a proof given with a second factor.
import type { FactorProof, UserId } from "@strongroom/contract";
import { envelopeKekId, openSecret } from "@strongroom/keys";
import { openByFactor } from "#features/vault-closure/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { SignInKernel } from "#features/sign-in/index.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { findCode, findFactors, spendCode, spendStep } from "../factors.store.ts";
import type { ChallengePurpose, FactorRow } from "../factors.store.ts";
import { checkPasskey } from "../methods/passkeys.ts";
import { recoveryHash } from "../methods/recovery-codes.ts";
import { latestStep, matchingStep } from "../methods/totp.ts";

/**
 * A verified proof. INVARIANT: it authorises nothing until `spend` has returned true, in the transaction of the action
 * that it authorises.
 */
export interface ValidProof {
  kind: FactorProof["kind"];
  userId: UserId;
  /** When the factor or recovery code was created. */
  createdAt: Date;
  spend(tx: Tx): Promise<boolean>;
}

/** Returns null when the proof is wrong. Rejects with SealedError. */
export async function checkProof(
  kernel: SignInKernel,
  db: Db,
  userId: UserId,
  proof: FactorProof,
  purpose: ChallengePurpose,
): Promise<ValidProof | null> {
  if (proof.kind === "recovery") {
    const hash = recoveryHash(proof.code);
    const createdAt = await findCode(db, userId, hash);
    return createdAt === null
      ? null
      : { kind: "recovery", userId, createdAt, spend: (tx) => spendCode(tx, userId, hash) };
  }
  if (proof.kind === "passkey") {
    const use = await checkPasskey(kernel, proof.response, purpose, userId);
    return use === null ? null : { kind: "passkey", userId, createdAt: use.factor.created_at, spend: use.spend };
  }
  const now = kernel.clock.now();
  for (const row of await findFactors(db, userId)) {
    if (row.kind !== "totp") continue;
    const step = await stepOf(kernel, row, proof.code, now);
    if (step !== null)
      return {
        kind: "totp",
        userId,
        createdAt: row.created_at,
        spend: (tx) => spendStep(tx, row.id, step, latestStep(now), now),
      };
  }
  return null;
}

/** Spends a proof, or throws the error for a wrong proof. Opens the user's vault if the factor is older than the reset. */
export async function useProof(kernel: SignInKernel, tx: Tx, proven: ValidProof): Promise<void> {
  if (!(await proven.spend(tx))) throw wrongProof();
  await openByFactor(kernel, tx, proven.userId, proven.createdAt);
}

async function stepOf(kernel: SignInKernel, row: FactorRow, code: string, now: Date): Promise<number | null> {
  if (row.sealed === null) return null;
  return withTotpKey(kernel, row.id, row.sealed, (key) => matchingStep(key, code, now, row.used_steps));
}

/** Decrypts the key of an authenticator app, passes it to `use`, and then erases it. */
export async function withTotpKey<T>(
  kernel: SignInKernel,
  factorId: string,
  sealed: Buffer,
  use: (key: Buffer) => T,
): Promise<T> {
  using secret = openSecret(await kernel.keys.kekById(envelopeKekId(sealed)), totpContext(factorId), sealed);
  const key = secret.revealBytes();
  try {
    return use(key);
  } finally {
    key.fill(0);
  }
}

export const TOTP_PURPOSE = "second-factors";
export const totpContext = (factorId: string) => ({ purpose: TOTP_PURPOSE, recordId: factorId, version: 1 });

/** Callers pass 400 for signed-in users: a 401 would end their session in the browser. */
export const wrongProof = (status: 400 | 401 = 401) =>
  refuse(status, "second-step.refused", "Incorrect or already used. Try again.");
