// Access requests: users request access to an account, get a time-limited grant, and lose access when it ends.
import { sql } from "kysely";
import type { SafesFeature } from "#features/safes/index.ts";
import type { UsersFeature } from "#features/users/index.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { rolePermissions } from "./access-requests.policy.ts";
import { bindAccessRequests } from "./access-requests.routes.ts";
import type { OnGrantEnd, AccessRequestContext } from "./access-requests.ts";
import { defineAlarm } from "./emergency/alarm.ts";
import {
  endRequestsForAccounts,
  endRequestsForMembers,
  endRequestsForSafe,
  endRequestsForUser,
} from "./grants/end-requests.ts";
import type { AccountLoss } from "./grants/end-requests.ts";
import { createSweep } from "./grants/sweep-grants.ts";
import type { Sweep } from "./grants/sweep-grants.ts";

/** Hooks for other features. Some report that an account, user or membership was lost; others are called when a grant ends. */
export interface AccessRequestDeps {
  mail: AccessRequestContext["mail"];
  notifications: Pick<AccessRequestContext, "notify" | "settle">;
  accounts: {
    afterGrant(tx: Tx, grant: OnGrantEnd): Promise<void>;
    closeOverCheckOuts(): Promise<void>;
    find: AccessRequestContext["findAccounts"];
    /** Called in the transaction, with the accounts locked. */
    onLost(listener: (tx: Tx, accountIds: readonly string[], how: AccountLoss, by: Actor) => Promise<void>): void;
  };
  safes: Pick<SafesFeature, "onMembersLost" | "onClosed">;
  users: Pick<UsersFeature, "onDisabled" | "onDeleted">;
}

/** Installs the routes and returns the sweep, whose `start` begins to end expired grants. */
export function installAccessRequests(kernel: Kernel, deps: AccessRequestDeps): Sweep {
  const { accounts, mail, notifications } = deps;
  const { notify, settle } = notifications;
  const context: AccessRequestContext = {
    kernel,
    mail,
    notify,
    settle,
    afterGrant: (tx, grant) => accounts.afterGrant(tx, grant),
    closeOverCheckOuts: () => accounts.closeOverCheckOuts(),
    findAccounts: (...query) => accounts.find(...query),
  };
  kernel.authority.grant(rolePermissions);
  bindAccessRequests(context);
  defineAlarm(context);
  accounts.onLost((tx, accountIds, how, by) => endRequestsForAccounts(context, tx, accountIds, how, by));
  deps.safes.onClosed((tx, safeId, by) => endRequestsForSafe(context, tx, safeId, by));
  deps.safes.onMembersLost((tx, lost, by) => endRequestsForMembers(context, tx, lost, by));
  deps.users.onDisabled((tx, userId, by) => endRequestsForUser(context, tx, { userId, how: "user-disabled" }, by));
  deps.users.onDeleted((tx, userId, by) => endRequestsForUser(context, tx, { userId, how: "user-deleted" }, by));
  return createSweep(context);
}

/**
 * For a restored database: ends every grant now, with immediate effect on every call, and returns how many there were. The sweep
 * handles the consequences (rotation, audit entry, notification), as for every expired grant.
 */
export async function endAllGrants(tx: Tx): Promise<number> {
  const result = await sql`
    update access_requests set ends_at = access_time()
    where state = 'granted' and ends_at > access_time()`.execute(tx);
  return Number(result.numAffectedRows ?? 0);
}

/** For a restored database: requires all approvals of pending requests again. */
export async function removePendingApprovals(tx: Tx): Promise<number> {
  const result = await sql`
    delete from access_request_decisions decision using access_request_rounds round
    where round.request_id = decision.request_id and round.round = decision.round
      and round.state = 'pending'`.execute(tx);
  return Number(result.numAffectedRows ?? 0);
}

export { activeGrants, isInForce, recordRetrieval } from "./grants/active-grants.ts";
export type { ActiveGrant } from "./grants/active-grants.ts";
export { searchableRequests } from "./requests/find-requests.ts";
export { requestsAbout } from "./requests/shown-requests.store.ts";
export { requestsSeenBy } from "./requests/shown-requests.store.ts";
