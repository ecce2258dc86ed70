// Ends every way of signing in: with a session, or with a second step where the person must prove more.
import type { SignedIn } from "@strongroom/contract";
import { holdSignIn } from "./pending.ts";
import type { SignInParts } from "./sign-in-parts.ts";
import { admitPerson, missingProof, startSession } from "./start-session.ts";
import type { Proved, SignInCall } from "./start-session.ts";

/**
 * What somebody gets who proved a first thing. Throws 403 `account.disabled` or `network.not-allowed`, and 401 when what was proved is no longer so.
 * INVARIANT: who has a second factor, or whose role must have one, gets no session from a first proof alone.
 */
export async function openSession(parts: SignInParts, call: SignInCall, proved: Proved): Promise<SignedIn> {
  await admitPerson(parts, call, proved.user);
  const demand = await missingProof(parts, parts.kernel.database.db, proved);
  return demand === null ? startSession(parts, call, proved) : holdSignIn(parts, call, proved, demand);
}
