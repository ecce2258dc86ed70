// Tells of validations as they happen: live events to those who see it, notifications to those who have to do something.
import type { Severity, ValidationNews, ValidationStatus } from "@strongroom/contract";
import type { Tx } from "#kernel/db/database.ts";
import type { NewEvent } from "#kernel/events/events.ts";
import type { CredentialRow } from "#features/credentials/index.ts";
import { membersWho, overseersOf } from "#features/safes/index.ts";
import type { Begun, Concluded, Remark, Watcher } from "#features/verification/index.ts";
import { readFacts } from "./news.store.ts";
import type { Facts } from "./news.store.ts";
import type { Site } from "./validation.ts";
import { categoryOf, statusOfAttempt, statusOfSecret } from "./validation.policy.ts";

export const watcherOf = (site: Site): Watcher => ({
  begun: (tx, news) => tellBegun(site, tx, news),
  concluded: (tx, news) => tellConcluded(site, tx, news),
});

const LONGEST_MESSAGE = 300;

const NOTHING: Omit<ValidationNews, "account_id" | "is_account" | "account_name"> = {
  system_type: null,
  status: null,
  error_message: null,
  error_category: null,
  severity: null,
  session_id: null,
  asked_by: null,
  statistics: null,
};

/** VAL-65: only to whoever asked for it and waits. */
async function tellBegun({ kernel }: Site, tx: Tx, { attempt, askedBy }: Begun): Promise<void> {
  const data = { ...NOTHING, ...subjectOf(attempt), status: "pending", asked_by: askedBy };
  await kernel.events.publish(tx, { type: "validation_started", audience: { users: [askedBy] }, data });
}

/** VAL-45. What changed meanwhile is told as it ended, and says nothing of how it stands. */
async function tellConcluded(site: Site, tx: Tx, news: Concluded): Promise<Remark | null> {
  const { attempt, askedBy, before, after, owner } = news;
  const { audience } = owner;
  const status = statusOfAttempt(attempt.outcome);
  const isFailed = status === "failed" && attempt.outcome !== null;
  const known = after === null ? null : await readFacts(tx, after.id);
  const facts = isFailed ? known : null;
  const data = {
    ...NOTHING,
    ...subjectOf(attempt),
    system_type: facts?.system_type ?? attempt.type,
    status,
    error_message: isFailed ? (attempt.message ?? "").slice(0, LONGEST_MESSAGE) : null,
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
  await site.kernel.events.publish(tx, ...events);
  if (before !== null && after !== null) await notifyPeople(site, tx, before, after, facts);
  return known === null ? null : remarkOf(known, isFailed);
}

/** AUDIT-13, AUDIT-14, AUDIT-16: how grave a failure is, what kind of system it is, and under which grant it is lent. */
function remarkOf({ severity, system_type, grants }: Facts, isFailed: boolean): Remark {
  const [grant] = grants;
  const details: Remark["details"] =
    grant === undefined
      ? { system_type }
      : { system_type, request: grant.session_id, session_name: grant.session_name };
  return { severity: isFailed ? severity : null, details };
}

/** Once for each time that it begins to fail, or to show another host key, and when it works again. */
async function notifyPeople(
  site: Site,
  tx: Tx,
  before: CredentialRow,
  after: CredentialRow,
  facts: Facts | null,
): Promise<void> {
  const [was, is] = [before.verification_status, after.verification_status];
  const isNewAlarm = before.offered_host_key === null && after.offered_host_key !== null;
  if (facts !== null && is === "failed" && (was !== "failed" || isNewAlarm))
    await notifyFailure(site, tx, after, facts);
  if (was === "failed" && is === "verified") await notifySuccess(site, tx, after);
}

const subjectOf = ({ credential_id, user_id, credential_name }: Begun["attempt"]) => ({
  account_id: credential_id,
  is_account: user_id === null,
  account_name: credential_name,
});

/** VAL-69, to those who see the grant. */
async function aboutGrants(tx: Tx, { grants, safe_id }: Facts, data: Record<string, unknown>): Promise<NewEvent[]> {
  if (safe_id === null) return [];
  const overseers = (await overseersOf(tx, [safe_id])).get(safe_id)?.all ?? [];
  return grants.map(({ session_id, user_id }) => ({
    type: "jit_verification_status",
    audience: { users: [...new Set([user_id, ...overseers])], roles: ["admin"] },
    data: { ...data, session_id },
  }));
}

/** How the figures of everybody who sees it change; null: not at all. */
function changeOf(before: CredentialRow | null, after: CredentialRow | null): Record<ValidationStatus, number> | null {
  if (before === null || after === null) return null;
  const [was, is] = [statusOfSecret(before), statusOfSecret(after)] as [ValidationStatus, ValidationStatus];
  if (was === is) return null;
  return { verified: 0, failed: 0, pending: 0, never_validated: 0, [was]: -1, [is]: 1 };
}

/** Folded by safe. */
async function notifyFailure({ notify }: Site, tx: Tx, row: CredentialRow, facts: Facts): Promise<void> {
  const { id, name, user_id, verification_error } = row;
  const severity: Severity = facts.severity ?? "medium";
  const isCritical = severity === "critical";
  const where = user_id === null ? `the safe "${facts.safe_name}"` : "your vault";
  const known = {
    title: `${isCritical ? "Critical: validation" : "Validation"} failed for "${name}"`,
    message: (verification_error ?? "Unknown error").slice(0, LONGEST_MESSAGE),
    severity,
    actionRequired: true,
    metadata: { ...about(row), system_type: facts.system_type },
    link: linkOf(row),
  };
  await notify(tx, {
    ...known,
    to: { users: await keepersOf(tx, row), ...(isCritical && user_id === null ? { roles: ["admin"] } : {}) },
    type: isCritical ? "critical_failure" : "validation_failure",
    fold: {
      key: `failing:${facts.safe_id ?? user_id}`,
      title: `{n} ${isCritical ? "critical failures" : "validations failed"} in ${where}`,
      subject: { key: id, name },
    },
  });
  const borrowers = [...new Set(facts.grants.map((grant) => grant.user_id))];
  await notify(tx, {
    ...known,
    to: { users: borrowers },
    type: "jit_alert",
    title: `"${name}", which is lent to you, does not work`,
    actionRequired: false,
    dedupeKey: `lent:${id}`,
  });
}

async function notifySuccess({ notify }: Site, tx: Tx, row: CredentialRow): Promise<void> {
  await notify(tx, {
    to: { users: await keepersOf(tx, row) },
    type: "validation_success",
    title: `Account validation successful: ${row.name}`,
    message: "It works again.",
    severity: "low",
    actionRequired: false,
    metadata: about(row),
    link: linkOf(row),
    dedupeKey: `works:${row.id}`,
  });
}

/** Whoever may have it validated and changed. */
const keepersOf = async (tx: Tx, { user_id, safe_id }: CredentialRow): Promise<string[]> =>
  safe_id === null ? (user_id === null ? [] : [user_id]) : membersWho(tx, safe_id, "manage_secret");

const about = ({ id, name, user_id }: CredentialRow) => ({
  account_id: id,
  account_name: name,
  account_is_shared: user_id === null,
});

const linkOf = ({ id, user_id }: CredentialRow): string => (user_id === null ? `/accounts/${id}` : `/vault/${id}`);
