// Checks in advance that each platform's reconcile account can log in and set the secrets of other accounts.
import type { Connector } from "@strongroom/connectors";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import { NOT_ACTIVE, activeError } from "#features/secrets/index.ts";
import type { SecretRow } from "#features/secrets/index.ts";
import { connectorOf, destinationOf } from "#features/verification/index.ts";
import { openReconciler } from "../engine/perform.ts";
import { recordReconcilerRejection } from "./record-rejection.ts";
import { listToCheck, storeReadiness } from "./readiness.store.ts";
import type { Readiness, ToCheck } from "./readiness.store.ts";
import { checkReconcileScope, reconcileTarget } from "./reconcile-scope.policy.ts";
import { readSnapshot } from "../engine/engine.store.ts";
import type { Reconciler } from "../engine/engine.store.ts";
import type { RotationContext } from "../context.ts";

const TIMEOUT_MS = 20_000;

/** Checks the platforms one after another. A failed check does not prevent the next one. */
export async function checkReconcilers(context: RotationContext, signal: AbortSignal): Promise<void> {
  const { database, keys, log } = context.kernel;
  if (keys.isSealed) return;
  for (const platform of await listToCheck(database.db)) {
    if (signal.aborted) return;
    try {
      await checkOne(context, platform, signal);
    } catch (error) {
      log.error({ err: error, platform: platform.platform_id }, "a reconcile account could not be checked");
    }
  }
}

interface Check {
  secretRow: SecretRow;
  connector: Connector;
  reconciler: Reconciler;
}

async function checkOne(context: RotationContext, platform: ToCheck, signal: AbortSignal): Promise<void> {
  const { kernel } = context;
  const prepared = await kernel.database.transaction((tx) => prepare(context, tx, platform));
  if (prepared === null) return;
  const readiness = "isReady" in prepared ? prepared : await ask(context, prepared, signal);
  if (readiness === null) return;
  await kernel.database.transaction(async (tx) => {
    if (!(await storeReadiness(tx, platform, readiness))) return;
    if (readiness.isReady === platform.was_ready) return;
    await kernel.events.publish(tx, {
      type: "platform.changed",
      audience: "everyone",
      data: { platform_id: platform.platform_id },
    });
    if (!readiness.isReady) await alert(context, tx, platform, readiness);
  });
}

/** Returns null when nothing can be checked now. INVARIANT: the secret is opened only after its use is recorded. */
async function prepare(context: RotationContext, tx: Tx, platform: ToCheck): Promise<Check | Readiness | null> {
  const at = context.kernel.clock.now();
  if (platform.sample_id === null) return null;
  const { secretRow, reconciler } = await readSnapshot(tx, platform.sample_id);
  if (secretRow === null) return null;
  if (reconciler === null) {
    return { isReady: false, message: "The reconcile account is not active, or has no user name or secret.", at };
  }
  // A reconcile account that is being rotated is checked in the next run.
  if (reconciler.is_changing) return null;
  const beyond = checkReconcileScope(secretRow, reconciler.reach);
  if (beyond !== null) return { isReady: false, message: beyond.message, at };
  if (reconciler.is_refused) {
    return {
      isReady: false,
      message: "The target refused the stored secret. Store the correct one and verify it.",
      at,
    };
  }
  const connector = connectorOf(secretRow);
  if (connector.checkReconcile === undefined) {
    return { isReady: false, message: `Reconciliation is not supported for ${connector.name}.`, at };
  }
  const { id, name, version } = reconciler;
  const claim = { ...reconciler, user_id: null, secret_version: version };
  if ((await activeError(context.kernel, claim, { isUnlocked: true })) !== null) {
    return { isReady: false, message: NOT_ACTIVE, at };
  }
  const details = { for: "readiness", platform: platform.platform_name, version, host: destinationOf(secretRow) };
  const entry = systemEntry(
    "rotation.secret-used",
    "rotation",
    { target: { type: "account", id, name }, result: "info", details },
    at,
  );
  await appendAudit(tx, [entry]);
  return { secretRow, connector, reconciler };
}

/** Returns null when the server shuts down before there is a result. */
async function ask(
  context: RotationContext,
  { secretRow, connector, reconciler }: Check,
  signal: AbortSignal,
): Promise<Readiness | null> {
  const { kernel, network } = context;
  const { username } = reconciler;
  using secret = await openReconciler(context, reconciler);
  const verifyContext = { timeoutMs: TIMEOUT_MS, signal, network, now: () => kernel.clock.now() };
  const by = { username, secret };
  const result = await connector.checkReconcile!(reconcileTarget(secretRow, reconciler.reach), by, verifyContext);
  if (signal.aborted) return null;
  await recordReconcilerRejection(context, reconciler, result);
  const at = kernel.clock.now();
  return { isReady: result.outcome === "verified", message: result.message, at };
}

async function alert(context: RotationContext, tx: Tx, platform: ToCheck, { message, at }: Readiness): Promise<void> {
  const { platform_id, platform_name, reconcile_account_id } = platform;
  const target = { type: "platform", id: platform_id, name: platform_name };
  const details = { message, account: reconcile_account_id };
  await appendAudit(tx, [
    systemEntry("platform.reconcile-not-ready", "rotation", { target, result: "warning", details }, at),
  ]);
  await context.notify(tx, {
    to: { users: await context.rotated.secretManagersOf(tx, reconcile_account_id), roles: ["admin"] },
    type: "reconcile_alert",
    title: `The reconcile account of "${platform_name}" is not ready`,
    message,
    severity: "high",
    actionRequired: true,
    metadata: { platform_id, account_id: reconcile_account_id },
    link: `/accounts/${reconcile_account_id}`,
    dedupeKey: platform_id,
  });
}
