// Machine identities: users that act only through API tokens. Administrators create them; a user or a group is responsible for
// each.
import type {
  GroupId,
  MachineIdentity,
  createMachine,
  listMachines as listEndpoint,
  updateMachine,
} from "@strongroom/contract";
import { UserId, machineAddress } from "@strongroom/contract";
import { lockUser, requirePersonFor } from "#features/users/index.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { pageByName, placeByName } from "#kernel/http/cursor.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { MOST_FOUND } from "#features/search/index.ts";
import type { Hit, Searchable } from "#features/search/index.ts";
import type { Clock } from "#kernel/clock.ts";
import { listMachines, readMachines } from "./machines.store.ts";
import * as store from "./machines.store.ts";
import type { MachineRow } from "./machines.store.ts";

export async function findMachines(kernel: Kernel, call: Call<typeof listEndpoint>, db: Db) {
  const { limit, cursor, search = "" } = call.query;
  const rows = await store.listMachines(db, { search, limit, after: placeByName(cursor) }, kernel.clock.now());
  const { shown, next_cursor } = pageByName(rows, limit);
  return { data: shown.map(toMachine), next_cursor };
}

export async function makeMachine(kernel: Kernel, call: Call<typeof createMachine>, tx: Tx): Promise<MachineIdentity> {
  const { name, description, role } = call.body;
  requirePersonFor(call.actor, { role });
  const at = kernel.clock.now();
  const id = UserId.parse(newId(at.getTime()));
  const responsible = await responsibleOf(call.body, tx);
  if (!(await store.insertMachine(tx, { id, email: addressOf(name), name, role, at }))) throw nameTaken(name);
  await store.writeMachine(tx, { user_id: id, description, ...responsible.ids });
  call.note({ target: { type: "user", id, name }, details: { role, responsible: responsible.name } });
  return one(tx, id, at);
}

export async function changeMachine(
  kernel: Kernel,
  call: Call<typeof updateMachine>,
  tx: Tx,
): Promise<MachineIdentity> {
  const { id } = call.params;
  const now = kernel.clock.now();
  if ((await store.readMachine(tx, id, now)) === undefined) throw notFound();
  // The responsible user may be an administrator, and administrators are locked before the user that a call changes.
  const responsible = await responsibleOf(call.body, tx);
  const person = await lockUser(tx, id);
  const before = await store.readMachine(tx, id, now);
  if (person === undefined || before === undefined) throw notFound();
  requirePersonFor(call.actor, person);
  const { name, description } = call.body;
  if (!(await store.renameMachine(tx, id, name, addressOf(name)))) throw nameTaken(name);
  await store.writeMachine(tx, { user_id: id, description, ...responsible.ids });
  const from = { name: before.name, responsible: before.responsible_name };
  call.note({ target: { type: "user", id, name }, details: { from, to: { name, responsible: responsible.name } } });
  return one(tx, id, now);
}

export const notFound = () => refuse(404, "user.not-found", "User not found");

const nameTaken = (name: string) => {
  const msg = `A machine identity with the name "${name}" already exists.`;
  return refuse(409, "machine-identity.name-taken", msg, { errors: [{ path: "name", msg }] });
};

/** Names that differ only in case, accents or punctuation get the same address and therefore count as equal. */
function addressOf(name: string): string {
  const slug = name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return machineAddress(slug === "" ? "machine" : slug);
}

interface Responsible {
  name: string;
  ids: { responsible_user_id: string | null; responsible_group_id: string | null };
}

/** Throws 422 for an unknown group or a user who cannot be responsible. */
async function responsibleOf(
  body: { responsible_user_id?: string | undefined; responsible_group_id?: string | undefined },
  tx: Tx,
): Promise<Responsible> {
  const { responsible_user_id: userId = null, responsible_group_id: groupId = null } = body;
  if (groupId !== null) {
    const name = await store.lockGroupShared(tx, groupId);
    if (name === undefined) throw nobody("responsible_group_id");
    return { name, ids: { responsible_user_id: null, responsible_group_id: groupId } };
  }
  const person = userId === null ? undefined : await lockUser(tx, userId);
  if (person?.status !== "active" || person.kind !== "person") throw nobody("responsible_user_id");
  return { name: person.name, ids: { responsible_user_id: person.id, responsible_group_id: null } };
}

const nobody = (path: string) => {
  const msg = "Choose an active user or a group as its owner.";
  return refuse(422, "machine-identity.responsible-unknown", msg, { errors: [{ path, msg }] });
};

async function one(db: Db, id: string, now: Date): Promise<MachineIdentity> {
  const row = await store.readMachine(db, id, now);
  if (row === undefined) throw new Error(`the machine identity ${id} vanished within a transaction`);
  return toMachine(row);
}

const toMachine = (row: MachineRow): MachineIdentity => ({
  id: row.user_id,
  name: row.name,
  email: row.email,
  description: row.description,
  role: row.role,
  status: row.status,
  responsible:
    row.responsible_name === null
      ? null
      : {
          user_id: row.responsible_user_id as UserId | null,
          group_id: row.responsible_group_id as GroupId | null,
          name: row.responsible_name,
        },
  created_at: row.created_at.toISOString(),
  active_tokens: row.active_tokens,
  last_used_at: row.last_used_at?.toISOString() ?? null,
});

export const searchableMachines = (clock: Clock): Searchable => ({
  kind: "machine-identity",
  needs: "user.manage",
  async find(db, _actor, search) {
    const found = await listMachines(db, { search, limit: MOST_FOUND, after: null }, clock.now());
    return found.slice(0, MOST_FOUND).map(hitOf);
  },
  read: async (db, _actor, ids) => (await readMachines(db, ids, clock.now())).map(hitOf),
});

function hitOf({ id, name, description, role, status, active_tokens: tokens }: MachineRow): Hit {
  const held = tokens === 1 ? "1 active token" : `${tokens} active tokens`;
  const detail = [role, held, ...(status === "active" ? [] : [status])].join(", ");
  return { id, title: name, detail, by: [description], can: [] };
}
