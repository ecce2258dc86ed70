// Finds the audience, interval and audit event of a secret's verification, which depend on its owner.
import type { RawBuilder } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Audience } from "#kernel/events/audience.ts";
import { VERIFY_EVERY_MS } from "./verification.ts";
import type { AttemptRow } from "./verification.store.ts";

/**
 * The facts about accounts that verification needs. In all other respects, accounts are treated like personal
 * credentials.
 */
export interface AccountsOfSafes {
  /**
   * Returns the users who may see the account, and the platform's verification interval in milliseconds (null: no
   * automatic verification).
   */
  factsOf(db: Db, accountId: string): Promise<{ audience: Audience; verifyEveryMs: number | null } | null>;
  /** Whether the stored secret of the account is only a placeholder, because nobody knows its password. */
  isPasswordUnknown(db: Db, accountId: string): Promise<boolean>;
  /** Returns the audience of each account in one query; deleted accounts are missing. */
  audiencesOf(db: Db, accountIds: readonly string[]): Promise<Map<string, Audience>>;
  /** A query for the ids of the accounts that this user may verify. */
  verifiableBy(actor: Pick<Actor, "id" | "role">): RawBuilder<unknown>;
}

export interface Owner {
  audience: Audience;
  verifyEveryMs: number | null;
  verifiedEvent: "credential.verified" | "account.validated";
}

const NOBODY: Audience = { users: [] };

export async function ownerOf(
  { accounts }: { accounts: AccountsOfSafes },
  db: Db,
  { user_id, credential_id }: Pick<AttemptRow, "user_id" | "credential_id">,
): Promise<Owner> {
  if (user_id !== null) {
    return { audience: { users: [user_id] }, verifyEveryMs: VERIFY_EVERY_MS, verifiedEvent: "credential.verified" };
  }
  const facts = await accounts.factsOf(db, credential_id);
  return { ...(facts ?? { audience: NOBODY, verifyEveryMs: null }), verifiedEvent: "account.validated" };
}

/** Returns the audience of each row, in the same order. */
export async function audiencesOf(
  { accounts }: { accounts: AccountsOfSafes },
  db: Db,
  rows: readonly Pick<AttemptRow, "user_id" | "credential_id">[],
): Promise<Audience[]> {
  const ids = rows.filter(({ user_id }) => user_id === null).map(({ credential_id }) => credential_id);
  const ofAccounts = ids.length === 0 ? new Map<string, Audience>() : await accounts.audiencesOf(db, ids);
  return rows.map(({ user_id, credential_id }) =>
    user_id === null ? (ofAccounts.get(credential_id) ?? NOBODY) : { users: [user_id] },
  );
}
