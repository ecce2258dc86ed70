// Reveals secrets to their owners, a group of calls at a time, each with its own reply.
import type { revealCredential } from "@strongroom/contract";
import { stepUpRefusal } from "#kernel/authz/step-up.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { checkActive, openEnvelope, unreadable } from "#features/secrets/index.ts";
import { lockEnvelopes } from "./locked-envelopes.store.ts";
import type { LockedEnvelope } from "./locked-envelopes.store.ts";
import { credentialNotFound, credentialTarget } from "./vault.ts";
import { closureRefusal, mayUse } from "./vault.policy.ts";
import { isProduction } from "./vault.store.ts";

type Reveal = Call<typeof revealCredential>;
type Answer = { value: string } | Refusal;

/** Returns the replies in the order of the calls. A refusal affects only its own call. */
export async function revealCredentials(kernel: Kernel, all: readonly Reveal[], tx: Tx): Promise<Answer[]> {
  const unproved = await refusedBefore(tx, all, kernel.clock.now());
  const calls = all.filter((call) => !unproved.has(call));
  const answers = (await revealEach(kernel, calls, tx)).values();
  return all.map((call) => unproved.get(call) ?? answers.next().value!);
}

/**
 * Returns the refusals of calls into a closed vault, and of calls for production secrets that need re-authentication.
 * There are few, if any.
 */
async function refusedBefore(tx: Tx, calls: readonly Reveal[], at: Date): Promise<ReadonlyMap<Reveal, Refusal>> {
  const unproved = new Map<Reveal, Refusal>();
  for (const call of calls) {
    const closed = closureRefusal(call.actor);
    if (closed !== null) {
      call.note({ target: { type: "credential", id: call.params.id } });
      unproved.set(call, closed);
      continue;
    }
    const refusal = stepUpRefusal(call.endpoint, call.actor, at);
    if (refusal === null || !(await isProduction(tx, call.actor.id, call.params.id))) continue;
    call.note({ target: { type: "credential", id: call.params.id } });
    unproved.set(call, refusal);
  }
  return unproved;
}

async function revealEach(kernel: Kernel, calls: readonly Reveal[], tx: Tx): Promise<Answer[]> {
  if (calls.length === 0) return [];
  const asked = new Map(calls.map((call) => [`${call.params.id} ${call.actor.id}`, call]));
  const wanted = [...asked.values()].map((call) => ({ id: call.params.id as string, actor: call.actor }));
  const at = kernel.clock.now();
  const held = [...(await lockEnvelopes(tx, wanted, at))];
  const ids = new Set(held.map((row) => row.id));
  const missing = wanted.filter(({ id }) => !ids.has(id));
  // A statement that waited for an edit to end does not see the edit's new secret, but the next statement does.
  if (missing.length > 0) held.push(...(await lockEnvelopes(tx, missing, at)));
  const opened = new Map<string, { row: LockedEnvelope; answer: Answer }>();
  for (const row of held) opened.set(row.id, { row, answer: await reveal(kernel, row) });
  return calls.map((call) => {
    const found = opened.get(call.params.id);
    if (found === undefined || !mayUse(found.row, call.actor)) {
      call.note({ target: { type: "credential", id: call.params.id } });
      return credentialNotFound();
    }
    const { reason } = call.body;
    call.note({ target: credentialTarget(found.row), ...(reason === undefined || reason === "" ? {} : { reason }) });
    return found.answer;
  });
}

async function reveal(kernel: Kernel, held: LockedEnvelope): Promise<Answer> {
  try {
    await checkActive(kernel, { ...held, safe_id: null, secret_version: held.version });
    using secret = await openEnvelope(kernel, { ...held, safe_id: null });
    return { value: secret.reveal() };
  } catch (error) {
    return unreadable(kernel, held.id, error);
  }
}
