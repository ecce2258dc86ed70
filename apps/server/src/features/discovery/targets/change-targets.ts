// Creates, tests, changes and deletes discovery targets.
import { canSearch, connectorFor } from "@strongroom/connectors";
import type { Target } from "@strongroom/connectors";
import { MOST_COUNTED } from "@strongroom/contract";
import type {
  AccountId,
  DiscoveryTarget,
  DiscoveryTargetId,
  Message,
  SafeId,
  acceptDiscoveryHostKey,
  createDiscoveryTarget,
  deleteDiscoveryTarget,
  listDiscoveryTargets,
  readDiscoveryTarget,
  testDiscoveryTarget,
  updateDiscoveryTarget,
} from "@strongroom/contract";
import { isDeepStrictEqual } from "node:util";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { pageInOrder, readPlace } from "#kernel/db/list-order.ts";
import type { Call } from "#kernel/http/call.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import { lockSafe, requirePermission } from "#features/safes/index.ts";
import { resultOf } from "#features/verification/index.ts";
import { auditTarget, changed, mayNotManage, targetNotFound } from "../discovery.ts";
import type { DiscoveryContext } from "../discovery.ts";
import { openCredential, targetOf } from "../scans/credential.ts";
import type { CredentialRow } from "../scans/credential.ts";
import { nextScan, requireSchedule } from "./schedule.ts";
import { orderOf } from "./target-order.ts";
import * as store from "./targets.store.ts";
import type { ShownTarget, TargetRow } from "./targets.store.ts";
import { usableCredential } from "./usable-credential.ts";

export async function listTargets(call: Call<typeof listDiscoveryTargets>, db: Db) {
  const { limit, cursor, ...filter } = call.query;
  const after = cursor === undefined ? null : readPlace(orderOf(filter.sort), cursor);
  const [rows, total] = await Promise.all([
    store.listTargets(db, call.actor, filter, { after, limit: limit + 1 }),
    store.countTargets(db, call.actor, filter, MOST_COUNTED),
  ]);
  const { shown, next_cursor } = pageInOrder(rows, limit);
  return { data: shown.map(toTarget), total, next_cursor };
}

export const readTarget = async (call: Call<typeof readDiscoveryTarget>, db: Db) =>
  toTarget(await seen(db, call.actor, call.params.id));

export async function createTarget(
  context: DiscoveryContext,
  call: SteppedCall<typeof createDiscoveryTarget>,
): Promise<DiscoveryTarget> {
  const { kernel } = context;
  const { safeId, credentialId, settings, schedule, hostKey, ...fields } = call.body;
  requireSchedule(schedule, kernel.clock.now());
  await requirePermission(kernel.database.db, call.actor, safeId, "add");
  return call.commit(async (tx) => {
    await lockSafe(tx, call.actor, safeId, "add");
    const credential = await usableCredential(context, tx, call.actor, credentialId, fields);
    const at = kernel.clock.now();
    const id = newId(at.getTime());
    await store.insertTarget(tx, {
      ...columnsOf(call.body, credential),
      id,
      safe_id: safeId,
      host_key: hostKey === null ? null : JSON.stringify(hostKey),
      schedule: schedule === null ? null : JSON.stringify(schedule),
      next_scan_at: nextScan(schedule, at),
      rejected_revision: null,
      is_active: true,
      created_by: call.actor.id,
      created_at: at,
      updated_at: at,
    });
    const { hostname, targetType: target_type, name } = fields;
    const details = { hostname, port: settings.port, target_type, credential: credentialId, safe: safeId };
    call.note({ target: auditTarget({ id, name }), details });
    await kernel.events.publish(tx, await changed(tx, { id, safe_id: safeId }));
    return toTarget(await seen(tx, call.actor, id));
  });
}

/** Logs in outside any transaction. The audit entry is written after the login, also when the login fails. */
export async function testTarget(context: DiscoveryContext, call: SteppedCall<typeof testDiscoveryTarget>) {
  const { kernel, network } = context;
  const { credentialId, hostname, settings, targetType } = call.body;
  const { db } = kernel.database;
  const credential = await usableCredential(context, db, call.actor, credentialId, { targetType });
  const { port, timeout: timeoutMs } = settings;
  const target: Target = targetOf(credential, { hostname, port, host_key: null });
  using secret = await openCredential(kernel, credential);
  const limits = { timeoutMs, signal: call.signal, network, now: () => kernel.clock.now() };
  const { outcome, message, hostKey } = resultOf(await connectorFor(target).verify(target, secret, limits));
  return call.commit(async () => {
    call.note({
      target: { type: "account", id: credential.id, name: credential.name },
      details: { hostname, port, outcome },
    });
    return { is_verified: outcome === "verified", message, host_key: hostKey };
  });
}

export async function changeTarget(
  { kernel, accounts }: DiscoveryContext,
  call: Call<typeof updateDiscoveryTarget>,
  tx: Tx,
): Promise<DiscoveryTarget> {
  const at = kernel.clock.now();
  const before = await lockManaged(tx, call);
  const { credentialId, hostname, isActive, settings, schedule } = call.body;
  requireSchedule(schedule, at);
  const isMoved = hostname !== before.hostname || settings.port !== before.port;
  const isOtherLogin = isMoved || credentialId !== before.credential_id || call.body.targetType !== before.target_type;
  // A target that was disabled logs in again, and so gives what a new target would.
  const isEnabled = isActive && !before.is_active;
  const isGiving = isOtherLogin || isEnabled;
  if (isGiving) call.requireStepUp();
  const after = isGiving
    ? {
        ...columnsOf(call.body, await usableCredential({ kernel, accounts }, tx, call.actor, credentialId, call.body)),
        // INVARIANT: enabling a target does not send a rejected login again.
        ...(isOtherLogin ? { rejected_revision: null } : {}),
      }
    : { name: call.body.name, description: call.body.description, timeout_ms: settings.timeout };
  await store.updateTarget(tx, before.id, {
    ...after,
    ...(isMoved ? { host_key: null, offered_host_key: null } : {}),
    schedule: schedule === null ? null : JSON.stringify(schedule),
    next_scan_at:
      isDeepStrictEqual(schedule, before.schedule) && !isEnabled ? before.next_scan_at : nextScan(schedule, at),
    is_active: isActive,
    updated_at: at,
  });
  const details = { hostname, port: settings.port, credential: credentialId, is_active: isActive };
  call.note({ target: auditTarget({ id: before.id, name: call.body.name }), details });
  await kernel.events.publish(tx, await changed(tx, before));
  return toTarget(await seen(tx, call.actor, before.id));
}

/** Accepts the key that the host presented last, and no other. */
export async function acceptHostKey(
  { kernel, accounts }: DiscoveryContext,
  call: Call<typeof acceptDiscoveryHostKey>,
  tx: Tx,
): Promise<DiscoveryTarget> {
  const before = await lockManaged(tx, call);
  const { offered_host_key: offered } = before;
  await usableCredential({ kernel, accounts }, tx, call.actor, before.credential_id, {
    targetType: before.target_type,
  });
  if (offered === null || `${offered.type} ${offered.fingerprint}` !== call.body.fingerprint) {
    throw refuse(409, "discovery.host-key-different", "The host has presented a different key since. Check it again.");
  }
  await store.updateTarget(tx, before.id, {
    host_key: JSON.stringify(offered),
    offered_host_key: null,
    updated_at: kernel.clock.now(),
  });
  call.note({ details: { before: before.host_key?.fingerprint ?? null, accepted: offered.fingerprint } });
  await kernel.events.publish(tx, await changed(tx, before));
  return toTarget(await seen(tx, call.actor, before.id));
}

export async function removeTarget(
  { kernel }: DiscoveryContext,
  call: Call<typeof deleteDiscoveryTarget>,
  tx: Tx,
): Promise<Message> {
  const target = await lockManaged(tx, call);
  const event = await changed(tx, target);
  await store.deleteTarget(tx, target.id);
  await kernel.events.publish(tx, event);
  return { message: `"${target.name}" deleted successfully` };
}

/** Throws 404 when the caller cannot see the target, and 403 when the caller cannot manage it. */
export async function lockManaged(
  tx: Tx,
  call: Pick<Call, "actor" | "note"> & { params: { id: string } },
): Promise<TargetRow> {
  const { id } = call.params;
  call.note({ target: { type: "discovery-target", id } });
  const row = await store.lockTarget(tx, id);
  const standing = row === null ? null : await store.readTarget(tx, call.actor, id);
  if (row === null || standing === null) throw targetNotFound();
  call.note({ target: auditTarget(row) });
  if (!standing.can_manage) throw mayNotManage();
  return row;
}

async function seen(db: Db, actor: Actor, id: string): Promise<ShownTarget> {
  const row = await store.readTarget(db, actor, id);
  if (row === null) throw targetNotFound();
  return row;
}

function columnsOf(
  {
    name,
    description,
    targetType,
    connectionMethod,
    hostname,
    settings,
  }: Omit<Call<typeof createDiscoveryTarget>["body"], "safeId" | "credentialId" | "schedule" | "hostKey">,
  credential: CredentialRow,
) {
  return {
    name,
    description,
    target_type: targetType,
    connection_method: connectionMethod,
    hostname,
    port: settings.port,
    timeout_ms: settings.timeout,
    credential_id: credential.id,
    credential_safe_id: credential.safe_id,
  };
}

const toTarget = (row: ShownTarget): DiscoveryTarget => ({
  id: row.id as DiscoveryTargetId,
  name: row.name,
  description: row.description,
  target_type: row.target_type,
  hostname: row.hostname,
  connection_method: row.connection_method,
  credential_id: row.credential_id as AccountId,
  settings: { port: row.port, timeout: row.timeout_ms },
  safe_id: row.safe_id as SafeId,
  safe_name: row.safe_name,
  is_active: row.is_active,
  host_key: row.host_key,
  offered_host_key: row.offered_host_key,
  schedule: row.schedule,
  next_scan_at: row.is_active ? (row.next_scan_at?.toISOString() ?? null) : null,
  last_scan: lastScanOf(row),
  last_enhanced_scan: row.last_enhanced_scan === null ? null : completed(row.last_enhanced_scan),
  can_manage: row.can_manage,
  has_enhanced_scans: hasEnhancedScans(row),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

function hasEnhancedScans({ login, hostname, port }: ShownTarget): boolean {
  if (login === null) return false;
  return canSearch(connectorFor({ ...login, host: hostname, port, username: "any" }));
}

function lastScanOf({ last_scan }: ShownTarget): DiscoveryTarget["last_scan"] {
  if (last_scan === null) return null;
  return { ...completed(last_scan), id: last_scan.id as NonNullable<DiscoveryTarget["last_scan"]>["id"] };
}

/** With the moment in the form of the API. */
const completed = <Scan extends { completed_at: string | null }>(scan: Scan): Scan => ({
  ...scan,
  completed_at: scan.completed_at === null ? null : new Date(scan.completed_at).toISOString(),
});
