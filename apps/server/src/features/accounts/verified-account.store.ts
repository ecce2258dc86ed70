// Answers the verification engine's questions about accounts: event audience, interval, and which accounts a user may
// verify.
import { sql } from "kysely";
import { named } from "#kernel/db/named.ts";
import type { Audience } from "#kernel/events/audience.ts";
import { bitOf, effectivePermissionsOf } from "#features/safes/index.ts";
import type { AccountsOfSafes } from "#features/verification/index.ts";
import { audienceOf, audiencesIn } from "./accounts.ts";

const HOUR = 3_600_000;

export const accountsOfSafes: AccountsOfSafes = {
  async factsOf(db, accountId) {
    const row = await db
      .selectFrom("credentials")
      .innerJoin("accounts", "accounts.id", "credentials.id")
      .innerJoin("platforms", "platforms.id", "accounts.platform_id")
      .select(["credentials.safe_id", "platforms.verify_every_hours"])
      .where("credentials.id", "=", accountId)
      .where("credentials.deleted_at", "is", null)
      .executeTakeFirst();
    if (row === undefined || row.safe_id === null) return null;
    const verifyEveryMs = row.verify_every_hours === null ? null : row.verify_every_hours * HOUR;
    return { audience: await audienceOf(db, { id: accountId, safe_id: row.safe_id }), verifyEveryMs };
  },

  async isPasswordUnknown(db, accountId) {
    const query = db.selectFrom("accounts").select("is_password_unknown").where("id", "=", accountId).compile();
    return (await db.executeQuery(named("accounts.is-password-unknown", query))).rows[0]?.is_password_unknown === true;
  },

  async audiencesOf(db, accountIds) {
    const query = db.selectFrom("credentials").select(["id", "safe_id"]).where("id", "in", accountIds);
    const rows = await query.where("safe_id", "is not", null).where("deleted_at", "is", null).execute();
    const found: [string, Audience][] = [];
    for (const [safeId, own] of Map.groupBy(rows, ({ safe_id }) => safe_id!))
      found.push(
        ...(await audiencesIn(
          db,
          safeId,
          own.map(({ id }) => id),
        )),
      );
    return new Map(found);
  },

  verifiableBy: (actor) => sql`(
    select account.id
    from ${effectivePermissionsOf(actor)} mine
    join credentials account on account.safe_id = mine.safe_id and account.deleted_at is null
    where mine.permissions & ${sql.lit(bitOf("manage_secret"))} <> 0)`,
};
