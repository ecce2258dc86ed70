// Derives the verification status of a stored secret: the same rule as a function of a row and in SQL over
// `credentials`.
import { FAILING_STATUSES } from "@strongroom/contract";
import type { VerificationStatus, VerificationStatusFilter } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder, SqlBool } from "kysely";

interface Row {
  /** The stored value, which is never `untested`. */
  verification_status: string;
  verify_after: Date | null;
}

/** The stored status, or `untested` for a pending secret without a scheduled verification. */
export function verificationStatus({ verification_status: stored, verify_after }: Row): VerificationStatus {
  return stored === "pending" && verify_after === null ? "untested" : (stored as VerificationStatus);
}

const failing = sql.join(FAILING_STATUSES.map((status) => sql.lit(status)));

/** The condition of the partial indexes over failing secrets. */
export const isFailingRow = sql<SqlBool>`credentials.verification_status in (${failing})`;

/** `verificationStatus` in SQL. */
export const verificationStatusColumn = sql<VerificationStatus>`case
    when credentials.verification_status = 'pending' and credentials.verify_after is null then 'untested'
    else credentials.verification_status end`;

/** The cause of a failing row: its code, or its status if the failure has no code. */
export const causeColumn = sql<string>`coalesce(credentials.verification_code, credentials.verification_status)`;

/** The SQL condition for the rows that a filter selects. */
export function hasVerificationStatus(status: VerificationStatusFilter): RawBuilder<SqlBool> {
  if (status === "failed") return isFailingRow;
  if (status === "pending" || status === "untested") {
    const isUntested = sql.lit(status === "untested");
    return sql`(credentials.verification_status = 'pending' and (credentials.verify_after is null) = ${isUntested})`;
  }
  return sql`credentials.verification_status = ${sql.lit(status)}`;
}
