// Starts, lists and cancels range scans, and lists the hosts that they found.
import { addressSet, rangeOutside } from "@strongroom/connectors";
import { RangeScanId } from "@strongroom/contract";
import type {
  AccountId,
  DiscoveryHost,
  DiscoveryHostId,
  DiscoveryTargetId,
  RangeScan,
  SafeId,
  cancelRangeScan,
  listRangeScanHosts,
  listRangeScans,
  readRangeScan,
  startRangeScan,
} from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { readTimePlace, writeTimePlace } from "#kernel/http/cursor.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { lockSafe } from "#features/safes/index.ts";
import { changedInSafe, mayNotManage, scanNotFound } from "../discovery.ts";
import type { DiscoveryContext } from "../discovery.ts";
import { targetTypeOf } from "../discovery.policy.ts";
import { usableCredential } from "../targets/usable-credential.ts";
import * as store from "./ranges.store.ts";
import type { HostRow, RuleCredential, ShownRangeScan } from "./ranges.store.ts";

export const RANGE_JOB = "discovery.range-scan";

export async function startRange(
  context: DiscoveryContext,
  call: Call<typeof startRangeScan>,
  tx: Tx,
): Promise<RangeScan> {
  const { kernel } = context;
  const { name, safeId, ranges, exclusions, ports, rate, timeout, createsTargets } = call.body;
  await lockSafe(tx, call.actor, safeId, "add");
  const addresses = addressSet({ ranges, exclusions });
  if ("error" in addresses) throw unsuitable("ranges", addresses.error);
  // INVARIANT: a range scan touches only networks that an administrator allowed.
  const outside = rangeOutside(
    ranges,
    (await store.listNetworks(tx)).map(({ network }) => network),
  );
  if (outside !== null) {
    throw unsuitable("ranges", `An administrator has not allowed scans of ${outside}. Ask one to allow its network.`);
  }
  // Without a rule, a user decides about each host.
  if (createsTargets && call.body.credentials.length > 0) call.requireStepUp();
  const credentials: RuleCredential[] = [];
  for (const { targetType, credentialId } of call.body.credentials) {
    const { id, safe_id } = await usableCredential(context, tx, call.actor, credentialId, { targetType });
    credentials.push({ target_type: targetType, credential_id: id, credential_safe_id: safe_id });
  }
  const id = (await kernel.jobs.enqueue(tx, RANGE_JOB, {}, { group: call.actor.id, total: addresses.count }))!;
  await store.insertRangeScan(tx, {
    id,
    safe_id: safeId,
    name,
    ranges,
    exclusions,
    ports: [...new Set(ports)],
    rate,
    timeout_ms: timeout,
    credentials,
    creates_targets: createsTargets,
    status: "pending",
    requested_by: call.actor.name,
    requested_by_id: call.actor.id,
    addresses: addresses.count,
    created_at: kernel.clock.now(),
  });
  call.note({
    target: { type: "discovery-range-scan", id, name },
    details: {
      safe: safeId,
      ranges,
      exclusions,
      ports,
      rate,
      creates_targets: createsTargets,
      credentials: call.body.credentials,
    },
  });
  await kernel.events.publish(tx, await changedInSafe(tx, safeId));
  return toRangeScan((await store.readRangeScan(tx, call.actor, id))!);
}

const unsuitable = (path: string, msg: string) =>
  refuse(422, "discovery.range-unsuitable", msg, { errors: [{ path, msg }] });

export async function listRanges(call: Call<typeof listRangeScans>, db: Db) {
  const { limit, cursor, status = null } = call.query;
  const after = cursor === undefined ? null : readTimePlace(cursor);
  const rows = await store.listRangeScans(db, call.actor, { status, after, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const next_cursor = last === undefined ? null : writeTimePlace({ at: last.created_at, id: last.id });
  return { data: shown.map(toRangeScan), next_cursor };
}

async function seen(db: Db, actor: Actor, id: string): Promise<ShownRangeScan> {
  const row = await store.readRangeScan(db, actor, id);
  if (row === null) throw scanNotFound();
  return row;
}

export const readRange = async (call: Call<typeof readRangeScan>, db: Db) =>
  toRangeScan(await seen(db, call.actor, call.params.id));

export async function listRangeHosts(call: Call<typeof listRangeScanHosts>, db: Db) {
  const scan = await seen(db, call.actor, call.params.id);
  const { limit, cursor, protocol = null } = call.query;
  const after = cursor === undefined ? null : addressIn(cursor);
  const rows = await store.listHosts(db, scan, { protocol, after, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  return {
    data: shown.map(toHost),
    next_cursor: rows.length > limit ? Buffer.from(shown.at(-1)!.address).toString("base64url") : null,
  };
}

function addressIn(cursor: string): string {
  const address = Buffer.from(cursor, "base64url").toString();
  if ("error" in addressSet({ ranges: [address], exclusions: [] })) {
    throw refuse(400, "invalid-cursor", "This cursor is not valid. Start from the first page.");
  }
  return address;
}

export async function cancelRange(
  { kernel }: DiscoveryContext,
  call: Call<typeof cancelRangeScan>,
  tx: Tx,
): Promise<RangeScan> {
  const { id } = call.params;
  call.note({ target: { type: "discovery-range-scan", id } });
  const scan = await store.lockRangeScan(tx, id);
  const before = await seen(tx, call.actor, id);
  call.note({ target: { type: "discovery-range-scan", id, name: before.name } });
  if (!before.can_manage) throw mayNotManage();
  if (scan === null || (scan.status !== "pending" && scan.status !== "running")) {
    throw refuse(409, "discovery.scan-ended", "The scan has already ended.");
  }
  await kernel.jobs.cancel(tx, id);
  await store.updateRangeScan(tx, id, { status: "cancelled", completed_at: kernel.clock.now() });
  await kernel.events.publish(tx, await changedInSafe(tx, scan.safe_id));
  return toRangeScan(await seen(tx, call.actor, id));
}

const toRangeScan = (row: ShownRangeScan): RangeScan => ({
  id: RangeScanId.parse(row.id),
  name: row.name,
  safe_id: row.safe_id as SafeId,
  safe_name: row.safe_name,
  ranges: row.ranges,
  exclusions: row.exclusions,
  ports: row.ports,
  rate: row.rate,
  timeout: row.timeout_ms,
  credentials: row.credentials.map(({ target_type, credential_id }) => ({
    target_type,
    credential_id: credential_id as AccountId,
  })),
  creates_targets: row.creates_targets,
  status: row.status,
  addresses_scanned: row.scanned,
  addresses: row.addresses,
  addresses_refused: row.refused,
  hosts_found: row.hosts_found,
  error: row.error_code,
  error_message: row.error_message,
  requested_by: row.requested_by,
  created_at: row.created_at.toISOString(),
  started_at: row.started_at?.toISOString() ?? null,
  completed_at: row.completed_at?.toISOString() ?? null,
  can_manage: row.can_manage,
});

const toHost = ({ id, address, services, found_at, targets }: HostRow): DiscoveryHost => ({
  id: id as DiscoveryHostId,
  address,
  services: services.map(({ port, protocol, banner, hostKey, certificate }) => ({
    port,
    protocol,
    banner,
    host_key: hostKey,
    certificate:
      certificate === null
        ? null
        : {
            subject: certificate.subject,
            issuer: certificate.issuer,
            names: certificate.names,
            expires_at: certificate.expiresAt,
          },
    target_type: targetTypeOf(protocol),
    target_id: (targets[port] as DiscoveryTargetId | undefined) ?? null,
  })),
  found_at: found_at.toISOString(),
});
