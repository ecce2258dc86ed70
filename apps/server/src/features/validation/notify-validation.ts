// Publishes live events about verifications to users who can see the secret, and notifies those who must act.
import { isFailing } from "@strongroom/contract";
import type { Severity, ValidationUpdate } from "@strongroom/contract";
import type { Tx, Db } from "#kernel/db/database.ts";
import type { NewEvent } from "#kernel/events/events.ts";
import type { SecretRow } from "#features/secrets/index.ts";
import { membersWho, approversOf } from "#features/safes/index.ts";
import type { Begun, Concluded, Remark, VerificationListener } from "#features/verification/index.ts";
import type { ValidationContext } from "./validation.ts";
import { sql } from "kysely";
import { named } from "#kernel/db/named.ts";
import { isInForce } from "#features/access-requests/index.ts";
import { severity, withAccount } from "#features/figures/index.ts";
import { systemType } from "./list-conditions.store.ts";
import { categoryOf, excerptOf, statusOfAttempt, statusOfSecret } from "./validation.policy.ts";

interface Facts {
  system_type: string;
  /** Null when the secret is not failing. */
  severity: Severity | null;
  safe_id: string | null;
  safe_name: string | null;
  /** Active grants, newest first. */
  grants: { session_id: string; session_name: string; user_id: string }[];
}

export const watcherOf = (context: ValidationContext): VerificationListener => ({
  started: (tx, news) => notifyStarted(context, tx, news),
  concluded: (tx, news) => notifyConcluded(context, tx, news),
});

const LONGEST_MESSAGE = 300;

const NOTHING: Omit<ValidationUpdate, "account_id" | "is_account" | "account_name"> = {
  system_type: null,
  status: null,
  error_message: null,
  error_category: null,
  severity: null,
  session_id: null,
  asked_by: null,
  statistics: null,
};

/** VAL-65: notifies only the user who requested the verification and is waiting for it. */
async function notifyStarted({ kernel }: ValidationContext, tx: Tx, { attempt, askedBy }: Begun): Promise<void> {
  const data = { ...NOTHING, ...subjectOf(attempt), status: "pending", asked_by: askedBy };
  await kernel.events.publish(tx, { type: "validation_started", audience: { users: [askedBy] }, data });
}

/** VAL-45. If the secret changed in the meantime, the event contains only the attempt's result. */
async function notifyConcluded(context: ValidationContext, tx: Tx, news: Concluded): Promise<Remark | null> {
  const { attempt, askedBy, before, after, owner } = news;
  const { audience } = owner;
  const status = statusOfAttempt(attempt);
  const isFailed = isFailing(status) && attempt.outcome !== null;
  const known = after === null ? null : await readFacts(tx, after.id);
  const facts = isFailed ? known : null;
  const data = {
    ...NOTHING,
    ...subjectOf(attempt),
    system_type: facts?.system_type ?? attempt.type,
    status,
    error_message: isFailed ? excerptOf(attempt.message ?? "", LONGEST_MESSAGE) : null,
    error_category: isFailed && attempt.outcome !== null ? categoryOf(attempt.outcome, attempt.code) : null,
    severity: facts?.severity ?? null,
    asked_by: askedBy,
  };
  const events: NewEvent[] = [{ type: isFailed ? "validation_failed" : "validation_completed", audience, data }];
  if (facts?.severity === "critical") events.push({ type: "critical_failure", audience, data });
  if (facts !== null && facts.grants.length > 0) events.push(...(await aboutGrants(tx, facts, data)));
  const statistics = changeOf(before, after);
  if (statistics !== null) {
    events.push({ type: "statistics_update", audience, data: { ...NOTHING, ...subjectOf(attempt), statistics } });
  }
  await context.kernel.events.publish(tx, ...events);
  if (before !== null && after !== null) await notifyPeople(context, tx, before, after, facts);
  return known === null ? null : remarkOf(known, isFailed);
}

/** AUDIT-13, AUDIT-14, AUDIT-16: the severity of a failure, the system type and the active grant. */
function remarkOf({ severity, system_type, grants }: Facts, isFailed: boolean): Remark {
  const [grant] = grants;
  const details: Remark["details"] =
    grant === undefined
      ? { system_type }
      : { system_type, request: grant.session_id, session_name: grant.session_name };
  return { severity: isFailed ? severity : null, details };
}

/** Notifies once when a secret starts to fail or its host presents a different key, and again when it works. */
async function notifyPeople(
  context: ValidationContext,
  tx: Tx,
  before: SecretRow,
  after: SecretRow,
  facts: Facts | null,
): Promise<void> {
  const wasFailing = isFailing(before.verification_status);
  const isNewAlarm = before.offered_host_key === null && after.offered_host_key !== null;
  if (facts !== null && isFailing(after.verification_status) && (!wasFailing || isNewAlarm))
    await notifyFailure(context, tx, after, facts);
  if (wasFailing && after.verification_status === "verified") await notifySuccess(context, tx, after);
}

const subjectOf = ({ credential_id, user_id, credential_name }: Begun["attempt"]) => ({
  account_id: credential_id,
  is_account: user_id === null,
  account_name: credential_name,
});

/** VAL-69: for users who can see the grant. */
async function aboutGrants(tx: Tx, { grants, safe_id }: Facts, data: Record<string, unknown>): Promise<NewEvent[]> {
  if (safe_id === null) return [];
  const approvers = (await approversOf(tx, [safe_id])).get(safe_id)?.all ?? [];
  return grants.map(({ session_id, user_id }) => ({
    type: "jit_verification_status",
    audience: { users: [...new Set([user_id, ...approvers])], roles: ["admin"] },
    data: { ...data, session_id },
  }));
}

/** How the figures change for all users who can see the secret; null if they do not change. */
function changeOf(before: SecretRow | null, after: SecretRow | null): ValidationUpdate["statistics"] {
  if (before === null || after === null) return null;
  const [was, is] = [statusOfSecret(before), statusOfSecret(after)];
  if (was === is) return null;
  const failed = Number(isFailing(is)) - Number(isFailing(was));
  const none = { verified: 0, failed, rejected: 0, unreachable: 0, misconfigured: 0, pending: 0, never_validated: 0 };
  return { ...none, [was]: -1, [is]: 1 };
}

/** Groups the notifications by safe. */
async function notifyFailure({ notify }: ValidationContext, tx: Tx, row: SecretRow, facts: Facts): Promise<void> {
  const { id, name, user_id, verification_error } = row;
  const severity: Severity = facts.severity ?? "medium";
  const isCritical = severity === "critical";
  const where = user_id === null ? `the safe "${facts.safe_name}"` : "your vault";
  const known = {
    title: `${isCritical ? "Critical: validation" : "Validation"} failed for "${name}"`,
    message: excerptOf(verification_error ?? "Unknown error", LONGEST_MESSAGE),
    severity,
    actionRequired: true,
    metadata: { ...about(row), system_type: facts.system_type },
    link: linkOf(row),
  };
  await notify(tx, {
    ...known,
    to: { users: await secretManagersOf(tx, row), ...(isCritical && user_id === null ? { roles: ["admin"] } : {}) },
    type: isCritical ? "critical_failure" : "validation_failure",
    fold: {
      key: `failing:${facts.safe_id ?? user_id}`,
      title: `{n} ${isCritical ? "critical failures" : "validations failed"} in ${where}`,
      subject: { key: id, name },
    },
  });
  const grantHolders = [...new Set(facts.grants.map((grant) => grant.user_id))];
  await notify(tx, {
    ...known,
    to: { users: grantHolders },
    type: "jit_alert",
    title: `"${name}", which you have access to, does not work`,
    actionRequired: false,
    dedupeKey: `lent:${id}`,
  });
}

async function notifySuccess({ notify }: ValidationContext, tx: Tx, row: SecretRow): Promise<void> {
  await notify(tx, {
    to: { users: await secretManagersOf(tx, row) },
    type: "validation_success",
    title: `Account validation successful: ${row.name}`,
    message: "The stored secret works again.",
    severity: "low",
    actionRequired: false,
    metadata: about(row),
    link: linkOf(row),
    dedupeKey: `works:${row.id}`,
  });
}

/** The users who may both validate and change the secret. */
const secretManagersOf = async (tx: Tx, { user_id, safe_id }: SecretRow): Promise<string[]> =>
  safe_id === null ? (user_id === null ? [] : [user_id]) : membersWho(tx, safe_id, "manage_secret");

const about = ({ id, name, user_id }: SecretRow) => ({
  account_id: id,
  account_name: name,
  account_is_shared: user_id === null,
});

const linkOf = ({ id, user_id }: SecretRow): string => (user_id === null ? `/accounts/${id}` : `/vault/${id}`);

/** Null if the credential was deleted. */
async function readFacts(db: Db, id: string): Promise<Facts | null> {
  const query = sql<Facts>`
    select ${systemType} as system_type, ${severity} as severity, credentials.safe_id, safes.name as safe_name,
      (select coalesce(jsonb_agg(jsonb_build_object('session_id', id, 'session_name', resource, 'user_id', user_id)
         order by created_at desc, id desc), '[]')
       from access_requests request where account_id = credentials.id and ${isInForce(sql`request`)}) as grants
    from credentials ${withAccount}
    where credentials.id = ${id} and credentials.deleted_at is null`.compile(db);
  return (await db.executeQuery(named("validation.facts", query))).rows[0] ?? null;
}
