// Previews how new limits would affect the open sessions before a policy is saved.
import type { SignInPolicy } from "@strongroom/contract";
import type { UnderLimits } from "#features/users/index.ts";
import type { Db } from "#kernel/db/database.ts";
import { findLives } from "./sessions/sessions.store.ts";
import { provedUntil, stateOf } from "./sign-in.policy.ts";

const LIMITS = [
  "timeout_minutes",
  "privileged_timeout_minutes",
  "session_hours",
  "remembered_days",
  "step_up_minutes",
] as const;

export async function underLimits(db: Db, before: SignInPolicy, after: SignInPolicy, now: Date): Promise<UnderLimits> {
  const under: UnderLimits = { ended: [], proofsOver: 0 };
  // Examining every session is expensive, so skip it when no limit gets tighter.
  if (LIMITS.every((limit) => after[limit] >= before[limit])) return under;
  for (const session of await findLives(db)) {
    if (stateOf(session, before, now) !== "open") continue;
    const { id, user_id, proved_at: proved } = session;
    const state = stateOf(session, after, now);
    if (state !== "open") under.ended.push({ id, user_id, state });
    else if (provedUntil(proved, before) > now && provedUntil(proved, after) <= now) under.proofsOver += 1;
  }
  return under;
}
