// Re-authentication in an open session, for sensitive calls.
import type { StepUpProof, beginStepUp, stepUp } from "@strongroom/contract";
import {
  admitAttempt,
  markProved,
  provedUntil,
  undoAttemptCount,
  secondClaim,
  settleAttempt,
} from "#features/sign-in/index.ts";
import { findPasswordHash, passwordProblem, readPolicy } from "#features/users/index.ts";
import { sessionOf } from "#kernel/authz/actor.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call, SteppedCall } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { FactorsContext } from "../context.ts";
import { countCodes, findFactors } from "../factors.store.ts";
import { checkProof, useProof, wrongProof } from "./prove.ts";
import { demandWith } from "./second-step.ts";

export async function describeStepUp({ kernel, signIn }: FactorsContext, { actor }: Call<typeof beginStepUp>, db: Db) {
  const factors = await findFactors(db, actor.id);
  if (factors.length > 0) {
    const demand = await demandWith(kernel, "step-up", actor, factors, await countCodes(db, actor.id));
    await kernel.database.transaction((tx) => demand.keep(tx));
    return { kinds: demand.kinds, passkey: demand.passkey, provider: null };
  }
  const hasPassword = (await findPasswordHash(db, actor.id)) !== "";
  if (hasPassword) return { kinds: ["password" as const], passkey: null, provider: null };
  return { kinds: [], passkey: null, provider: await signIn.externalProviders.current.openidProviderOf(db, actor.id) };
}

/**
 * INVARIANT: a user with a second factor re-authenticates with that factor: the password is not enough. Guesses are counted and
 * slowed down as at sign-in.
 */
export async function proveAgain(parts: FactorsContext, call: SteppedCall<typeof stepUp>, db: Db) {
  const { kernel } = parts;
  const { actor } = call;
  const { proof } = call.body;
  call.note({ target: { type: "user", id: actor.id, name: actor.email }, details: { kind: proof.kind } });
  const claim = secondClaim(actor, call.request.ip);
  // Failed password attempts count towards the same limit as those at sign-in.
  const attempt = await admitAttempt(kernel, proof.kind === "password" ? { ...claim, email: actor.email } : claim);
  const proven = await checked(parts, call, db, proof, actor);
  if (proven === null) throw wrongProof(400);
  const now = kernel.clock.now();
  if (proven === "must-change") {
    // The password was correct, so it is not counted as a guess.
    await kernel.database.transaction((tx) => settleAttempt(tx, attempt, now));
    throw mustChange();
  }
  const policy = await readPolicy(db);
  await call.commit(async (tx) => {
    await undoAttemptCount(tx, attempt, actor.id, now);
    await proven(tx);
    await markProved(tx, sessionOf(actor), now);
  });
  return { proved_until: provedUntil(now, policy).toISOString() };
}

const mustChange = () =>
  refuse(
    403,
    "password.must-change",
    "Your password is too short or too common for your role. Change it in your profile, then try again.",
  );

/**
 * Returns the work that a valid proof requires in the transaction, null for a wrong proof, or `must-change` for a correct
 * password that is too weak.
 */
async function checked(
  { kernel, signIn }: FactorsContext,
  call: SteppedCall<typeof stepUp>,
  db: Db,
  proof: StepUpProof,
  actor: Actor,
): Promise<((tx: Tx) => Promise<void>) | "must-change" | null> {
  if (proof.kind !== "password") {
    const proven = await checkProof(kernel, db, actor.id, proof, "step-up");
    return proven === null ? null : (tx) => useProof(kernel, tx, proven);
  }
  const stored = (await findFactors(db, actor.id)).length > 0 ? null : await findPasswordHash(db, actor.id);
  const isRight = await signIn.passwords.verify(stored === "" ? null : stored, proof.password, call.signal);
  if (!isRight) return null;
  const { role, email, name } = actor;
  const isTooWeak = role !== "user" && passwordProblem(await readPolicy(db), { ...proof, role, email, name }) !== null;
  return isTooWeak ? "must-change" : async () => {};
}
