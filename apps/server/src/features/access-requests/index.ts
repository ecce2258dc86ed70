// Just-in-time access: ask for an account, be granted it for a while, and lose it when the time is over.
import { sql } from "kysely";
import type { SafesFeature } from "#features/safes/index.ts";
import type { UsersFeature } from "#features/users/index.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { grants } from "./access-requests.policy.ts";
import { bindAccessRequests } from "./access-requests.routes.ts";
import type { EndOfGrant, Site } from "./access-requests.ts";
import { defineAlarm } from "./alarm.ts";
import { accountsLost, membersLost, safeClosed, userLost } from "./end-requests.ts";
import type { AccountLost } from "./end-requests.ts";
import { createSweep } from "./sweep-grants.ts";
import type { Sweep } from "./sweep-grants.ts";

/** What it asks of others: to be told when something ends what was lent, and to tell when a grant ends. */
export interface AccessRequestDeps {
  mail: Site["mail"];
  notifications: Pick<Site, "notify" | "settle">;
  accounts: {
    afterGrant(tx: Tx, grant: EndOfGrant): Promise<void>;
    find: Site["findAccounts"];
    /** In the transaction, with the accounts held. */
    onLost(listener: (tx: Tx, accountIds: readonly string[], how: AccountLost, by: Actor) => Promise<void>): void;
  };
  safes: Pick<SafesFeature, "onMembersLost" | "onClosed">;
  users: Pick<UsersFeature, "onDisabled" | "onDeleted">;
}

/** The answer's `start` begins to end grants whose time is over. */
export function installAccessRequests(kernel: Kernel, deps: AccessRequestDeps): Sweep {
  const { accounts, mail, notifications } = deps;
  const { notify, settle } = notifications;
  const site: Site = {
    kernel,
    mail,
    notify,
    settle,
    afterGrant: (tx, grant) => accounts.afterGrant(tx, grant),
    findAccounts: (...wish) => accounts.find(...wish),
  };
  kernel.authority.grant(grants);
  bindAccessRequests(site);
  defineAlarm(site);
  accounts.onLost((tx, accountIds, how, by) => accountsLost(site, tx, accountIds, how, by));
  deps.safes.onClosed((tx, safeId, by) => safeClosed(site, tx, safeId, by));
  deps.safes.onMembersLost((tx, lost, by) => membersLost(site, tx, lost, by));
  deps.users.onDisabled((tx, userId, by) => userLost(site, tx, { userId, how: "user-disabled" }, by));
  deps.users.onDeleted((tx, userId, by) => userLost(site, tx, { userId, how: "user-deleted" }, by));
  return createSweep(site);
}

/**
 * For a restored database: ends every grant now, which each call sees at once. The consequences of an ended grant
 * (rotation, audit entry, notification) are left to the sweep, as for every expired grant. Returns how many.
 */
export async function endAllGrants(tx: Tx): Promise<number> {
  const result = await sql`
    update access_requests set ends_at = access_time()
    where state = 'granted' and ends_at > access_time()`.execute(tx);
  return Number(result.numAffectedRows ?? 0);
}

export { grantsInForce, noteRetrieval } from "./grants-in-force.ts";
export type { GrantInForce } from "./grants-in-force.ts";
export { searchableRequests } from "./search-requests.ts";
export { requestsAbout } from "./requests-about.store.ts";
export { requestsSeenBy } from "./shown-requests.store.ts";
