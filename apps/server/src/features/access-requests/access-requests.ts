// What an access request is here: how rows become what people see, how the audit trail names it, and who hears of changes.
import { moment } from "#kernel/moment.ts";
import type { AccessRequest, AccessRequestId, AccountId, LiveEvent, UserId } from "@strongroom/contract";
import type { Notify, Settle } from "#features/notifications/index.ts";
import { overseersOf } from "#features/safes/index.ts";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { NewEvent } from "#kernel/events/events.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { actionsOf, obstacleTo, progressOf, statusOf } from "./access-requests.policy.ts";
import type { Action, EndedHow, Overseeing, View } from "./access-requests.policy.ts";
import { tellPeople } from "./tell-people.ts";
import { readAdmins, readRequest, readRequests } from "./shown-requests.store.ts";
import type { ShownRequest, Who } from "./shown-requests.store.ts";

/** What is done elsewhere when lent access ends: the check-out is closed, a changed secret wanted. */
export interface EndOfGrant {
  accountId: string;
  userId: string;
  requestId: string;
  isRetrieved: boolean;
  /** Null: the product itself. */
  by: Actor | null;
}

export interface Site {
  kernel: Kernel;
  notify: Notify;
  settle: Settle;
  afterGrant(tx: Tx, grant: EndOfGrant): Promise<void>;
  /** The accounts that this person sees and that match a text: those whose names begin with it, then the newest. */
  findAccounts(db: Db, actor: Actor, text: string, limit: number): Promise<string[]>;
  mail: { readonly isConfigured: boolean; send(mail: { to: string; subject: string; text: string }): Promise<void> };
}

/** The same for a request that this person may not see and for one that does not exist. */
export const notFound = (): Refusal => refuse(404, "access-request.not-found", "Access request not found");

const NOBODY: Overseeing = { levels: { 1: new Set(), 2: new Set() }, all: new Set() };

/** Who oversees each of these requests now. */
export async function overseersOfAll(
  db: Db,
  rows: readonly ShownRequest[],
): Promise<(row: ShownRequest) => Overseeing> {
  const safes = [...new Set(rows.flatMap((row) => row.safe_id ?? []))];
  const bySafe = await overseersOf(db, safes);
  const admins = rows.some((row) => row.safe_id === null) ? new Set(await readAdmins(db)) : new Set<string>();
  const unmapped: Overseeing = { levels: { 1: admins, 2: admins }, all: admins };
  return (row) => (row.safe_id === null ? unmapped : (bySafe.get(row.safe_id) ?? NOBODY));
}

/** What the rules are asked about: a row, and who looks at it. */
export function viewOf(row: ShownRequest, overseers: Overseeing, viewer: Who): View {
  const open = row.rounds.find((round) => round.state === "pending");
  return {
    ...row,
    isLendable: row.is_lendable,
    approvedMinutes: minutesOf(row),
    mostMinutes: row.most_minutes,
    round:
      open === undefined ? null : { ...open, decisions: row.decisions.filter(({ round }) => round === open.round) },
    overseers,
    viewer: { id: viewer.id, isAdmin: viewer.role === "admin" },
  };
}

/** The minutes that were approved. */
export const minutesOf = ({ rounds }: Pick<ShownRequest, "rounds">): number =>
  rounds.reduce((sum, round) => sum + (round.state === "approved" ? round.minutes : 0), 0);

/** A row and the view of it, for one person. Throws 404 when they may not see it. */
export async function look(db: Db, viewer: Who, id: string): Promise<{ row: ShownRequest; view: View }> {
  const row = await readRequest(db, viewer, id);
  if (row === null) throw notFound();
  const overseers = await overseersOfAll(db, [row]);
  return { row, view: viewOf(row, overseers(row), viewer) };
}

/** Throws the refusal when this cannot be done now. */
export function demand(action: Action, view: View): void {
  const obstacle = obstacleTo(action, view);
  if (obstacle !== null) throw refuse(obstacle.status, obstacle.code, obstacle.message);
}

const BECAUSE: Record<EndedHow, (by: string | null, isOwn: boolean) => string> = {
  expired: () => "The time was over",
  revoked: (by, isOwn) => (isOwn ? "Given back early" : `Revoked by ${by ?? "an administrator"}`),
  withdrawn: () => "Taken back by the requester",
  "account-deleted": () => "The account was deleted",
  "account-moved": () => "The account was moved to another safe",
  "account-disabled": () => "The account was disabled",
  "user-disabled": () => "The user was disabled",
  "user-deleted": () => "The user was deleted",
  "member-removed": () => "The user is no longer a member of the safe",
  "safe-closed": () => "The safe was made inactive",
};

export function toAccessRequest(row: ShownRequest, view: View): AccessRequest {
  const { now } = row;
  const status = statusOf(row, now);
  const progress = progressOf(view);
  const open = row.rounds.find((round) => round.state === "pending");
  return {
    id: row.id as AccessRequestId,
    account_id: row.account_id as AccountId | null,
    resource: resourceOf(row),
    system: row.system,
    user_id: row.user_id as UserId,
    username: row.username,
    user_email: row.user_email,
    business_justification: row.reason,
    ticket: row.ticket,
    duration_minutes: row.duration_minutes,
    status,
    computed_status: status,
    created_at: row.created_at.toISOString(),
    starts_at: moment(row.starts_at ?? row.asked_start_at),
    expires_at: moment(row.ends_at),
    time_remaining: row.state === "granted" ? secondsUntil(row.ends_at!, now) : null,
    approved_by: row.decisions.at(-1)?.approver ?? null,
    decisions: row.decisions.map(({ approver, level, decision, comment, at }) => ({
      approver,
      level,
      decision,
      comment,
      at,
    })),
    approval: progress === null ? null : { ...progress, eligible: progress.eligible.length },
    pending_extension_minutes: row.state === "granted" && open !== undefined ? open.minutes : null,
    ended_at: moment(row.ended_at),
    ended_because:
      row.ended_how === null ? null : BECAUSE[row.ended_how](row.ended_by_name, row.ended_by === row.user_id),
    riskLevel: row.risk_level,
    is_break_glass: row.is_break_glass,
    review: reviewOf(row),
    needs_review: row.is_break_glass && row.reviewed_at === null,
    can: actionsOf(view),
  };
}

/** The account's name as it is now, or what the requester wrote. */
export const resourceOf = (row: Pick<ShownRequest, "account_name" | "resource">): string =>
  row.account_name ?? row.resource;

const secondsUntil = (end: Date, now: Date): number => Math.max(0, Math.ceil((end.getTime() - now.getTime()) / 1000));

function reviewOf(row: ShownRequest): AccessRequest["review"] {
  if (row.review_verdict === null) return null;
  return {
    verdict: row.review_verdict,
    comment: row.review_comment ?? "",
    reviewer: row.reviewer ?? "Unknown",
    at: row.reviewed_at!.toISOString(),
  };
}

/** What every audit entry of a request names. Never the reason: people write into it what they like. */
export function auditOf(row: ShownRequest, more: AuditNote["details"] = {}): AuditNote {
  return {
    target: { type: "access-request", id: row.id, name: resourceOf(row) },
    details: {
      ...(row.account_id === null ? {} : { account_id: row.account_id, account: row.account_name }),
      requester_id: row.user_id,
      requester: row.username,
      duration_minutes: row.duration_minutes,
      ticket: row.ticket,
      ends_at: moment(row.ends_at),
      ...more,
    },
  };
}

export type Change = Extract<LiveEvent, { type: "access-request.changed" }>["data"]["change"];

/** The live event for the requester and for those who oversee it. */
export function changed(row: ShownRequest, change: Change, overseers: Overseeing): NewEvent {
  return {
    type: "access-request.changed",
    audience: { users: [...new Set([row.user_id, ...overseers.all])], roles: ["admin"] },
    data: {
      request_id: row.id,
      change,
      status: statusOf(row, row.now),
      resource: resourceOf(row),
      requester_id: row.user_id,
      requester: row.username,
    },
  };
}

/** Reads the request as it is after a change, notes it for the trail, tells the browsers, and answers with it. */
export async function conclude(
  site: Site,
  tx: Tx,
  call: { actor: Who & Pick<Actor, "name">; note(note: AuditNote): void },
  id: string,
  change: Change,
  more: AuditNote["details"] = {},
): Promise<AccessRequest> {
  const [row] = await readRequests(tx, [id]);
  if (row === undefined) throw new Error(`the access request ${id} vanished within a transaction`);
  const overseers = (await overseersOfAll(tx, [row]))(row);
  call.note(auditOf(row, more));
  await site.kernel.events.publish(tx, changed(row, change, overseers));
  const view = viewOf(row, overseers, call.actor);
  await tellPeople(site, tx, { row, overseers, progress: progressOf(view), change, by: call.actor });
  return toAccessRequest(row, view);
}
