// Asks for access: to an account, in free text, or in an emergency without waiting for anybody.
import { readAccessTime } from "#kernel/db/access-time.ts";
import type { AccessRequest, breakGlass, createAccessRequest } from "@strongroom/contract";
import { namesOf } from "#features/safes/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Call } from "#kernel/http/call.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import { newId } from "#kernel/id.ts";
import { MINUTE, demandsOf, needsApproval, riskOf } from "./access-requests.policy.ts";
import type { Demands } from "./access-requests.policy.ts";
import { conclude } from "./access-requests.ts";
import type { Site } from "./access-requests.ts";
import { insertRequest, insertRound, readAskedInText, safeOfAccount } from "./access-requests.store.ts";
import { raiseAlarm } from "./alarm.ts";
import { holdOneself, holdPlace } from "./hold-request.ts";
import { readAsked } from "./requestable.store.ts";
import type { AskedAccount } from "./requestable.store.ts";

const MOST_AHEAD = 30 * 24 * 60 * MINUTE;
/** Clocks differ: what was "now" a moment ago is not the past. */
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
  demands: Demands;
  now: Date;
}

export async function createRequest(
  site: Site,
  call: Call<typeof createAccessRequest>,
  tx: Tx,
): Promise<AccessRequest> {
  const { actor, body } = call;
  await holdOneself(tx, actor, "alone");
  const account = body.account_id === undefined ? null : await holdAsked(tx, call, body.account_id);
  const now = await readAccessTime(tx);
  if (account === null) await requireFewInText(tx, actor.id, body, now);
  if (account !== null) requireFits(account, { minutes: body.durationMinutes, ticket: body.ticket });
  const demands = account === null ? { level_1: 1, level_2: 0 } : demandsOf(account, namesOf(account.permissions));
  const id = await store(site, tx, {
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
  return conclude(site, tx, call, id, isGranted ? "granted" : "created", { is_granted: isGranted });
}

/**
 * INVARIANT: emergency access is granted only to people of a group that may, only for an account that they see, for the
 * platform's usual time at most; and the alarm is part of the same transaction.
 */
export async function openInEmergency(site: Site, call: Call<typeof breakGlass>, tx: Tx): Promise<AccessRequest> {
  const { actor, body } = call;
  await holdOneself(tx, actor, "alone");
  const account = await holdAsked(tx, call, body.account_id);
  if (!account.may_break_glass) {
    throw refuse(403, "access-request.no-break-glass", "You are in no group that may open accounts in an emergency.");
  }
  requireFits(account, { minutes: 0, ticket: body.ticket });
  const id = await store(site, tx, {
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
  const opened = await conclude(site, tx, call, id, "broken-glass");
  call.note({ result: "warning" });
  await raiseAlarm(site, tx, id);
  return opened;
}

/** The most requests pending at a time, and the most created within a day: each one notifies every approver. */
const MOST_PENDING_IN_TEXT = 10;
const MOST_IN_TEXT_A_DAY = 50;

/** Throws 409 for the same request in the same words, 429 for too many. Calls by the same person run one after another. */
async function requireFewInText(
  tx: Tx,
  requester: string,
  { resource, system }: { resource: string; system: string | null },
  now: Date,
): Promise<void> {
  const asked = await readAskedInText(tx, requester, { resource, system });
  if (asked.is_same_pending) {
    const message = "You have asked for this already. Look at that request, or wait until it is decided.";
    throw refuse(409, "access-request.already-open", message);
  }
  if (asked.pending >= MOST_PENDING_IN_TEXT) {
    const message = `You have ${MOST_PENDING_IN_TEXT} requests waiting for a decision. Withdraw one, or wait until one is decided.`;
    throw refuse(429, "access-request.too-many", message, { retryAfter: 3600 });
  }
  if (asked.within_a_day < MOST_IN_TEXT_A_DAY) return;
  const freeAt = asked.oldest_within_a_day.getTime() + 24 * 60 * MINUTE;
  const retryAfter = Math.max(1, Math.ceil((freeAt - now.getTime()) / 1000));
  const message = `You have asked ${MOST_IN_TEXT_A_DAY} times within a day. Try again later.`;
  throw refuse(429, "access-request.too-many", message, { retryAfter });
}

/** Holds the account that is meant. Throws 404 when this person sees no such account that could be lent. */
export async function holdAsked(tx: Tx, call: Pick<Call, "actor" | "note">, accountId: string): Promise<AskedAccount> {
  call.note({ target: { type: "account", id: accountId } });
  await holdPlace(tx, { account_id: accountId, safe_id: await safeOfAccount(tx, accountId) });
  const account = await readAsked(tx, call.actor, accountId);
  if (account === null) throw refuse(404, "account.not-found", "Account not found");
  return account;
}

/** Throws 422 when the platform does not lend so long, or wants to know more. */
function requireFits(account: AskedAccount, { minutes, ticket }: { minutes: number; ticket: string | null }): void {
  if (minutes > account.max_duration_minutes) {
    throw tooLong("durationMinutes", `This account is lent for ${account.max_duration_minutes} minutes at most.`);
  }
  if (account.ticket_required && ticket === null) {
    const msg = "The platform of this account asks for a ticket.";
    throw refuse(422, "account.ticket-required", msg, { errors: [{ path: "ticket", msg }] });
  }
}

export const tooLong = (path: string, msg: string): Refusal =>
  refuse(422, "access-request.too-long", msg, { errors: [{ path, msg }] });

/** Null: as soon as it is granted. Throws 400 for the past, and for what is too far ahead. */
function beginningOf(asked: string | undefined, now: Date): Date | null {
  if (asked === undefined) return null;
  const ahead = new Date(asked).getTime() - now.getTime();
  if (ahead < -TOLERANCE || ahead > MOST_AHEAD) {
    const msg = ahead < 0 ? "The beginning must not lie in the past" : "The beginning is 30 days ahead at most";
    throw refuse(400, "request.invalid", msg, { errors: [{ path: "starts_at", msg }] });
  }
  return ahead <= 0 ? null : new Date(asked);
}

/** Writes the request and its first round; granted at once where nothing is needed. Throws 409 when it is open already. */
async function store({ kernel }: Site, tx: Tx, order: Order): Promise<string> {
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
    ...(isGranted ? grantOf(order.askedStart, minutes, now) : { state: "pending" as const }),
  });
  if (!isNew) {
    const message = "You have asked for this account already. Look at that request, or extend it.";
    throw refuse(409, "access-request.already-open", message);
  }
  const decided = isGranted ? ({ state: "approved", decided_at: now } as const) : ({ state: "pending" } as const);
  await insertRound(tx, { request_id: id, round: 0, minutes, ...demands, asked_at: now, ...decided });
  return id;
}

/** What changes in a row when it is granted now: it begins when it was asked to begin, if that lies ahead. */
export function grantOf(askedStart: Date | null, minutes: number, now: Date) {
  const startsAt = askedStart !== null && askedStart > now ? askedStart : now;
  return {
    state: "granted" as const,
    starts_at: startsAt,
    ends_at: new Date(startsAt.getTime() + minutes * MINUTE),
    is_start_announced: startsAt <= now,
  };
}
