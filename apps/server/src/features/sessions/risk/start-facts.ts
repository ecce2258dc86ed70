// The facts that decide the risk of a session at its start, and of an access request before anyone decides on it.
import type { AccessRequestId, ReplyOf, readAccessRequestRisk } from "@strongroom/contract";
import { verificationStatus } from "#features/secrets/index.ts";
import { requestsSeenBy } from "#features/access-requests/index.ts";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { riskLevelOf, startReasons } from "./risk.policy.ts";
import type { StartFacts } from "./risk.policy.ts";

type Sql = RawBuilder<unknown>;

/** The columns `is_production`, `is_first` and `is_unusual_time` of `StartFacts`, beside a row of `platforms`. */
export const startFactsAt = (at: Sql, { userId, accountId }: { userId: Sql; accountId: Sql }): Sql => sql`
  platforms.is_production,
  not exists (
    select from sessions
    where sessions.account_id = ${accountId} and sessions.user_id = ${userId} and sessions.started_at is not null
  ) as is_first,
  session_from_hour is not null and (extract(isodow from ${at} at time zone 'UTC') > 5
    or case when session_from_hour < session_to_hour
      then extract(hour from ${at} at time zone 'UTC') < session_from_hour
        or extract(hour from ${at} at time zone 'UTC') >= session_to_hour
      else extract(hour from ${at} at time zone 'UTC') < session_from_hour
        and extract(hour from ${at} at time zone 'UTC') >= session_to_hour end) as is_unusual_time`;

interface RequestFacts extends StartFacts {
  verification_status: string;
  verify_after: Date | null;
}

/** Null if the user may not see the request, or if it names no account. */
async function findRequestFacts(
  db: Db,
  viewer: Pick<Actor, "id" | "role">,
  id: AccessRequestId,
): Promise<RequestFacts | null> {
  const at = sql`coalesce(request.starts_at, request.asked_start_at, access_time())`;
  const { rows } = await sql<RequestFacts>`
    select request.is_break_glass, credentials.verification_status, credentials.verify_after,
      ${startFactsAt(at, { userId: sql`request.user_id`, accountId: sql`request.account_id` })}
    from ${requestsSeenBy(viewer)} seen
    join access_requests request on request.id = seen.id
    join credentials on credentials.id = request.account_id
    join accounts on accounts.id = request.account_id
    join platforms on platforms.id = accounts.platform_id
    where seen.id = ${id}`.execute(db);
  return rows[0] ?? null;
}

/** The risk of the first session that the request would allow. */
export async function readRequestRisk(
  call: Call<typeof readAccessRequestRisk>,
  db: Db,
): Promise<ReplyOf<typeof readAccessRequestRisk>> {
  const facts = await findRequestFacts(db, call.actor, call.params.id);
  if (facts === null) throw refuse(404, "access-request.not-found", "Access request not found");
  const reasons = startReasons(facts);
  return { level: riskLevelOf(reasons), reasons, account_status: verificationStatus(facts) };
}
