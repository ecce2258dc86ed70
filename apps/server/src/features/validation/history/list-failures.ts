// Lists the caller's failing secrets, and the active grants with their accounts' status.
import type {
  JitSessionValidation,
  ValidationFailure,
  listJitSessions,
  listValidationFailures,
  readJitSession,
} from "@strongroom/contract";
import type { Db } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { readTimePlace, writeTimePlace } from "#kernel/http/cursor.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { findFailures } from "./failures.store.ts";
import { countSessions, listSessions } from "./jit.store.ts";
import { textOf } from "./list-attempts.ts";
import { toFailure, toSession } from "../validation.ts";
import type { ValidationContext } from "../validation.ts";

const EPOCH = new Date(0);

/** VAL-36, VAL-37. */
export async function listFailures(
  { grants }: ValidationContext,
  { actor, query }: Call<typeof listValidationFailures>,
  db: Db,
): Promise<{
  failures: ValidationFailure[];
  total: number;
  by_severity: Record<ValidationFailure["severity"], number>;
  next_cursor: string | null;
}> {
  const { limit, cursor, search, system, severity = null, status = null, since } = query;
  const after = cursor === undefined ? null : readTimePlace(cursor);
  const from = since === undefined ? null : new Date(since);
  const wish = {
    actor,
    grants,
    text: textOf(search),
    system: system ?? null,
    severity,
    status,
    since: from,
    limit,
    after,
  };
  const { rows, bySeverity } = await findFailures(db, wish);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const total = Object.values(bySeverity).reduce((sum, count) => sum + count, 0);
  return {
    failures: shown.map(toFailure),
    total: severity === null ? total : bySeverity[severity],
    by_severity: bySeverity,
    next_cursor:
      last === undefined ? null : writeTimePlace({ at: last.last_verification_attempt ?? EPOCH, id: last.id }),
  };
}

/** VAL-38 to VAL-41. */
export async function listActiveAccess(
  { grants }: ValidationContext,
  { actor, query }: Call<typeof listJitSessions>,
  db: Db,
) {
  const { limit, cursor, has_validation_issues } = query;
  const hasIssues = has_validation_issues ?? null;
  const after = cursor === undefined ? null : readTimePlace(cursor);
  const [rows, { active, with_issues }] = await Promise.all([
    listSessions(db, actor, grants, { hasIssues, limit, after, sessionId: null }),
    countSessions(db, actor, grants),
  ]);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    sessions: shown.map(toSession),
    total: hasIssues === null ? active : hasIssues ? with_issues : active - with_issues,
    with_issues,
    next_cursor: last === undefined ? null : writeTimePlace({ at: last.ends_at, id: last.session_id }),
  };
}

export async function readActiveAccess(
  { grants }: ValidationContext,
  { actor, params }: Call<typeof readJitSession>,
  db: Db,
): Promise<JitSessionValidation> {
  const query = { hasIssues: null, limit: 1, after: null, sessionId: params.id };
  const [row] = await listSessions(db, actor, grants, query);
  if (row === undefined) throw refuse(404, "access-request.not-found", "There is no active grant with this id.");
  return toSession(row);
}
