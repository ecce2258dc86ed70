// The second step of signing in: a factor, a recovery code, or the first factor of somebody whose role needs one.
import type { SignedIn, addFirstFactor, beginFirstFactor, completeSignIn } from "@strongroom/contract";
import { finishSignIn, pendingSignIn, trySecondStep } from "#features/sign-in/index.ts";
import type { Demand, PendingSignIn } from "#features/sign-in/index.ts";
import { readPolicy } from "#features/users/index.ts";
import type { UsersTable } from "#features/users/index.ts";
import { appendAudit } from "#kernel/audit/append.ts";
import { callEntry } from "#kernel/audit/entry.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { begin, checkAnswer, isPasskey, keepFactor, wrongAnswer } from "./enrol.ts";
import type { FactorParts } from "./factor-parts.ts";
import { isRequired, requireNoFactor } from "./factors.policy.ts";
import { countCodes, findFactors } from "./factors.store.ts";
import type { FactorRow } from "./factors.store.ts";
import { askForPasskey } from "./passkeys.ts";
import { prove, spend, wrongProof } from "./prove.ts";
import { tellOfGuesses } from "./tell-factors.ts";

/** What signing in asks: what this person has to prove beside what they have proved. */
export async function demandOf({ kernel }: FactorParts, db: Db, user: UsersTable): Promise<Demand | null> {
  const factors = await findFactors(db, user.id);
  if (factors.length > 0) return demandWith(kernel, "second-step", user, factors, await countCodes(db, user.id));
  if (!isRequired(user.role, await readPolicy(db))) return null;
  return { kinds: [], passkey: null, keep: async () => {} };
}

/** What can be answered by who has these factors and so many recovery codes. */
export async function demandWith(
  kernel: FactorParts["kernel"],
  purpose: "second-step" | "step-up",
  user: Pick<UsersTable, "id">,
  factors: readonly FactorRow[],
  codes: number,
): Promise<Demand> {
  const passkeys = factors.filter(isPasskey);
  const asked = passkeys.length === 0 ? null : await askForPasskey(kernel, purpose, user.id, passkeys);
  const kinds: Demand["kinds"] = [];
  if (passkeys.length > 0) kinds.push("passkey");
  if (passkeys.length < factors.length) kinds.push("totp");
  if (codes > 0) kinds.push("recovery");
  return { kinds, passkey: asked?.options ?? null, keep: async (tx) => asked?.keep(tx) };
}

export async function complete(
  parts: FactorParts,
  call: SteppedCall<typeof completeSignIn>,
  db: Db,
): Promise<SignedIn> {
  const { kernel, signIn } = parts;
  const { pending, proof } = call.body;
  const { attempt, ...tried } = await trySecondStep(signIn, call, db, pending);
  call.note({ details: { method: tried.row.method, second_step: proof.kind } });
  const proven = await prove(kernel, db, tried.user.id, proof, "second-step");
  if (proven === null) {
    await tellOfGuesses(parts, tried);
    throw wrongProof();
  }
  const within = (tx: Tx) => spend(kernel, tx, proven);
  return finishSignIn(signIn, call, tried, { attempt, secondStep: proof.kind, within });
}

/** INVARIANT: with a first proof alone, a factor is set up only by who has none. */
export async function beginFirst(parts: FactorParts, call: SteppedCall<typeof beginFirstFactor>, db: Db) {
  const { user } = await pendingSignIn(parts.signIn, call, db, call.body.pending);
  const factors = await findFactors(db, user.id);
  requireNoFactor(factors.length);
  const begun = await begin(parts.kernel, user, call.body.kind, factors);
  await call.commit((tx) => begun.keep(tx));
  return begun.shown;
}

export async function addFirst(parts: FactorParts, call: SteppedCall<typeof addFirstFactor>, db: Db) {
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
      // The person's row is held: whoever adds another one at the same time comes after this, or was before.
      requireNoFactor((await findFactors(tx, tried.user.id)).length);
      codes = (await keepFactor(tx, answered)) ?? [];
      await appendAudit(tx, [addedEntry(kernel, call, tried, answered.row)]);
    },
  });
  return { token, recovery_codes: codes };
}

function addedEntry(
  { clock }: FactorParts["kernel"],
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
