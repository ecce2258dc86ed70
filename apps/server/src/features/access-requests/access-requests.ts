// Shared parts of access request calls: mapping rows to responses, audit notes and live events.
import { moment } from "#kernel/moment.ts";
import type { AccessRequest, AccessRequestId, AccountId, LiveEvent, UserId } from "@strongroom/contract";
import type { Notify, Settle } from "#features/notifications/index.ts";
import { approversOf } from "#features/safes/index.ts";
import type { AuditNote } from "#kernel/audit/entry.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Db, Tx } from "#kernel/db/database.ts";
import type { NewEvent } from "#kernel/events/events.ts";
import { refuse } from "#kernel/http/refuse.ts";
import type { Refusal } from "#kernel/http/refuse.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { actionsOf, obstacleFor, progressOf, statusOf } from "./access-requests.policy.ts";
import type { RequestAction, EndReason, RequestApprovers, RequestView } from "./access-requests.policy.ts";
import { notifyPeople } from "./notify-people.ts";
import { readAdmins, readRequest, readRequests } from "./requests/shown-requests.store.ts";
import type { ShownRequest, Viewer } from "./requests/shown-requests.store.ts";

/** Runs when a grant ends. Other features then check in the account and rotate a retrieved secret. */
export interface OnGrantEnd {
  accountId: string;
  userId: string;
  requestId: string;
  isRetrieved: boolean;
  /** The user who ended the grant; null if Strongroom ended it. */
  by: Actor | null;
}

export interface AccessRequestContext {
  kernel: Kernel;
  notify: Notify;
  settle: Settle;
  afterGrant(tx: Tx, grant: OnGrantEnd): Promise<void>;
  /** Ends expired check-outs, with or without a grant. */
  closeOverCheckOuts(): Promise<void>;
  /** The accounts that the user can see and that match a text: name prefixes first, then the newest. */
  findAccounts(db: Db, actor: Actor, text: string, limit: number): Promise<string[]>;
  mail: { readonly isConfigured: boolean; send(mail: { to: string; subject: string; text: string }): Promise<void> };
}

/** The same reply for a request that the caller may not see and for one that does not exist. */
export const notFound = (): Refusal => refuse(404, "access-request.not-found", "Access request not found");

const NOBODY: RequestApprovers = { levels: { 1: new Set(), 2: new Set() }, all: new Set() };

/** Returns a function that returns the current approvers of each of these requests. */
export async function approversOfRequests(
  db: Db,
  rows: readonly ShownRequest[],
): Promise<(row: ShownRequest) => RequestApprovers> {
  const safes = [...new Set(rows.flatMap((row) => row.safe_id ?? []))];
  const bySafe = await approversOf(db, safes);
  const admins = rows.some((row) => row.safe_id === null) ? new Set(await readAdmins(db)) : new Set<string>();
  const unmapped: RequestApprovers = { levels: { 1: admins, 2: admins }, all: admins };
  return (row) => (row.safe_id === null ? unmapped : (bySafe.get(row.safe_id) ?? NOBODY));
}

/** The input of the policy rules for a row and its viewer. */
export function viewOf(row: ShownRequest, approvers: RequestApprovers, viewer: Viewer): RequestView {
  const open = row.rounds.find((round) => round.state === "pending");
  return {
    ...row,
    canBeRequested: row.is_lendable,
    canBeConnected: row.is_connectable,
    approvedMinutes: minutesOf(row),
    mostMinutes: row.most_minutes,
    round:
      open === undefined ? null : { ...open, decisions: row.decisions.filter(({ round }) => round === open.round) },
    overseers: approvers,
    viewer: { id: viewer.id, isAdmin: viewer.role === "admin" },
  };
}

/** The total number of approved minutes. */
export const minutesOf = ({ rounds }: Pick<ShownRequest, "rounds">): number =>
  rounds.reduce((sum, round) => sum + (round.state === "approved" ? round.minutes : 0), 0);

/** Reads a request and its view for one user. Throws 404 if the user may not see the request. */
export async function readRequestView(
  db: Db,
  viewer: Viewer,
  id: string,
): Promise<{ row: ShownRequest; view: RequestView }> {
  const row = await readRequest(db, viewer, id);
  if (row === null) throw notFound();
  const approvers = await approversOfRequests(db, [row]);
  return { row, view: viewOf(row, approvers(row), viewer) };
}

/** Throws the refusal if the viewer cannot perform this action now. */
export function requireAction(action: RequestAction, view: RequestView): void {
  const obstacle = obstacleFor(action, view);
  if (obstacle !== null) throw refuse(obstacle.status, obstacle.code, obstacle.message);
}

const BECAUSE: Record<EndReason, (by: string | null, isOwn: boolean) => string> = {
  expired: () => "Access expired",
  revoked: (by, isOwn) => (isOwn ? "Ended early by the requester" : `Revoked by ${by ?? "an administrator"}`),
  withdrawn: () => "Cancelled by the requester",
  "account-deleted": () => "The account was deleted",
  "account-moved": () => "The account was moved to another safe",
  "account-disabled": () => "The account was disabled",
  "user-disabled": () => "The user was disabled",
  "user-deleted": () => "The user was deleted",
  "member-removed": () => "The user is no longer a member of the safe",
  "safe-closed": () => "The safe was deactivated",
};

export function toAccessRequest(row: ShownRequest, view: RequestView): AccessRequest {
  const { now } = row;
  const status = statusOf(row, now);
  const progress = progressOf(view);
  const open = row.rounds.find((round) => round.state === "pending");
  return {
    id: row.id as AccessRequestId,
    account_id: row.account_id as AccountId | null,
    resource: resourceOf(row),
    system: row.system ?? row.account_system,
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

/** The account's current name, or the resource as the requester wrote it. */
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

/** The audit note of a request. It never includes the reason, which is free text and may contain anything. */
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

export type RequestChange = Extract<LiveEvent, { type: "access-request.changed" }>["data"]["change"];

/** The live event for the requester and the approvers. */
export function changed(row: ShownRequest, change: RequestChange, approvers: RequestApprovers): NewEvent {
  return {
    type: "access-request.changed",
    audience: { users: [...new Set([row.user_id, ...approvers.all])], roles: ["admin"] },
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

/** Reads the changed request, notes the change for the audit trail, notifies users and browsers, and returns the request. */
export async function finishChange(
  context: AccessRequestContext,
  tx: Tx,
  call: { actor: Viewer & Pick<Actor, "name">; note(note: AuditNote): void },
  id: string,
  change: RequestChange,
  more: AuditNote["details"] = {},
): Promise<AccessRequest> {
  const [row] = await readRequests(tx, [id]);
  if (row === undefined) throw new Error(`the access request ${id} vanished within a transaction`);
  const approvers = (await approversOfRequests(tx, [row]))(row);
  call.note(auditOf(row, more));
  await context.kernel.events.publish(tx, changed(row, change, approvers));
  const view = viewOf(row, approvers, call.actor);
  await notifyPeople(context, tx, { row, overseers: approvers, progress: progressOf(view), change, by: call.actor });
  return toAccessRequest(row, view);
}
