// The second step of a sign-in: a factor, a recovery code, or setting up the first factor when the user's role requires one.
import type { SignedIn, addFirstFactor, beginFirstFactor, completeSignIn } from "@strongroom/contract";
import { finishSignIn, requirePendingSignIn, trySecondStep } from "#features/sign-in/index.ts";
import type { SecondStepDemand, PendingSignIn } from "#features/sign-in/index.ts";
import { readPolicy } from "#features/users/index.ts";
import type { UsersTable } from "#features/users/index.ts";
import { appendAudit } from "#kernel/audit/append.ts";
import { callEntry } from "#kernel/audit/entry.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { begin, checkAnswer, isPasskey, saveFactor, wrongAnswer } from "../enrol.ts";
import type { FactorProofContext, FactorsContext } from "../context.ts";
import { isRequired, requireNoFactor } from "../factors.policy.ts";
import { countCodes, findFactors } from "../factors.store.ts";
import type { FactorRow } from "../factors.store.ts";
import { askForPasskey } from "../methods/passkeys.ts";
import { checkProof, useProof, wrongProof } from "./prove.ts";
import { notifyOfGuesses } from "../notify-factors.ts";

/** The second step that this user must complete; null when none is needed. */
export async function demandOf(
  { kernel }: Pick<FactorProofContext, "kernel">,
  db: Db,
  user: UsersTable,
): Promise<SecondStepDemand | null> {
  const factors = await findFactors(db, user.id);
  if (factors.length > 0) return demandWith(kernel, "second-step", user, factors, await countCodes(db, user.id));
  if (!isRequired(user.role, await readPolicy(db))) return null;
  return { kinds: [], passkey: null, keep: async () => {} };
}

/** The kinds of proof that a user with these factors and this number of recovery codes can give. */
export async function demandWith(
  kernel: FactorProofContext["kernel"],
  purpose: "second-step" | "step-up",
  user: Pick<UsersTable, "id">,
  factors: readonly FactorRow[],
  codes: number,
): Promise<SecondStepDemand> {
  const passkeys = factors.filter(isPasskey);
  const asked = passkeys.length === 0 ? null : await askForPasskey(kernel, purpose, user.id, passkeys);
  const kinds: SecondStepDemand["kinds"] = [];
  if (passkeys.length > 0) kinds.push("passkey");
  if (passkeys.length < factors.length) kinds.push("totp");
  if (codes > 0) kinds.push("recovery");
  return { kinds, passkey: asked?.options ?? null, keep: async (tx) => asked?.keep(tx) };
}

export async function complete(
  parts: FactorProofContext,
  call: SteppedCall<typeof completeSignIn>,
  db: Db,
): Promise<SignedIn> {
  const { kernel, signIn } = parts;
  const { pending, proof } = call.body;
  const { attempt, ...tried } = await trySecondStep(signIn, call, db, pending);
  call.note({ details: { method: tried.row.method, second_step: proof.kind } });
  const proven = await checkProof(kernel, db, tried.user.id, proof, "second-step");
  if (proven === null) {
    await notifyOfGuesses(parts, tried);
    throw wrongProof();
  }
  const within = (tx: Tx) => useProof(kernel, tx, proven);
  return finishSignIn(signIn, call, tried, { attempt, secondStep: proof.kind, within });
}

/** INVARIANT: with a first proof alone, only a user without a factor can set one up. */
export async function beginFirst(parts: FactorsContext, call: SteppedCall<typeof beginFirstFactor>, db: Db) {
  const { user } = await requirePendingSignIn(parts.signIn, call, db, call.body.pending);
  const factors = await findFactors(db, user.id);
  requireNoFactor(factors.length);
  const started = await begin(parts.kernel, user, call.body.kind, factors);
  await call.commit((tx) => started.keep(tx));
  return started.shown;
}

export async function addFirst(parts: FactorsContext, call: SteppedCall<typeof addFirstFactor>, db: Db) {
  const { kernel, signIn } = parts;
  const { pending, answer } = call.body;
  const { attempt, ...tried } = await trySecondStep(signIn, call, db, pending);
  requireNoFactor((await findFactors(db, tried.user.id)).length);
  const answered = await checkAnswer(kernel, db, tried.user.id, answer);
  if (answered === null) throw wrongAnswer();
  let codes: string[] = [];
  const { token } = await finishSignIn(signIn, call, tried, {
    attempt,
    secondStep: answer.kind,
    within: async (tx) => {
      // The user's row is locked, so this check sees any factor that was added concurrently.
      requireNoFactor((await findFactors(tx, tried.user.id)).length);
      codes = (await saveFactor(tx, parts.notify, answered)) ?? [];
      await appendAudit(tx, [addedEntry(kernel, call, tried, answered.row)]);
    },
  });
  return { token, recovery_codes: codes };
}

function addedEntry(
  { clock }: FactorsContext["kernel"],
  call: SteppedCall<typeof addFirstFactor>,
  { user }: PendingSignIn,
  row: FactorRow,
) {
  const note = {
    actor: { id: user.id, name: user.name, role: user.role },
    target: { type: "factor", id: row.id, name: row.name },
    details: { kind: row.kind },
  };
  return callEntry("factor.added", null, call.request, note, clock.now());
}
