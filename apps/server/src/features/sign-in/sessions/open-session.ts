// Follows a successful first proof: opens a session, or starts the second step when the user needs one.
import type { SignedIn } from "@strongroom/contract";
import { savePendingSignIn } from "../second-step/pending.ts";
import type { ProofContext } from "../context.ts";
import { admitPerson, missingSecondStep, startSession } from "./start-session.ts";
import type { ProvenIdentity, SignInCall } from "./start-session.ts";

/**
 * Throws 403 `account.disabled` or `network.not-allowed`, and 401 when the proof is no longer valid. INVARIANT: a user who has a
 * second factor, or whose role requires one, gets no session from a first proof alone.
 */
export async function openSession(parts: ProofContext, call: SignInCall, proved: ProvenIdentity): Promise<SignedIn> {
  await admitPerson(parts, call, proved.user);
  const demand = await missingSecondStep(parts, parts.kernel.database.db, proved);
  return demand === null ? startSession(parts, call, proved) : savePendingSignIn(parts, call, proved, demand);
}
