// Whose secret is tried: who hears of the result, how often it is verified by itself, and what the trail calls that.
import type { RawBuilder } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Audience } from "#kernel/events/audience.ts";
import type { Site } from "./site.ts";
import { VERIFY_EVERY_MS } from "./verification.ts";
import type { AttemptRow } from "./verification.store.ts";

/** What the engine asks about accounts; everything else of them is the same as of a person's credential. */
export interface AccountsOfSafes {
  /** Who sees an account, and how often its platform has it verified in milliseconds (null: never by itself). */
  factsOf(db: Db, accountId: string): Promise<{ audience: Audience; verifyEveryMs: number | null } | null>;
  /** Who sees each of these accounts, in one go; those that are gone are missing. */
  audiencesOf(db: Db, accountIds: readonly string[]): Promise<Map<string, Audience>>;
  /** A query for the ids of the accounts that this person may have verified. */
  verifiableBy(actor: Pick<Actor, "id" | "role">): RawBuilder<unknown>;
}

export interface Owner {
  audience: Audience;
  verifyEveryMs: number | null;
  verifiedEvent: "credential.verified" | "account.validated";
}

const NOBODY: Audience = { users: [] };

export async function ownerOf(
  { accounts }: Pick<Site, "accounts">,
  db: Db,
  { user_id, credential_id }: Pick<AttemptRow, "user_id" | "credential_id">,
): Promise<Owner> {
  if (user_id !== null) {
    return { audience: { users: [user_id] }, verifyEveryMs: VERIFY_EVERY_MS, verifiedEvent: "credential.verified" };
  }
  const facts = await accounts.factsOf(db, credential_id);
  return { ...(facts ?? { audience: NOBODY, verifyEveryMs: null }), verifiedEvent: "account.validated" };
}

/** Who hears of each of these, in the same order. */
export async function audiencesOf(
  { accounts }: Pick<Site, "accounts">,
  db: Db,
  rows: readonly Pick<AttemptRow, "user_id" | "credential_id">[],
): Promise<Audience[]> {
  const ids = rows.filter(({ user_id }) => user_id === null).map(({ credential_id }) => credential_id);
  const ofAccounts = ids.length === 0 ? new Map<string, Audience>() : await accounts.audiencesOf(db, ids);
  return rows.map(({ user_id, credential_id }) =>
    user_id === null ? (ofAccounts.get(credential_id) ?? NOBODY) : { users: [user_id] },
  );
}
