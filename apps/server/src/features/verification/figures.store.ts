// Figures on what is verified and what is not, over the credentials of one person.
import { sql } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import { isUsableBy } from "#features/credentials/index.ts";

type Who = Pick<Actor, "id">;

export interface Standing {
  total: number;
  verified: number;
  failed: number;
  /** Stored and not known to work; `neverTried` is part of it. */
  pending: number;
  neverTried: number;
  /** Verified, and that since the given time. */
  verifiedSince: number;
}

/** Read from one index, without the rows, and counted in its order: at 100,000 credentials the counting is what costs. */
export async function readStanding(db: Db, actor: Who, since: Date): Promise<Standing> {
  const rows = await db
    .selectFrom("credentials")
    .where(isUsableBy(actor))
    .groupBy("verification_status")
    .select([
      "verification_status as status",
      sql<number>`count(*)`.as("all"),
      sql<number>`count(last_verification_attempt)`.as("tried"),
      sql<number>`count(*) filter (where verified_at >= ${since})`.as("verifiedSince"),
    ])
    .execute();
  const of = (status: string) => rows.find((row) => row.status === status) ?? { all: 0, tried: 0, verifiedSince: 0 };
  const [verified, pending] = [of("verified"), of("pending")];
  return {
    total: rows.reduce((sum, row) => sum + row.all, 0),
    verified: verified.all,
    failed: of("failed").all,
    pending: pending.all,
    neverTried: pending.all - pending.tried,
    verifiedSince: verified.verifiedSince,
  };
}

export interface Failing {
  id: string;
  name: string;
  message: string | null;
  attemptedAt: Date | null;
  isAlarm: boolean;
  /** The target said no, so the stored secret is wrong. */
  isRejected: boolean;
}

/** What needs a person: alarms, then rejected secrets, then what could not be tried; each newest first. */
export async function listFailing(db: Db, actor: Who, limit: number): Promise<Failing[]> {
  return await db
    .selectFrom("credentials")
    .where(isUsableBy(actor))
    .where("verification_status", "=", "failed")
    .select([
      "id",
      "name",
      "verification_error as message",
      "last_verification_attempt as attemptedAt",
      sql<boolean>`offered_host_key is not null`.as("isAlarm"),
      sql<boolean>`rejected_revision is not distinct from login_revision`.as("isRejected"),
    ])
    .orderBy("isAlarm", "desc")
    .orderBy("isRejected", "desc")
    .orderBy("last_verification_attempt", "desc")
    .limit(limit)
    .execute();
}

export interface Ending {
  id: string;
  name: string;
  expiresAt: Date;
}

/** Secrets that end to be valid before then, soonest first. */
export async function listEnding(db: Db, actor: Who, before: Date, limit: number): Promise<Ending[]> {
  return await db
    .selectFrom("credentials")
    .where(isUsableBy(actor))
    .where("expires_at", "<", before)
    .select(["id", "name", sql<Date>`expires_at`.as("expiresAt")])
    .orderBy("expires_at")
    .limit(limit)
    .execute();
}
