// Stores a new account in a safe, with its secret sealed under the safe's key.
import {
  ACCOUNT_FIELD_NAMES,
  CONNECTION_FIELD_NAMES,
  SEARCHED_DETAIL_NAMES,
  credentialTypeOf,
  pick,
  usualPort,
} from "@strongroom/contract";
import type { Account, NewAccount, createAccount as createEndpoint } from "@strongroom/contract";
import { Secret } from "@strongroom/keys";
import type { Kek } from "@strongroom/keys";
import { randomBytes } from "node:crypto";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { SteppedCall } from "#kernel/http/implement.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import { keyOfSafe, storeSecret, updateSecret } from "#features/secrets/index.ts";
import type { HostKey } from "#features/secrets/index.ts";
import { lockPlatform } from "#features/platforms/index.ts";
import type { PlatformRow } from "#features/platforms/index.ts";
import { audienceOfSafe, lockSafe, requirePermission } from "#features/safes/index.ts";
import { changed, readShown, targetOf, toAccount } from "../accounts.ts";
import { insertAccountRow } from "../accounts.store.ts";
import type { AccountDeps } from "../deps.ts";

export async function createAccount(deps: AccountDeps, call: SteppedCall<typeof createEndpoint>): Promise<Account> {
  const { kernel, grants } = deps;
  const { safe_id, name } = call.body;
  // Check the permission before a key is created for a safe that the caller may not use.
  await requirePermission(kernel.database.db, call.actor, safe_id, "add");
  const kek = await kernel.keys.kekFor(keyOfSafe(safe_id));
  const at = kernel.clock.now();
  const work = async (tx: Tx) => {
    const made = { fields: call.body, actor: call.actor, kek, at, reason: "created" } as const;
    const { id, details } = await insertAccount(deps, tx, made);
    call.note({ target: targetOf({ id, name }), details });
    return toAccount(await readShown(tx, call.actor, id, grants.grantsInForce), call.actor);
  };
  return call.commit(work, (account) => account);
}

export interface Insertion {
  /** Without a password, the account is pending until a user stores it or a reconcile account sets it. */
  fields: Omit<NewAccount, "password"> & { password: string | null };
  actor: Pick<Actor, "id" | "role">;
  /** The key of the safe that `fields` names. */
  kek: Kek;
  at: Date;
  reason: "created" | "imported";
  /** The key that the host must present; null if unknown. */
  hostKey?: HostKey | null;
}

/** Throws 404 or 403 for a safe to which the actor may not add accounts, and 422 for a platform that cannot be used. */
export async function insertAccount(deps: AccountDeps, tx: Tx, it: Insertion) {
  const { fields, actor, kek, at, reason } = it;
  const { kernel, loginChanged } = deps;
  const { safe } = await lockSafe(tx, actor, fields.safe_id, "add");
  const platform = await lockUsablePlatform(tx, fields.platform_id);
  const id = newId(at.getTime());
  const isUnknown = fields.password === null;
  using secret = Secret.fromText(fields.password ?? randomBytes(32).toString("base64url"));
  const owner = { user_id: null, safe_id: safe.id };
  const stored = { fields: storedFields(fields), searched: searchedValues(fields) };
  const inserted = await storeSecret(tx, { id, owner, ...stored, secret, kek, at, by: actor.id, reason });
  const hostKey = it.hostKey == null ? {} : { host_key: JSON.stringify(it.hostKey) };
  const changes = { ...hostKey, ...(isUnknown ? { verify_after: null } : {}) };
  const row = Object.keys(changes).length === 0 ? inserted : await updateSecret(tx, id, changes);
  await insertAccountRow(tx, {
    id,
    ...accountFields(fields),
    platform_id: platform.id,
    status: isUnknown ? "pending" : "active",
    is_password_unknown: isUnknown,
    rotated_at: at,
    created_by: actor.id,
  });
  if (!isUnknown) await loginChanged(tx, row);
  await kernel.events.publish(tx, changed(id, await audienceOfSafe(tx, safe.id)));
  const named = ({ id, name }: { id: string; name: string }) => ({ id, name });
  const { system_type, connection_method } = fields;
  return { id, details: { safe: named(safe), platform: named(platform), system_type, connection_method } };
}

/** Locks the platform, so that it cannot be changed or deleted in the meantime. Throws 422 when the platform cannot be used. */
export async function lockUsablePlatform(tx: Tx, id: string): Promise<PlatformRow> {
  const platform = await lockPlatform(tx, id, "share");
  if (platform?.is_active === true) return platform;
  const msg = platform === null ? "Platform not found" : `The platform "${platform.name}" is not active`;
  throw refuse(422, "account.platform-unusable", `${msg}.`, { errors: [{ path: "platform_id", msg }] });
}

type Fields = Omit<NewAccount, "safe_id" | "password">;

/** The columns in `credentials`, as the verification engine reads them. */
export function storedFields(fields: Fields) {
  const { system_type, connection_method } = fields;
  return {
    name: fields.name,
    type: credentialTypeOf(system_type, connection_method),
    username: fields.username,
    host: fields.hostname,
    environment: "production" as const,
    ...pick(fields, CONNECTION_FIELD_NAMES),
    port: fields.port ?? usualPort(system_type, connection_method),
  };
}

/** The values by which a search finds an account, the name first. */
export const searchedValues = (fields: Fields) => [
  fields.name,
  fields.username,
  fields.hostname,
  ...SEARCHED_DETAIL_NAMES.map((name) => fields[name]),
  ...(fields.tags ?? []),
];

/** The columns in `accounts`. */
export const accountFields = (fields: Fields) => ({ ...pick(fields, ACCOUNT_FIELD_NAMES), tags: fields.tags ?? [] });
