// Checks, before it is needed, that each platform's reconcile account can log in and set the secrets of others.
import type { Connector } from "@strongroom/connectors";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Tx } from "#kernel/db/database.ts";
import { openEnvelope } from "#features/credentials/index.ts";
import type { CredentialRow } from "#features/credentials/index.ts";
import { destinationOf } from "#features/verification/index.ts";
import { holdBack } from "./hold-back.ts";
import { listToCheck, storeReadiness } from "./readiness.store.ts";
import type { Readiness, ToCheck } from "./readiness.store.ts";
import { outOfReach, targetFor } from "./reach.policy.ts";
import { see } from "./sight.store.ts";
import type { Reconciler } from "./sight.store.ts";
import type { Site } from "./site.ts";
import { connectorOf } from "./turn.ts";

const TIMEOUT_MS = 20_000;

/** One platform after the other; one that cannot be checked keeps no other from it. */
export async function checkReconcilers(site: Site, signal: AbortSignal): Promise<void> {
  const { database, keys, log } = site.kernel;
  if (keys.isSealed) return;
  for (const platform of await listToCheck(database.db)) {
    if (signal.aborted) return;
    try {
      await checkOne(site, platform, signal);
    } catch (error) {
      log.error({ err: error, platform: platform.platform_id }, "a reconcile account could not be checked");
    }
  }
}

interface Check {
  credential: CredentialRow;
  connector: Connector;
  reconciler: Reconciler;
}

async function checkOne(site: Site, platform: ToCheck, signal: AbortSignal): Promise<void> {
  const { kernel } = site;
  const prepared = await kernel.database.transaction((tx) => prepare(site, tx, platform));
  if (prepared === null) return;
  const readiness = "isReady" in prepared ? prepared : await ask(site, prepared, signal);
  if (readiness === null) return;
  await kernel.database.transaction(async (tx) => {
    if (!(await storeReadiness(tx, platform, readiness))) return;
    if (readiness.isReady === platform.was_ready) return;
    await kernel.events.publish(tx, {
      type: "platform.changed",
      audience: "everyone",
      data: { platform_id: platform.platform_id },
    });
    if (!readiness.isReady) await alert(site, tx, platform, readiness);
  });
}

/** Null: there is nothing to check it on. INVARIANT: the secret is opened only after its use is on record. */
async function prepare(site: Site, tx: Tx, platform: ToCheck): Promise<Check | Readiness | null> {
  const at = site.kernel.clock.now();
  if (platform.sample_id === null) return null;
  const { credential, reconciler } = await see(tx, platform.sample_id);
  if (credential === null) return null;
  if (reconciler === null) {
    return { isReady: false, message: "The reconcile account is not active, has no user name or no secret.", at };
  }
  // What is being changed itself is looked at the next time.
  if (reconciler.is_changing) return null;
  const beyond = outOfReach(credential, reconciler.reach);
  if (beyond !== null) return { isReady: false, message: beyond.message, at };
  if (reconciler.is_refused) {
    return { isReady: false, message: "Its system refused the stored secret. Store the right one and verify it.", at };
  }
  const connector = connectorOf(credential);
  if (connector.checkReconcile === undefined) {
    return { isReady: false, message: `Strongroom knows no reconciling for ${connector.name}.`, at };
  }
  const { id, name, version } = reconciler;
  const details = { for: "readiness", platform: platform.platform_name, version, host: destinationOf(credential) };
  const entry = systemEntry(
    "rotation.secret-used",
    "rotation",
    { target: { type: "account", id, name }, result: "info", details },
    at,
  );
  await appendAudit(tx, [entry]);
  return { credential, connector, reconciler };
}

/** Null: the server stops before it is known. */
async function ask(
  site: Site,
  { credential, connector, reconciler }: Check,
  signal: AbortSignal,
): Promise<Readiness | null> {
  const { kernel, network } = site;
  const { id, safe_id, version, envelope, username } = reconciler;
  using secret = await openEnvelope(kernel, { id, user_id: null, safe_id, version, envelope });
  const context = { timeoutMs: TIMEOUT_MS, signal, network, now: () => kernel.clock.now() };
  const by = { username, secret };
  const result = await connector.checkReconcile!(targetFor(credential, reconciler.reach), by, context);
  if (signal.aborted) return null;
  await holdBack(site, reconciler, result);
  const at = kernel.clock.now();
  return { isReady: result.outcome === "verified", message: result.message, at };
}

async function alert(site: Site, tx: Tx, platform: ToCheck, { message, at }: Readiness): Promise<void> {
  const { platform_id, platform_name, reconcile_account_id } = platform;
  const target = { type: "platform", id: platform_id, name: platform_name };
  const details = { message, account: reconcile_account_id };
  await appendAudit(tx, [
    systemEntry("platform.reconcile-not-ready", "rotation", { target, result: "warning", details }, at),
  ]);
  await site.notify(tx, {
    to: { users: await site.rotated.keepersOf(tx, reconcile_account_id), roles: ["admin"] },
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
