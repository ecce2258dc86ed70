// Does the work of onboardings: stores each account, has its password set, and records in the journal how it ended.
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Asker } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import { Refusal } from "#kernel/http/refuse.ts";
import type { Job } from "#kernel/jobs/run-job.ts";
import { findUser } from "#features/users/index.ts";
import { keyOfSafe } from "#features/secrets/index.ts";
import type { Kek } from "@strongroom/keys";
import type { UserId } from "@strongroom/contract";
import { lockLogin, reopenDecision } from "../accounts/discovered.store.ts";
import { changed } from "../discovery.ts";
import type { DiscoveryContext } from "../discovery.ts";
import { ONBOARDING_JOB } from "./begin-onboarding.ts";
import * as store from "./onboarding.store.ts";
import type { OnboardingRow } from "./onboarding.store.ts";
import { planOnboardings } from "./plan-onboarding.ts";
import type { Plan } from "./plan-onboarding.ts";

/** Each onboarding is one transaction, so that a killed process leaves it either planned or done with this step. */
export async function workOnboardings(
  context: DiscoveryContext,
  job: Pick<Job<object>, "id" | "signal" | "progress">,
): Promise<void> {
  const { database, keys } = context.kernel;
  if (keys.isSealed) throw new Error("the vault is sealed; the onboardings are retried");
  const planned = await store.plannedIn(database.db, job.id);
  for (const [done, id] of planned.entries()) {
    job.signal.throwIfAborted();
    await onboardOne(context, id);
    await job.progress(done + 1, planned.length);
  }
  const queued = await store.rotatingIn(database.db, job.id);
  await database.transaction((tx) => context.firstRotations.endRun(tx, job.id, queued));
}

async function onboardOne(context: DiscoveryContext, id: string): Promise<void> {
  const { kernel } = context;
  const [found] = await kernel.database.db
    .selectFrom("discovery_onboardings")
    .select("safe_id")
    .where("id", "=", id)
    .execute();
  if (found === undefined) return;
  const kek = await kernel.keys.kekFor(keyOfSafe(found.safe_id));
  try {
    await kernel.database.transaction((tx) => storeAccount(context, tx, id, kek));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { message } = error;
    await kernel.database.transaction(async (tx) => {
      const row = await store.lockOnboarding(tx, id);
      if (row?.state === "planned") await fail(context, tx, row, message);
    });
  }
}

async function storeAccount(context: DiscoveryContext, tx: Tx, id: string, kek: Kek): Promise<void> {
  const row = await store.lockOnboarding(tx, id);
  if (row?.state !== "planned") return;
  const requester = await requesterOf(tx, row);
  if (requester === null) return fail(context, tx, row, `${row.requester_name} can no longer use Strongroom.`);
  const plan = await planAgain(context, tx, row, requester);
  if (plan === null) return fail(context, tx, row, "The requester can no longer see the discovered account.");
  const { problem, fields } = plan;
  if (problem !== null || fields === null) return fail(context, tx, row, problem?.message ?? "Nothing was planned.");
  const at = context.kernel.clock.now();
  const hostKey = plan.row.host_key;
  const account = { fields, actor: requester, kek, at, reason: "created", hostKey } as const;
  const { id: accountId, details } = await context.accounts.insert(tx, account);
  const target = { type: "account", id: accountId, name: fields.name };
  const from = { discovered: row.discovered_id, onboarding: id, requested_by: row.requester_name };
  await appendAudit(tx, [
    systemEntry("account.created", "discovery", { target, details: { ...details, ...from } }, at),
  ]);
  const stored = { state: row.state, message: `Stored as "${fields.name}" in the safe.`, account_id: accountId, at };
  await store.saveStep(tx, id, stored);
  await beginRotation(context, tx, { ...row, account_id: accountId }, plan);
  await publish(context, tx, plan);
}

async function requesterOf(tx: Tx, { requested_by }: OnboardingRow): Promise<Asker | null> {
  const person = await findUser(tx, requested_by);
  return person?.status === "active" ? { id: requested_by as UserId, role: person.role } : null;
}

/** INVARIANT: the requester's permissions are checked again when the account is stored. */
async function planAgain(
  context: DiscoveryContext,
  tx: Tx,
  row: OnboardingRow,
  requester: Asker,
): Promise<Plan | null> {
  const login = await lockLogin(tx, row.discovered_id);
  if (login === null) return null;
  const [plan] = await planOnboardings(context, tx, requester, {
    accountIds: [row.discovered_id],
    onboardingSettings: { rotationPolicy: "manual", monitoring: true, autoRotate: row.is_rotated },
    placement: { safeId: row.safe_id as never, platformId: row.platform_id as never },
    isDecided: true,
  });
  return plan ?? null;
}

const NEXT =
  "Store the password on the account's page, or let an administrator choose a reconcile account for the platform and use Reconcile there.";

async function beginRotation(context: DiscoveryContext, tx: Tx, row: OnboardingRow, plan: Plan): Promise<void> {
  const at = context.kernel.clock.now();
  if (!row.is_rotated) {
    const message = `No password is known yet. ${NEXT}`;
    return store.saveStep(tx, row.id, { state: "waiting", message, at });
  }
  if (plan.reconcileObstacle !== null) {
    const message = `No password is known yet: ${plan.reconcileObstacle} ${NEXT}`;
    return store.saveStep(tx, row.id, { state: "waiting", message, at });
  }
  const requester = { id: row.requested_by, name: row.requester_name };
  const runId = (await context.firstRotations.hasRun(tx, row.run_id)) ? row.run_id : null;
  const rotationId = await context.firstRotations.enqueue(tx, row.account_id!, requester, runId);
  const message = "The reconcile account sets a new password.";
  await store.saveStep(tx, row.id, { state: "rotating", message, rotation_id: rotationId, at });
}

/** The discovered account needs a decision again. */
async function fail(context: DiscoveryContext, tx: Tx, row: OnboardingRow, message: string): Promise<void> {
  const at = context.kernel.clock.now();
  await store.saveStep(tx, row.id, { state: "failed", message, at });
  const target = await reopenDecision(tx, row.discovered_id);
  const note = {
    target: { type: "discovered-account", id: row.discovered_id, name: row.name },
    result: "failure",
    reason: message,
    details: { onboarding: row.id, requested_by: row.requester_name },
  } as const;
  await appendAudit(tx, [systemEntry("discovery.onboarding-failed", "discovery", note, at)]);
  if (target !== null) await context.kernel.events.publish(tx, await changed(tx, target));
}

async function publish({ kernel }: DiscoveryContext, tx: Tx, { row }: Plan): Promise<void> {
  await kernel.events.publish(tx, await changed(tx, { id: row.target_id, safe_id: row.target_safe_id }));
}

const DONE_BY_ROTATION =
  "The reconcile account set a new password, and a login with it succeeded. Only Strongroom knows the password.";
const DONE_BY_HAND = "A user stored the password. Its verification follows.";

/** Brings an onboarding up to date with its account and rotation. The account's row in `credentials` may be locked. */
export async function settle(context: DiscoveryContext, tx: Tx, id: string): Promise<void> {
  const row = await store.lockOnboarding(tx, id);
  if (row === null || row.account_id === null || (row.state !== "rotating" && row.state !== "waiting")) return;
  const at = context.kernel.clock.now();
  const step = await nextStep(context, tx, row);
  if (step.state === row.state && step.message === row.message) return;
  await store.saveStep(tx, id, { ...step, at });
  if (step.state === "done") {
    const details = { onboarding: id, discovered: row.discovered_id, requested_by: row.requester_name };
    const note = { target: { type: "account", id: row.account_id, name: row.name }, details };
    await appendAudit(tx, [systemEntry("discovery.account-onboarded", "discovery", note, at)]);
  }
  const target = await store.targetOf(tx, row.discovered_id);
  if (target !== null) await context.kernel.events.publish(tx, await changed(tx, target));
}

async function nextStep({ firstRotations }: DiscoveryContext, tx: Tx, row: OnboardingRow) {
  const facts = await store.factsOf(tx, row.account_id!);
  if (facts.is_deleted) return { state: "undone", message: "A user deleted the account." } as const;
  if (!facts.is_password_unknown) {
    return { state: "done", message: facts.reason === "reconciled" ? DONE_BY_ROTATION : DONE_BY_HAND } as const;
  }
  const openId = (await firstRotations.openOf(tx, row.account_id!)) ?? row.rotation_id;
  const rotation = openId === null ? null : await firstRotations.read(tx, openId);
  if (rotation === null) return { state: row.state, message: row.message };
  if (rotation.state === "cancelled" || rotation.state === "superseded" || rotation.state === "attention") {
    return { state: "waiting", message: `No password is known yet. ${rotation.message} ${NEXT}` } as const;
  }
  return { state: "rotating", message: "The reconcile account sets a new password.", rotation_id: openId! } as const;
}

/** Runs every minute: continues runs whose job died, and settles onboardings that no event reported. */
export async function sweepOnboardings(context: DiscoveryContext): Promise<void> {
  const { database, jobs } = context.kernel;
  for (const runId of await store.findStalledRuns(database.db)) {
    await database.transaction((tx) => jobs.enqueue(tx, ONBOARDING_RESUME_JOB, { runId }, { singletonKey: runId }));
  }
  for (const id of await store.findOutdated(database.db)) {
    await database.transaction((tx) => settle(context, tx, id));
  }
}

export const ONBOARDING_RESUME_JOB = `${ONBOARDING_JOB}-again`;
