// Shows what approval would do, and lists onboardings with their journals.
import type {
  AccountId,
  DiscoveredAccountId,
  Onboarding,
  OnboardingId,
  OnboardingPlan,
  PlatformId,
  listOnboardings,
  previewOnboarding,
  readOnboarding,
} from "@strongroom/contract";
import { OnboardingState } from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { readTimePlace, writeTimePlace } from "#kernel/http/cursor.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import type { DiscoveryContext } from "../discovery.ts";
import * as store from "./onboarding.store.ts";
import type { ShownOnboarding } from "./onboarding.store.ts";
import { planOnboardings } from "./plan-onboarding.ts";
import type { Plan } from "./plan-onboarding.ts";

/** The same refusal for an onboarding that does not exist and one whose target this user cannot see. */
export const onboardingNotFound = (): Refusal => refuse(404, "discovery.onboarding-not-found", "Onboarding not found");

export async function preview(context: DiscoveryContext, call: Call<typeof previewOnboarding>, db: Db) {
  return { data: (await planOnboardings(context, db, call.actor, call.body)).map(toPlan) };
}

const POSSIBLE = "The platform's reconcile account can set the password.";

export function toPlan({ row, problem, fields, safe, platform, ...plan }: Plan): OnboardingPlan {
  return {
    id: row.id as DiscoveredAccountId,
    account_name: row.account_name,
    hostname_ip: row.hostname,
    outcome: problem !== null ? "refused" : plan.isRotated ? "rotate" : "pending",
    problem: problem?.message ?? null,
    name: fields?.name ?? null,
    safe,
    platform: platform === null ? null : { id: platform.id as PlatformId, name: platform.name },
    rule: plan.rule,
    reconcile: {
      is_possible: fields !== null && plan.reconcileObstacle === null,
      message: problem?.message ?? plan.reconcileObstacle ?? POSSIBLE,
    },
    notes: plan.notes,
    dependents: row.dependents,
  };
}

export async function listAll(call: Call<typeof listOnboardings>, db: Db) {
  const { limit, cursor, runId = null, state = null } = call.query;
  const after = cursor === undefined ? null : readTimePlace(cursor);
  const [rows, counted] = await Promise.all([
    store.listOnboardings(db, call.actor, { runId, state, after, limit: limit + 1 }),
    store.countOnboardings(db, call.actor, runId),
  ]);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const found = new Map(counted.map(({ state: each, count }) => [each, count]));
  return {
    data: shown.map(toOnboarding),
    counts: Object.fromEntries(OnboardingState.options.map((each) => [each, found.get(each) ?? 0])) as Record<
      OnboardingState,
      number
    >,
    next_cursor: last === undefined ? null : writeTimePlace({ at: last.created_at, id: last.id }),
  };
}

export async function readOne(call: Call<typeof readOnboarding>, db: Db) {
  const row = await store.readOnboarding(db, call.actor, call.params.id);
  if (row === null) throw onboardingNotFound();
  const journal = await store.journalOf(db, row.id);
  return { ...toOnboarding(row), journal: journal.map(({ at, ...line }) => ({ ...line, at: at.toISOString() })) };
}

export const toOnboarding = (row: ShownOnboarding): Onboarding => ({
  id: row.id as OnboardingId,
  discovered_id: row.discovered_id as DiscoveredAccountId,
  account_name: row.account_name,
  hostname_ip: row.hostname,
  state: row.state,
  message: row.message,
  account_id: row.can_see_account && row.state !== "undone" ? (row.account_id as AccountId | null) : null,
  requested_by: row.requester_name,
  can_undo: row.can_manage && UNDOABLE.includes(row.state),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

export const UNDOABLE: readonly OnboardingState[] = ["planned", "rotating", "waiting"];
