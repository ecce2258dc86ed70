// Begins the onboarding of approved accounts: writes one journal each, and queues the job that does the work.
import type { OnboardingState } from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import { newId } from "#kernel/id.ts";
import type { DiscoveryContext } from "../discovery.ts";
import { insertOnboardings } from "./onboarding.store.ts";
import type { Plan } from "./plan-onboarding.ts";

export const ONBOARDING_JOB = "discovery.onboard";

/** Returns the run's id, which is also that of its job; null without plans. The discovered accounts are locked. */
export async function beginOnboardings(
  { kernel, firstRotations }: DiscoveryContext,
  tx: Tx,
  actor: Pick<Actor, "id" | "name">,
  plans: readonly Plan[],
): Promise<string | null> {
  if (plans.length === 0) return null;
  const at = kernel.clock.now();
  const runId = (await kernel.jobs.enqueue(tx, ONBOARDING_JOB, {}, { group: actor.id, total: plans.length }))!;
  const state: OnboardingState = "planned";
  await insertOnboardings(
    tx,
    plans.map(({ row, fields, isRotated }) => ({
      id: newId(at.getTime()),
      run_id: runId,
      discovered_id: row.id,
      state,
      message: isRotated ? TO_ROTATE : TO_STORE,
      safe_id: fields!.safe_id,
      platform_id: fields!.platform_id,
      name: fields!.name,
      is_rotated: isRotated,
      requested_by: actor.id,
      requester_name: actor.name,
      created_at: at,
      updated_at: at,
    })),
  );
  const rotated = plans.filter(({ isRotated }) => isRotated).length;
  if (rotated > 1) await firstRotations.beginRun(tx, { id: runId, userId: actor.id, total: rotated });
  return runId;
}

const TO_ROTATE = "Approved. The account is being added to the safe, and the reconcile account sets a new password.";
const TO_STORE = "Approved. The account is being added to the safe.";
