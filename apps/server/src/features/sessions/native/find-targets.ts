// Finds the accounts that a native client's login name refers to.
import { sql } from "kysely";
import { decideAccess, showAccounts } from "#features/accounts/index.ts";
import type { ShownRow } from "#features/accounts/index.ts";
import { effectivePermissionsOf } from "#features/safes/index.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { SessionContext } from "../session-context.ts";

/** The account's id, its name or its user name on the target; and the target's host, if given. */
export interface TargetName {
  account: string;
  host: string | null;
}

export interface FoundTargets {
  /** Accounts that the user can connect to now, ordered by name. */
  usable: ShownRow[];
  /** Visible accounts that the user cannot use now, for example without an approval. */
  unusable: ShownRow[];
}

/** A menu offers at most this many accounts. */
export const MOST_TARGETS = 50;

/** INVARIANT: accounts that the user may not see are in neither list. */
export async function findTargets(
  { grants }: SessionContext,
  db: Db,
  actor: Actor,
  { account, host }: TargetName,
): Promise<FoundTargets> {
  const { rows } = await sql<{ id: string }>`
    select credentials.id from credentials join accounts on accounts.id = credentials.id
    where credentials.deleted_at is null and accounts.connection_method = 'SSH'
      and (credentials.id::text = lower(${account}) or lower(credentials.name) = lower(${account})
        or credentials.username = ${account})
      and (${host}::text is null or lower(credentials.host) = lower(${host}))
      and (credentials.safe_id in (select safe_id from ${effectivePermissionsOf(actor)} standing)
        or credentials.id in (select account_id from ${grants.grantsInForce(actor)} granted))
    order by (credentials.id::text = lower(${account}) or lower(credentials.name) = lower(${account})) desc,
      credentials.name, credentials.id
    limit ${MOST_TARGETS}`.execute(db);
  const ids = rows.map(({ id }) => id);
  const shown = await showAccounts(db, actor, ids, grants.grantsInForce);
  const exact = shown.filter((row) => row.id === account.toLowerCase() || isNamed(row, account));
  // The name of an account takes precedence over the same user name on other targets.
  const matching = (exact.length > 0 ? exact : shown).toSorted((one, other) => one.name.localeCompare(other.name));
  return {
    usable: matching.filter((row) => verdictOf(row) === "allowed"),
    unusable: matching.filter((row) => verdictOf(row) !== "allowed"),
  };
}

const isNamed = ({ name }: ShownRow, typed: string): boolean => name.toLowerCase() === typed.toLowerCase();

const verdictOf = (row: ShownRow) =>
  decideAccess("use", {
    permissions: row.permissions,
    safeStatus: row.safe_status,
    accountStatus: row.status,
    approvals: row.approvals,
    isGranted: row.grant_id !== null,
  });
