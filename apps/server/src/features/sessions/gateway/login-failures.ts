// Limits rejected logins on targets: a rejected secret is not sent again until it has changed or some time has passed.
import { sql } from "kysely";
import type { ShownRow } from "#features/accounts/index.ts";
import { appendAudit } from "#kernel/audit/append.ts";
import { systemEntry } from "#kernel/audit/entry.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import { refuse } from "#kernel/http/refuse.ts";
import { detailsOf, targetOf } from "../session-context.ts";
import type { SessionContext } from "../session-context.ts";
import type { SessionRow } from "../sessions.store.ts";

interface LoginFailuresTable {
  account_id: string;
  /** The version of the secret that was rejected; null for a login by certificate. */
  version: number | null;
  user_id: string;
  failed_at: Date;
}

declare module "#kernel/db/tables.ts" {
  interface Tables {
    session_login_failures: LoginFailuresTable;
  }
}

/** A rejected version of a secret waits this long. */
const COOL_DOWN_MINUTES = 10;
/** Rejected logins of one user, over all accounts, within the same time. */
const MOST_OF_USER = 5;

/** How the gateway logs in on the target. */
export type LoginKind = "secret" | "certificate";

/**
 * INVARIANT: a secret that its target has just rejected is neither opened nor sent. A certificate is new for each login, so
 * only the limit of the user applies to it. Throws a refusal for the user.
 */
export async function requireLoginAllowed(
  tx: Tx,
  account: ShownRow,
  { userId, kind }: { userId: string; kind: LoginKind },
): Promise<void> {
  const version = kind === "secret" ? account.secret_version : null;
  const since = sql`access_time() - make_interval(mins => ${COOL_DOWN_MINUTES})`;
  const { rows } = await sql<{ again: Date | null; of_user: number; user_again: Date | null }>`
    select (select max(failed_at) from session_login_failures
        where account_id = ${account.id} and version = ${version} and failed_at > ${since})
        + make_interval(mins => ${COOL_DOWN_MINUTES}) as again,
      (select count(*)::integer from session_login_failures where user_id = ${userId} and failed_at > ${since}) as of_user,
      (select min(failed_at) from session_login_failures where user_id = ${userId} and failed_at > ${since})
        + make_interval(mins => ${COOL_DOWN_MINUTES}) as user_again`.execute(tx);
  const { again, of_user: ofUser, user_again: userAgain } = rows[0]!;
  if (again !== null) {
    throw refuse(
      409,
      "privileged-session.login-rejected",
      `The target rejected the login of "${account.name}". The gateway tries it again at ${timeOf(again)}, or once the secret has changed. Verify the account to find the cause.`,
    );
  }
  if (ofUser < MOST_OF_USER || userAgain === null) return;
  throw refuse(
    429,
    "privileged-session.login-failures",
    `Targets rejected ${ofUser} of your logins within ${COOL_DOWN_MINUTES} minutes. Try again at ${timeOf(userAgain)}.`,
    { retryAfter: Math.max(1, Math.ceil((Number(userAgain) - Number(account.now)) / 1000)) },
  );
}

const timeOf = (at: Date): string => `${at.toISOString().slice(11, 16)} UTC`;

export interface LoginAttempt {
  session: SessionRow;
  account: ShownRow;
  kind: LoginKind;
}

/** Records a rejected login, and audits it. */
export async function recordLoginFailure(
  { kernel }: SessionContext,
  { session, account, kind }: LoginAttempt,
): Promise<void> {
  const version = kind === "secret" ? account.secret_version : null;
  await kernel.database.transaction(async (tx) => {
    await sql`
      insert into session_login_failures (account_id, version, user_id, failed_at)
      values (${account.id}, ${version}, ${session.user_id}, access_time())`.execute(tx);
    const note = {
      target: targetOf(session),
      result: "failure" as const,
      reason: "privileged-session.login-rejected",
      details: { ...detailsOf(session), ...(version === null ? { login: kind } : { version }) },
    };
    await appendAudit(tx, [systemEntry("privileged-session.login-rejected", "sessions", note, kernel.clock.now())]);
  });
}

/** After a login that worked, the earlier failures no longer matter. */
export async function forgetLoginFailures(db: Db, accountId: string): Promise<void> {
  await db.deleteFrom("session_login_failures").where("account_id", "=", accountId).execute();
}

export async function sweepLoginFailures(db: Db): Promise<void> {
  await sql`delete from session_login_failures where failed_at < access_time() - interval '1 day'`.execute(db);
}
