// Accounts: shared privileged accounts. Each account belongs to a safe, which determines who may do what with the account.
import { sql } from "kysely";
import type { SafePermission } from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { HistoryOfTarget } from "#features/audit/index.ts";
import type { SecretsFeature } from "#features/secrets/index.ts";
import { membersWho } from "#features/safes/index.ts";
import type { SafesFeature } from "#features/safes/index.ts";
import type { VerificationFeature } from "#features/verification/index.ts";
import { rolePermissions } from "./accounts.policy.ts";
import { bindAccounts } from "./accounts.routes.ts";
import { afterGrant, endExpiredCheckOuts } from "./checkout/check-outs.ts";
import type { EndedGrant } from "./checkout/check-outs.ts";
import type { AccountDeps, GrantsPort, AccessLossListener } from "./deps.ts";
import { readShown } from "./accounts.ts";
import { safeOf } from "./accounts.store.ts";
import { findIds } from "./search/find-accounts.ts";
import { requireAccountPermission, requireSecret, lockAccount, lockShown } from "./lock-account.ts";
import { insertAccount } from "./crud/create-account.ts";
import type { Insertion } from "./crud/create-account.ts";
import { deleteOne, discardUnknown } from "./crud/delete-account.ts";
import { moverOf } from "./crud/move-account.ts";

export interface AccountsFeature {
  /** Calls `listener` in the same transaction when an account is deleted, moved or disabled. */
  onLost(listener: AccessLossListener): void;
  /** Call this function in the transaction that ends a grant, with the request's row locked. */
  afterGrant(tx: Tx, ended: EndedGrant): Promise<void>;
  /** Ends expired check-outs and schedules the rotations that follow. */
  closeOverCheckOuts(): Promise<void>;
  /** Locks the account. Throws 404 when this user may not see the account, and 403 when they lack the permission. */
  hold(tx: Tx, actor: Actor, id: string, permission: SafePermission): ReturnType<typeof lockAccount>;
  /** Like `hold`, and also requires the permissions to retrieve the secret without an approval. */
  holdSecret(tx: Tx, actor: Actor, id: string, ...permissions: SafePermission[]): ReturnType<typeof lockAccount>;
  /** Like `holdSecret`, without a lock. */
  requireSecret(db: Db, actor: Pick<Actor, "id" | "role">, id: string, ...permissions: SafePermission[]): Promise<void>;
  /** Like `hold`, without a lock. */
  require(db: Db, actor: Pick<Actor, "id" | "role">, id: string, permission: SafePermission): Promise<void>;
  /** Throws 404 when the account does not exist or this user may not see it. */
  requireSeen(db: Db, actor: Actor, id: string): Promise<void>;
  /** Visible accounts that match a text: those whose names begin with it, then the newest. */
  find(db: Db, actor: Actor, text: string, limit: number): Promise<string[]>;
  /** Stores an account; see `insertAccount`. */
  insert(tx: Tx, insertion: Insertion): ReturnType<typeof insertAccount>;
  /** Deletes an account; see `deleteOne`. */
  remove(tx: Tx, actor: Actor, id: string): Promise<{ name: string }>;
  /** Deletes an account whose password was never known. Returns false when it is known. */
  discardUnknown(tx: Tx, id: string, actor: Actor): Promise<boolean>;
  /** The users who may change the account's secret. */
  secretManagersOf(db: Db, id: string): Promise<string[]>;
}

interface Deps {
  secrets: SecretsFeature;
  safes: SafesFeature;
  verification: VerificationFeature;
  grants: GrantsPort;
  historyOfTarget: HistoryOfTarget;
}

export function installAccounts(kernel: Kernel, parts: Deps): AccountsFeature {
  const listeners: AccessLossListener[] = [];
  const deps: AccountDeps = {
    kernel,
    grants: parts.grants,
    loginChanged: parts.secrets.loginChanged,
    lost: async (...loss) => {
      for (const listener of listeners) await listener(...loss);
    },
  };
  kernel.authority.grant(rolePermissions);
  bindAccounts(deps, parts);
  parts.safes.beforeDeletion(moverOf(deps));
  kernel.jobs.define("accounts.close-check-outs", { schedule: "* * * * *", policy: "exclusive" }, () =>
    endExpiredCheckOuts(kernel),
  );
  return {
    onLost: (listener) => void listeners.push(listener),
    afterGrant: (tx, ended) => afterGrant(kernel, tx, ended),
    closeOverCheckOuts: () => endExpiredCheckOuts(kernel),
    hold: (tx, actor, id, permission) => lockAccount(tx, actor, id, permission, parts.grants.grantsInForce),
    holdSecret: async (tx, actor, id, ...permissions) => {
      const { row, shown } = await lockShown(tx, actor, id, parts.grants.grantsInForce);
      for (const permission of permissions) requireAccountPermission(shown, permission);
      requireSecret(shown);
      return row;
    },
    requireSecret: async (db, actor, id, ...permissions) => {
      const shown = await readShown(db, actor, id, parts.grants.grantsInForce);
      for (const permission of permissions) requireAccountPermission(shown, permission);
      requireSecret(shown);
    },
    require: async (db, actor, id, permission) =>
      requireAccountPermission(await readShown(db, actor, id, parts.grants.grantsInForce), permission),
    requireSeen: async (db, actor, id) => void (await readShown(db, actor, id, parts.grants.grantsInForce)),
    find: (db, actor, text, limit) => findIds(db, actor, text, limit, parts.grants.grantsInForce),
    insert: (tx, insertion) => insertAccount(deps, tx, insertion),
    remove: (tx, actor, id) => deleteOne(deps, tx, { id, actor }),
    discardUnknown: (tx, id, actor) => discardUnknown(deps, tx, id, actor),
    secretManagersOf: async (db, id) => {
      const safeId = await safeOf(db, id);
      return safeId === null ? [] : membersWho(db, safeId, "manage_secret");
    },
  };
}

/** For a restored database: ends every check-out and returns how many there were. The sweep does everything else. */
export async function endAllCheckOuts(tx: Tx): Promise<number> {
  const result = await sql`
    update account_check_outs set until = access_time() where until > access_time()`.execute(tx);
  return Number(result.numAffectedRows ?? 0);
}

export { beginLoginTest, endLoginTest } from "./login-tests/limit-login-tests.ts";
export { decideAccess, isVisible, needsApproval, permissionsOn } from "./accounts.policy.ts";
export type { AccountAccess } from "./accounts.policy.ts";
export { afterUse, retrievableAccounts, retrievableSafes } from "./accounts.store.ts";
export { checkedOutUntil, isCheckedOut, isInUse } from "./checkout/check-outs.store.ts";
export { showAccounts } from "./shown-accounts.store.ts";
export type { ShownRow } from "./shown-accounts.store.ts";
export { justificationNote, requireJustification, ticketOf } from "./access-rules.ts";
export { readShown as readShownAccount } from "./accounts.ts";
export { requireAccountPermission } from "./lock-account.ts";
export { requireUse, useAccount, recordUse } from "./use-account.ts";
export type { UseContext } from "./use-account.ts";
export { platformCapabilities } from "./checkout/one-time.ts";
export { pageOfAccounts } from "./search/find-accounts.ts";
export { isRotationOverdue } from "./rotation.ts";
export { byRotation as accountsDueForRotation } from "./search/found-accounts.store.ts";
export { searchableAccounts } from "./search/search-accounts.ts";
export { searchableHosts } from "./search/search-hosts.ts";
export { accountsOfSafes } from "./verified-account.store.ts";
export type { GrantsPort, AccessLoss, AccessLossListener } from "./deps.ts";
