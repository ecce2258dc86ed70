// One query for each figure that several pages show. `FIGURES` in the contract defines the figures.
import { FAILING_STATUSES, VERIFICATION_STATUSES } from "@strongroom/contract";
import type { VerificationStatus, VerificationStatusFilter } from "@strongroom/contract";
import { sql } from "kysely";
import { isFailingRow, verificationStatusColumn } from "#features/secrets/index.ts";
import type { Db } from "#kernel/db/database.ts";
import { complianceRules, isCompliant, withRules } from "./compliance.store.ts";
import type { Compliance } from "./compliance.store.ts";
import { isVisibleSecret, visibleSecrets, visibleRows, severity, withAccount } from "./visible-secrets.store.ts";
import type { GrantQueries, Viewer } from "./visible-secrets.store.ts";

/** The number of secrets in each status; `failed` counts all failing secrets, `total` all secrets. */
export type ValidationCounts = Record<VerificationStatusFilter | "total", number>;

export async function readValidationCounts(db: Db, actor: Viewer, grants: GrantQueries): Promise<ValidationCounts> {
  const { rows } = await sql<{ status: VerificationStatus; count: number }>`
    with ${visibleSecrets(actor, grants)}
    select ${verificationStatusColumn} as status, count(*)::integer as count
    from ${visibleRows(actor, sql`verification_status, verify_after`)} credentials
    group by 1`.execute(db);
  const counts = new Map(rows.map(({ status, count }) => [status, count]));
  const of = (status: VerificationStatus) => counts.get(status) ?? 0;
  const sum = (statuses: readonly VerificationStatus[]) => statuses.reduce((all, status) => all + of(status), 0);
  return {
    verified: of("verified"),
    rejected: of("rejected"),
    unreachable: of("unreachable"),
    misconfigured: of("misconfigured"),
    pending: of("pending"),
    untested: of("untested"),
    failed: sum(FAILING_STATUSES),
    total: sum(VERIFICATION_STATUSES),
  };
}

/** Failing secrets by severity. */
export async function countFailing(db: Db, actor: Viewer, grants: GrantQueries): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ severity: string; count: number }>`
    with ${visibleSecrets(actor, grants)}
    select ${severity} as severity, count(*)::integer as count
    from credentials ${withAccount}
    where ${isFailingRow} and ${isVisibleSecret(actor)}
    group by 1`.execute(db);
  return new Map(rows.map((row) => [row.severity, row.count]));
}

/** Counts the secrets that a user sees, and those verified within their interval and rotated in time. */
export async function readCompliance(db: Db, actor: Viewer, grants: GrantQueries, now: Date): Promise<Compliance> {
  const columns = sql`credentials.id, credentials.verification_status, credentials.verified_at`;
  const { rows } = await sql<Compliance>`
    with ${visibleSecrets(actor, grants)}, ${complianceRules(now)}
    select count(*)::integer as total, (count(*) filter (where ${isCompliant(now)}))::integer as compliant
    from ${visibleRows(actor, columns)} credentials
    left join accounts on accounts.id = credentials.id
    ${withRules}`.execute(db);
  return rows[0]!;
}
