// Accounts: shared privileged accounts. Each belongs to a safe, which decides who may do what with it.
import { sql } from "kysely";
import type { SafePermission } from "@strongroom/contract";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import type { CredentialsFeature } from "#features/credentials/index.ts";
import { membersWho } from "#features/safes/index.ts";
import type { SafesFeature } from "#features/safes/index.ts";
import type { VerificationFeature } from "#features/verification/index.ts";
import { defineJobs } from "./accounts.jobs.ts";
import { grants } from "./accounts.policy.ts";
import { bindAccounts } from "./accounts.routes.ts";
import { bindSeveral } from "./several-accounts.routes.ts";
import { afterGrant } from "./check-outs.ts";
import type { EndedGrant } from "./check-outs.ts";
import type { AccountDeps, Grants, HistoryOfTarget, LossListener } from "./deps.ts";
import { readShown } from "./accounts.ts";
import { safeOf } from "./accounts.store.ts";
import { findIds } from "./find-accounts.ts";
import { demandOn, demandSecret, holdAccount, holdShown } from "./hold-account.ts";
import { moverOf } from "./move-account.ts";

export interface AccountsFeature {
  /** Calls `listener`, in the transaction that makes it true, when an account is deleted, moved or disabled. */
  onLost(listener: LossListener): void;
  /** To be called in the transaction that ends a grant, with the request's row held. */
  afterGrant(tx: Tx, ended: EndedGrant): Promise<void>;
  /** Throws 404 when this person sees no such account, and 403 when they may not do this with it. */
  hold(tx: Tx, actor: Actor, id: string, permission: SafePermission): ReturnType<typeof holdAccount>;
  /** As `hold`, for who could take out the secret by themselves, without an approval. */
  holdSecret(tx: Tx, actor: Actor, id: string, ...permissions: SafePermission[]): ReturnType<typeof holdAccount>;
  /** As `holdSecret`, and holds nothing. */
  requireSecret(db: Db, actor: Pick<Actor, "id" | "role">, id: string): Promise<void>;
  /** As `hold`, and holds nothing. */
  require(db: Db, actor: Pick<Actor, "id" | "role">, id: string, permission: SafePermission): Promise<void>;
  /** Throws 404 when this person sees no such account. */
  requireSeen(db: Db, actor: Actor, id: string): Promise<void>;
  /** The accounts that this person sees and that match a text: those whose names begin with it, then the newest. */
  find(db: Db, actor: Actor, text: string, limit: number): Promise<string[]>;
  /** The people who may change its secret. */
  keepersOf(db: Db, id: string): Promise<string[]>;
}

interface Deps {
  credentials: CredentialsFeature;
  safes: SafesFeature;
  verification: VerificationFeature;
  grants: Grants;
  historyOfTarget: HistoryOfTarget;
}

export function installAccounts(kernel: Kernel, parts: Deps): AccountsFeature {
  const listeners: LossListener[] = [];
  const deps: AccountDeps = {
    kernel,
    grants: parts.grants,
    loginChanged: parts.credentials.loginChanged,
    lost: async (...loss) => {
      for (const listener of listeners) await listener(...loss);
    },
  };
  kernel.authority.grant(grants);
  bindAccounts(deps, parts.historyOfTarget);
  bindSeveral(deps, parts.verification);
  parts.safes.beforeDeletion(moverOf(deps));
  defineJobs(kernel);
  return {
    onLost: (listener) => void listeners.push(listener),
    afterGrant: (tx, ended) => afterGrant(kernel, tx, ended),
    hold: (tx, actor, id, permission) => holdAccount(tx, actor, id, permission, parts.grants.grantsInForce),
    holdSecret: async (tx, actor, id, ...permissions) => {
      const { row, shown } = await holdShown(tx, actor, id, parts.grants.grantsInForce);
      for (const permission of permissions) demandOn(shown, permission);
      demandSecret(shown);
      return row;
    },
    requireSecret: async (db, actor, id) => demandSecret(await readShown(db, actor, id, parts.grants.grantsInForce)),
    require: async (db, actor, id, permission) =>
      demandOn(await readShown(db, actor, id, parts.grants.grantsInForce), permission),
    requireSeen: async (db, actor, id) => void (await readShown(db, actor, id, parts.grants.grantsInForce)),
    find: (db, actor, text, limit) => findIds(db, actor, text, limit, parts.grants.grantsInForce),
    keepersOf: async (db, id) => {
      const safeId = await safeOf(db, id);
      return safeId === null ? [] : membersWho(db, safeId, "manage_secret");
    },
  };
}

/** For a restored database: ends every check-out; the sweep does the rest. Returns how many. */
export async function endAllCheckOuts(tx: Tx): Promise<number> {
  const result = await sql`
    update account_check_outs set until = access_time() where until > access_time()`.execute(tx);
  return Number(result.numAffectedRows ?? 0);
}

export { decide, isVisible, needsApproval, permissionsOn } from "./accounts.policy.ts";
export type { AccountStanding } from "./accounts.policy.ts";
export { canBeChanged } from "./one-time.ts";
export { pageOfAccounts } from "./find-accounts.ts";
export { searchableAccounts } from "./search-accounts.ts";
export { accountsOfSafes } from "./verified-account.store.ts";
export type { Grants, Loss, LossListener } from "./deps.ts";
