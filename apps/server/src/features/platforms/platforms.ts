// Creates, updates and deletes platforms for administrators, and lists them for every signed-in user.
import { canRotateOn } from "@strongroom/contract";
import type {
  AccountId,
  Message,
  NewPlatform,
  Platform,
  PlatformCapability,
  PlatformId,
  createPlatform,
  deletePlatform,
  listPlatforms as listEndpoint,
  readPlatform as readEndpoint,
  updatePlatform as updateEndpoint,
} from "@strongroom/contract";
import { isDeepStrictEqual } from "node:util";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { NewEvent } from "#kernel/events/events.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { queueRescheduling } from "./platforms.jobs.ts";
import * as store from "./platforms.store.ts";
import { MOST_FOUND } from "#features/search/index.ts";
import type { Hit, Searchable } from "#features/search/index.ts";
import { searchPlatforms } from "./platforms.store.ts";
import type { PlatformRow, ShownPlatform } from "./platforms.store.ts";

type Row = Awaited<ReturnType<typeof searchPlatforms>>[number];

export const searchablePlatforms: Searchable = {
  kind: "platform",
  needs: "platform.read",
  find: async (db, _actor, text) => (await searchPlatforms(db, { text }, MOST_FOUND)).map(hitOf),
  read: async (db, _actor, ids) => (await searchPlatforms(db, { ids }, ids.length)).map(hitOf),
};

export interface PlatformDeps {
  capabilities: readonly PlatformCapability[];
}

/** Throws 422 if no connector can change the password: a one-time password would then stay checked out forever. */
function requireChangeable({ capabilities }: PlatformDeps, fields: NewPlatform): void {
  if (!fields.one_time_password || canRotateOn(capabilities, fields)) return;
  const message =
    "One-time passwords are not available: no connector can change passwords for this system type and connection method.";
  throw refuse(422, "platform.one-time-unsupported", message, {
    errors: [{ path: "one_time_password", msg: message }],
  });
}

export async function findPlatforms(call: Call<typeof listEndpoint>, db: Db) {
  const { system_type, is_active } = call.query;
  const rows = await store.listPlatforms(db, system_type ?? null, is_active ?? null);
  return { platforms: rows.map(toPlatform) };
}

export async function readOne(call: Call<typeof readEndpoint>, db: Db): Promise<Platform> {
  return present(db, call.params.id);
}

export async function makePlatform(
  kernel: Kernel,
  deps: PlatformDeps,
  call: Call<typeof createPlatform>,
  tx: Tx,
): Promise<Platform> {
  const at = kernel.clock.now();
  const id = newId(at.getTime());
  const fields = call.body;
  call.note({
    target: { type: "platform", id, name: fields.name },
    details: { policy: { ...call.body, description: null } },
  });
  requireChangeable(deps, call.body);
  await checkNames(tx, call.body, null);
  await store.insertPlatform(tx, {
    ...fields,
    id,
    ...asJson(call.body),
    created_at: at,
    updated_at: at,
  });
  await kernel.events.publish(tx, changed(id));
  return present(tx, id);
}

export async function changePlatform(
  kernel: Kernel,
  deps: PlatformDeps,
  call: Call<typeof updateEndpoint>,
  tx: Tx,
): Promise<Platform> {
  const before = await begin(call, tx);
  const fields = call.body;
  requireChangeable(deps, call.body);
  await checkNames(tx, call.body, before.id);
  await store.updatePlatform(tx, before.id, {
    ...fields,
    ...asJson(call.body),
    // The check result of the previous reconcile account does not apply to the new one.
    ...(before.reconcile_account_id === fields.reconcile_account_id ? {} : UNCHECKED),
    updated_at: kernel.clock.now(),
  });
  if (before.verify_every_hours !== fields.verify_every_hours) await queueRescheduling(kernel, tx, before.id);
  call.note({ details: { changed: changes(before, call.body) } });
  await kernel.events.publish(tx, changed(before.id));
  return present(tx, before.id);
}

export async function removePlatform(kernel: Kernel, call: Call<typeof deletePlatform>, tx: Tx): Promise<Message> {
  const { id, name } = await begin(call, tx);
  const { account_count: count } = (await store.readPlatform(tx, id))!;
  if (count > 0) {
    const users = count === 1 ? "An account uses" : `${count} accounts use`;
    throw refuse(409, "platform.in-use", `${users} "${name}". Assign another platform first.`);
  }
  await store.updatePlatform(tx, id, { deleted_at: kernel.clock.now() });
  await kernel.events.publish(tx, changed(id));
  return { message: `"${name}" deleted successfully` };
}

async function begin(call: Call<typeof updateEndpoint> | Call<typeof deletePlatform>, tx: Tx): Promise<PlatformRow> {
  const { id } = call.params;
  call.note({ target: { type: "platform", id } });
  const row = await store.lockPlatform(tx, id, "update");
  if (row === null) throw notFound();
  call.note({ target: { type: "platform", id, name: row.name } });
  return row;
}

async function checkNames(tx: Tx, { name, reconcile_account_id }: NewPlatform, besides: string | null): Promise<void> {
  await store.lockNames(tx);
  if (await store.isNameTaken(tx, name, besides)) {
    throw refuse(409, "platform.name-taken", `A platform named "${name}" already exists.`, {
      errors: [{ path: "name", msg: "A platform with this name already exists" }],
    });
  }
  if (reconcile_account_id !== null && !(await store.accountExists(tx, reconcile_account_id))) {
    throw refuse(422, "platform.reconcile-account-unknown", "The reconcile account does not exist.", {
      errors: [{ path: "reconcile_account_id", msg: "This account does not exist" }],
    });
  }
}

export const notFound = (): Refusal => refuse(404, "platform.not-found", "Platform not found");

/** Every signed-in user may read platforms. */
const changed = (id: string): NewEvent => ({
  type: "platform.changed",
  audience: "everyone",
  data: { platform_id: id },
});

const UNCHECKED = { reconcile_is_ready: null, reconcile_message: null, reconcile_checked_at: null };

const asJson = ({ password_rules, rotation_window, reconcile_hosts, reconcile_safe_ids }: NewPlatform) => ({
  password_rules: JSON.stringify(password_rules),
  reconcile_hosts: JSON.stringify(reconcile_hosts),
  reconcile_safe_ids: JSON.stringify(reconcile_safe_ids),
  rotation_window: rotation_window === null ? null : JSON.stringify(rotation_window),
});

/** Throws 404 when the platform does not exist. */
async function present(db: Db, id: string): Promise<Platform> {
  const row = await store.readPlatform(db, id);
  if (row === null) throw notFound();
  return toPlatform(row);
}

/** Descriptions may be long, so the audit details only say that the description changed. */
function changes(before: PlatformRow, after: NewPlatform) {
  const fields = Object.keys(after) as (keyof NewPlatform)[];
  const differing = fields.filter((field) => !isDeepStrictEqual(before[field], after[field]));
  const detailOf = (field: keyof NewPlatform) =>
    field === "description" ? true : { from: before[field], to: after[field] };
  return Object.fromEntries(differing.map((field) => [field, detailOf(field)]));
}

function toPlatform(row: ShownPlatform): Platform {
  const { reconcile_is_ready: is_ready, reconcile_message: message, reconcile_checked_at: checked_at } = row;
  return {
    ...row,
    id: row.id as PlatformId,
    reconcile_account_id: row.reconcile_account_id as AccountId | null,
    reconcile_readiness:
      is_ready === null || checked_at === null
        ? null
        : { is_ready, message: message ?? "", checked_at: checked_at.toISOString() },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

const hitOf = ({ id, name, description, system_type, connection_method }: Row): Hit => ({
  id,
  title: name,
  detail: `${system_type} over ${connection_method}`,
  by: [description, system_type],
  can: [],
});
