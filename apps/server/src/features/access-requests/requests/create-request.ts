// Creates access requests: for an account, in free text, or as emergency access without approval.
import { readAccessTime } from "#kernel/db/access-time.ts";
import type { AccessRequest, breakGlass, createAccessRequest } from "@strongroom/contract";
import { namesOf } from "#features/safes/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import { MINUTE, approvalsRequired, needsApproval, riskOf } from "../access-requests.policy.ts";
import type { ApprovalRequirements } from "../access-requests.policy.ts";
import { finishChange } from "../access-requests.ts";
import type { AccessRequestContext } from "../access-requests.ts";
import { insertRequest, insertRound, readFreeTextRequests, safeOfAccount } from "../access-requests.store.ts";
import { raiseAlarm } from "../emergency/alarm.ts";
import { lockOwnUser, lockSafeAndAccount } from "../lock-request.ts";
import { readRequestable } from "./requestable.store.ts";
import type { RequestableRow } from "./requestable.store.ts";

const MOST_AHEAD = 30 * 24 * 60 * MINUTE;
/** Clocks differ, so a start up to this far in the past counts as now. */
const TOLERANCE = MINUTE;

interface Order {
  requesterId: string;
  accountId: string | null;
  resource: string;
  system: string | null;
  reason: string;
  ticket: string | null;
  minutes: number;
  askedStart: Date | null;
  isBreakGlass: boolean;
  demands: ApprovalRequirements;
  now: Date;
}

export async function createRequest(
  context: AccessRequestContext,
  call: Call<typeof createAccessRequest>,
  tx: Tx,
): Promise<AccessRequest> {
  const { actor, body } = call;
  await lockOwnUser(tx, actor, "alone");
  const account = body.account_id === undefined ? null : await lockRequestedAccount(tx, call, body.account_id);
  const now = await readAccessTime(tx);
  if (account === null) await requireFewInText(tx, actor.id, body, now);
  if (account !== null) requireFits(account, { minutes: body.durationMinutes, ticket: body.ticket });
  const demands =
    account === null ? { level_1: 1, level_2: 0 } : approvalsRequired(account, namesOf(account.permissions));
  const id = await store(context, tx, {
    requesterId: actor.id,
    accountId: account?.account_id ?? null,
    resource: account?.name ?? body.resource,
    system: body.system,
    reason: body.reason,
    ticket: body.ticket,
    minutes: body.durationMinutes,
    askedStart: beginningOf(body.starts_at, now),
    isBreakGlass: false,
    demands,
    now,
  });
  const isGranted = !needsApproval(demands);
  return finishChange(context, tx, call, id, isGranted ? "granted" : "created", { is_granted: isGranted });
}

/**
 * INVARIANT: emergency access is granted only to members of permitted groups, only for an account that they can see,
 * and for at most the platform's default duration; the alarm is part of the same transaction.
 */
export async function grantEmergencyAccess(
  context: AccessRequestContext,
  call: Call<typeof breakGlass>,
  tx: Tx,
): Promise<AccessRequest> {
  const { actor, body } = call;
  await lockOwnUser(tx, actor, "alone");
  const account = await lockRequestedAccount(tx, call, body.account_id);
  if (!account.may_break_glass) {
    throw refuse(403, "access-request.no-break-glass", "You are not in a group that can use emergency access.");
  }
  requireFits(account, { minutes: 0, ticket: body.ticket });
  const id = await store(context, tx, {
    requesterId: actor.id,
    accountId: account.account_id,
    resource: account.name,
    system: null,
    reason: body.reason,
    ticket: body.ticket,
    minutes: Math.min(body.durationMinutes, account.default_duration_minutes),
    askedStart: null,
    isBreakGlass: true,
    demands: { level_1: 0, level_2: 0 },
    now: await readAccessTime(tx),
  });
  const opened = await finishChange(context, tx, call, id, "broken-glass");
  call.note({ result: "warning" });
  await raiseAlarm(context, tx, id);
  return opened;
}

/**
 * Limits on a user's pending free-text requests and on those created within a day, because each one notifies every
 * approver.
 */
const MOST_PENDING_IN_TEXT = 10;
const MOST_IN_TEXT_A_DAY = 50;

/**
 * Throws 409 for a duplicate request and 429 for too many requests. The lock on the user serializes calls by the same
 * user.
 */
async function requireFewInText(
  tx: Tx,
  requester: string,
  { resource, system }: { resource: string; system: string | null },
  now: Date,
): Promise<void> {
  const asked = await readFreeTextRequests(tx, requester, { resource, system });
  if (asked.is_same_pending) {
    const message = "You already have a pending request for this. Open that request, or wait for a decision.";
    throw refuse(409, "access-request.already-open", message);
  }
  if (asked.pending >= MOST_PENDING_IN_TEXT) {
    const message = `You have ${MOST_PENDING_IN_TEXT} pending requests. Cancel one, or wait for a decision.`;
    throw refuse(429, "access-request.too-many", message, { retryAfter: 3600 });
  }
  if (asked.within_a_day < MOST_IN_TEXT_A_DAY) return;
  const freeAt = asked.oldest_within_a_day.getTime() + 24 * 60 * MINUTE;
  const retryAfter = Math.max(1, Math.ceil((freeAt - now.getTime()) / 1000));
  const message = `You have made ${MOST_IN_TEXT_A_DAY} requests in the last 24 hours. Try again later.`;
  throw refuse(429, "access-request.too-many", message, { retryAfter });
}

/** Locks the requested account. Throws 404 if there is no such active account that the user can see. */
export async function lockRequestedAccount(
  tx: Tx,
  call: Pick<Call, "actor" | "note">,
  accountId: string,
): Promise<RequestableRow> {
  call.note({ target: { type: "account", id: accountId } });
  await lockSafeAndAccount(tx, { account_id: accountId, safe_id: await safeOfAccount(tx, accountId) });
  const account = await readRequestable(tx, call.actor, accountId);
  if (account === null) throw refuse(404, "account.not-found", "Account not found");
  return account;
}

/** Throws 422 if the duration exceeds the platform's maximum or a required ticket is missing. */
function requireFits(account: RequestableRow, { minutes, ticket }: { minutes: number; ticket: string | null }): void {
  if (minutes > account.max_duration_minutes) {
    throw durationTooLong(
      "durationMinutes",
      `Access to this account is limited to ${account.max_duration_minutes} minutes.`,
    );
  }
  if (account.ticket_required && ticket === null) {
    const msg = "The platform of this account requires a ticket.";
    throw refuse(422, "account.ticket-required", msg, { errors: [{ path: "ticket", msg }] });
  }
}

export const durationTooLong = (path: string, msg: string): Refusal =>
  refuse(422, "access-request.too-long", msg, { errors: [{ path, msg }] });

/**
 * The requested start; null means as soon as the request is granted. Throws 400 for a start in the past or too far
 * ahead.
 */
function beginningOf(asked: string | undefined, now: Date): Date | null {
  if (asked === undefined) return null;
  const ahead = new Date(asked).getTime() - now.getTime();
  if (ahead < -TOLERANCE || ahead > MOST_AHEAD) {
    const msg = ahead < 0 ? "The start must not be in the past" : "The start must be within the next 30 days";
    throw refuse(400, "request.invalid", msg, { errors: [{ path: "starts_at", msg }] });
  }
  return ahead <= 0 ? null : new Date(asked);
}

/**
 * Inserts the request and its first round, and grants it immediately if no approval is needed. Throws 409 if the user
 * already has an open request for the account.
 */
async function store({ kernel }: AccessRequestContext, tx: Tx, order: Order): Promise<string> {
  const { now, minutes, demands } = order;
  const createdAt = kernel.clock.now();
  const id = newId(createdAt.getTime());
  const isGranted = !needsApproval(demands);
  const isNew = await insertRequest(tx, {
    id,
    user_id: order.requesterId,
    account_id: order.accountId,
    resource: order.resource,
    system: order.system,
    reason: order.reason,
    ticket: order.ticket,
    duration_minutes: minutes,
    asked_start_at: order.askedStart,
    is_break_glass: order.isBreakGlass,
    risk_level: riskOf(order.isBreakGlass),
    created_at: createdAt,
    ...(isGranted ? grantNow(order.askedStart, minutes, now) : { state: "pending" as const }),
  });
  if (!isNew) {
    const message = "You already have an open request for this account. Open that request, or extend it.";
    throw refuse(409, "access-request.already-open", message);
  }
  const decided = isGranted ? ({ state: "approved", decided_at: now } as const) : ({ state: "pending" } as const);
  await insertRound(tx, { request_id: id, round: 0, minutes, ...demands, asked_at: now, ...decided });
  return id;
}

/** The column changes that grant a request now. A requested start in the future is kept. */
export function grantNow(askedStart: Date | null, minutes: number, now: Date) {
  const startsAt = askedStart !== null && askedStart > now ? askedStart : now;
  return {
    state: "granted" as const,
    starts_at: startsAt,
    ends_at: new Date(startsAt.getTime() + minutes * MINUTE),
    is_start_announced: startsAt <= now,
  };
}
