// Defines when a secret is compliant: verified within its interval and rotated in time. `FIGURES.complianceScore` is
// the description for users.
import { sql } from "kysely";
import { isRotationOverdue } from "#features/accounts/index.ts";
import { VERIFY_EVERY_MS } from "#features/verification/index.ts";
import type { Sql } from "./visible-secrets.store.ts";

/** A due verification starts within minutes; after this time it counts as missed. */
const GRACE_MS = 3_600_000;
const INTERVAL_OF_VAULTS_MS = VERIFY_EVERY_MS + GRACE_MS;

export interface Compliance {
  total: number;
  compliant: number;
}

/** The common table expression that `withRules` needs: since when a platform's accounts must have been verified. */
export const complianceRules = (now: Date): Sql => sql`
    rules as materialized (
      select id, rotate_every_days, ${now}::timestamptz - make_interval(secs => ${GRACE_MS / 1000})
        - make_interval(hours => verify_every_hours) as verified_since
      from platforms
    )`;

/** The join that `isCompliant` needs in addition to `credentials` and `accounts`. */
export const withRules = sql`left join rules platforms on platforms.id = accounts.platform_id`;

/** A condition on a `credentials` row, never null. */
export const isCompliant = (now: Date): Sql => sql`coalesce(credentials.verification_status = 'verified'
    and case when accounts.id is null
      then credentials.verified_at >= ${new Date(now.getTime() - INTERVAL_OF_VAULTS_MS)}
      else coalesce(credentials.verified_at >= platforms.verified_since, true) and not ${isRotationOverdue} end, false)`;
