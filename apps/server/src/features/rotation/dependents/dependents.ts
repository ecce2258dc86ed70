// Lists, adds, removes and updates the dependents of an account.
import { DependentConfig, otherAccountOf } from "@strongroom/contract";
import { sealSecret, Secret } from "@strongroom/keys";
import type {
  Dependent,
  DependentId,
  Message,
  addDependent as addEndpoint,
  listDependents as listEndpoint,
  removeDependent as removeEndpoint,
  updateDependent as updateEndpoint,
} from "@strongroom/contract";
import { randomBytes } from "node:crypto";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { Refusal, refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import type { ProcessKernel } from "#kernel/kernel.ts";
import { moment } from "#kernel/moment.ts";
import { CHANGED } from "./dependent-alarm.ts";
import { DEPENDENT_KEYS, canCheck, checkDependent, macOf } from "./dependent-mac.ts";
import type { BoundColumns } from "./dependent-mac.ts";
import {
  insertDependent,
  listOf,
  lockDependent,
  readViaWay,
  rebindDependent,
  removeDependentRow,
  scheduleUpdate,
  setCurrent,
} from "./dependents.store.ts";
import type { DependentRow } from "./dependents.store.ts";
import type { RotatedAccounts, RotationContext } from "../context.ts";

/** The purpose in the envelopes of signing keys. */
export const SIGNING_PURPOSE = "dependent-signing-key";
const MOST = 50;

/** The outcome of an update of one dependent. */
export interface Updated {
  isDone: boolean;
  message: string;
  /** Settings of the dependent that the update learnt. */
  config?: DependentConfig;
  /** The dependent was changed in the database: it is not tried again. */
  isChanged?: true;
}

const notFound = () => refuse(404, "dependent.not-found", "Dependent not found");

export function toDependent(row: DependentRow): Dependent {
  const { id, name, config, state, message, tries, updated_at, next_at } = row;
  return {
    id: id as DependentId,
    name,
    config,
    state,
    message,
    tries,
    updated_at: moment(updated_at),
    next_at: state === "waiting" ? moment(next_at) : null,
  };
}

export async function findDependents(context: RotationContext, call: Call<typeof listEndpoint>, db: Db) {
  const { id } = call.params;
  const { rotated } = context;
  await rotated.requireSeen(db, call.actor, id);
  const rows = await listOf(db, id);
  const dependents = await Promise.all(rows.map((row) => checkedDependent(context.kernel, row)));
  const isKeeper = await isWithinRights(rotated.require(db, call.actor, id, "manage_secret"));
  return { dependents: isKeeper ? dependents : dependents.map((each) => ({ ...each, config: null })) };
}

/** A dependent that was changed in the database needs attention, and its settings may be unreadable. */
async function checkedDependent(kernel: ProcessKernel, row: DependentRow): Promise<Dependent> {
  const dependent = toDependent(row);
  if (!canCheck(kernel.keys) || (await checkDependent(kernel, row))) return dependent;
  const config = DependentConfig.safeParse(row.config).data ?? null;
  return { ...dependent, config, state: "attention", message: CHANGED, next_at: null };
}

export async function addDependent(context: RotationContext, call: SteppedCall<typeof addEndpoint>) {
  const { kernel } = context;
  const { id: account_id } = call.params;
  const { name, config } = call.body;
  call.note({ target: { type: "account", id: account_id } });
  const isSigned = config.kind === "webhook";
  const signing_key = isSigned ? randomBytes(32).toString("base64url") : null;
  const kek = await kernel.keys.kekFor(DEPENDENT_KEYS);
  const at = kernel.clock.now();
  const id = newId(at.getTime());
  return call.commit(async (tx) => {
    const row = await holdWithRight(context, tx, call.actor, account_id, config);
    call.note({
      target: { type: "account", id: account_id, name: row.name },
      details: { dependent: id, name, kind: config.kind },
    });
    if ((await listOf(tx, account_id)).length >= MOST) {
      throw refuse(409, "dependent.too-many", `An account can have at most ${MOST} dependents.`);
    }
    using key = signing_key === null ? null : Secret.fromText(signing_key);
    const binding = { purpose: SIGNING_PURPOSE, recordId: id, version: 1 };
    const sealed = key === null ? null : sealSecret(kek, binding, key);
    const added = await insertBound(context, tx, {
      id,
      account_id,
      name,
      config,
      added_by: call.actor.id,
      signing_key: sealed,
      created_at: at,
    });
    return { ...toDependent((await startVersion(tx, added, row.secret_version)) ?? added), signing_key };
  });
}

/** The version that the file or login has now, by which its places are found. A reference replaces it immediately. */
async function startVersion(tx: Tx, { id, config }: DependentRow, version: number): Promise<DependentRow | null> {
  if (!HAS_VERSION.has(config.kind)) return null;
  await setCurrent(tx, id, version);
  return config.kind === "file-reference" ? scheduleUpdate(tx, id) : null;
}

/** Inserts a row for a user who may add it, with its MAC. */
async function insertBound(
  { kernel }: RotationContext,
  tx: Tx,
  row: Omit<BoundColumns, "via_way"> & { created_at: Date },
): Promise<DependentRow> {
  const kek = await kernel.keys.kekFor(DEPENDENT_KEYS);
  const bound = { ...row, via_way: await readViaWay(tx, row.config) };
  return insertDependent(tx, { ...bound, mac: macOf(kek, bound) });
}

const HAS_VERSION: ReadonlySet<DependentConfig["kind"]> = new Set(["authorized-key", "file-value", "file-reference"]);

export interface NewDependent {
  actor: Actor;
  accountId: string;
  name: string;
  config: Extract<DependentConfig, { kind: "file-value" | "file-reference" }>;
  /** The version of the secret that the dependent has now. */
  version: number;
}

/** Like `addDependent`, in another feature's transaction. */
export async function insertFor(context: RotationContext, tx: Tx, added: NewDependent): Promise<string> {
  const { actor, accountId: account_id, name, config, version } = added;
  await holdWithRight(context, tx, actor, account_id, config);
  if ((await listOf(tx, account_id)).length >= MOST) {
    throw refuse(409, "dependent.too-many", `An account can have at most ${MOST} dependents.`);
  }
  const at = context.kernel.clock.now();
  const id = newId(at.getTime());
  const row = { id, account_id, name, config, added_by: actor.id, signing_key: null, created_at: at };
  await startVersion(tx, await insertBound(context, tx, row), version);
  return id;
}

/**
 * INVARIANT: only a user who may retrieve the account's secret, and the secret of the account that delivers it, can add
 * a dependent. For a dependent account, the user must be allowed to store its secret.
 */
async function holdWithRight(
  { rotated }: RotationContext,
  tx: Tx,
  actor: Actor,
  accountId: string,
  config: DependentConfig,
) {
  if (otherAccountOf(config) === accountId) {
    throw refuse(422, "dependent.itself", "An account cannot depend on itself.", {
      errors: [{ path: "config", msg: "Choose another account" }],
    });
  }
  await requireRights(rotated, tx, actor, accountId, config);
  return rotated.holdSecret(tx, actor, accountId, "update_properties", "manage_secret");
}

/** Throws 404 or 403 when the actor may not use the secrets that the dependent requires. */
export async function requireRights(
  rotated: RotatedAccounts,
  db: Db,
  actor: Pick<Actor, "id" | "role">,
  accountId: string,
  config: DependentConfig,
): Promise<void> {
  const other = otherAccountOf(config);
  if (config.kind === "account") await rotated.require(db, actor, config.account_id, "update_secret");
  else if (other !== null) await rotated.requireSecret(db, actor, other);
  await rotated.requireSecret(db, actor, accountId);
}

export async function removeDependent(
  context: RotationContext,
  call: Call<typeof removeEndpoint>,
  tx: Tx,
): Promise<Message> {
  const { id, dependentId } = call.params;
  call.note({ target: { type: "account", id } });
  const row = await context.rotated.hold(tx, call.actor, id, "update_properties");
  const removed = await removeDependentRow(tx, id, dependentId);
  if (removed === null) throw notFound();
  call.note({
    target: { type: "account", id, name: row.name },
    details: { dependent: dependentId, name: removed.name },
  });
  return { message: `"${removed.name}" removed from "${row.name}"` };
}

/** Returns false when the check throws a refusal. */
export async function isWithinRights(asked: Promise<void>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** A user who requests the update and has the required permissions becomes responsible for the dependent. */
export async function updateDependent(
  context: RotationContext,
  call: Call<typeof updateEndpoint>,
  tx: Tx,
): Promise<Dependent> {
  const { id, dependentId } = call.params;
  call.note({ target: { type: "account", id } });
  const row = await context.rotated.hold(tx, call.actor, id, "manage_secret");
  const found = await lockDependent(tx, dependentId);
  if (found?.account_id !== id) throw notFound();
  if (!(await checkDependent(context.kernel, found))) throw refuse(409, "dependent.mismatch", CHANGED);
  if (await isWithinRights(requireRights(context.rotated, tx, call.actor, id, found.config))) {
    await rebind(context, tx, { ...found, added_by: call.actor.id, via_way: await readViaWay(tx, found.config) });
  }
  const wanted = await scheduleUpdate(tx, dependentId);
  call.note({
    target: { type: "account", id, name: row.name },
    details: { dependent: dependentId, name: wanted.name },
  });
  return toDependent(wanted);
}

/** Stores settings that an update learnt, such as a host key, unless the row was removed or changed meanwhile. */
export async function storeConfig(
  context: RotationContext,
  tx: Tx,
  id: string,
  config: DependentConfig,
): Promise<void> {
  const row = await lockDependent(tx, id);
  if (row !== null && (await checkDependent(context.kernel, row))) await rebind(context, tx, { ...row, config });
}

/** INVARIANT: the row is locked and was checked, so that a changed column never gets a MAC. */
async function rebind({ kernel }: RotationContext, tx: Tx, row: DependentRow): Promise<void> {
  const kek = await kernel.keys.kekFor(DEPENDENT_KEYS);
  await rebindDependent(tx, { ...row, mac: macOf(kek, row) });
}
