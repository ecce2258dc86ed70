// Notifies users about access requests: approvers until a request is decided, and requesters about the result.
import type { LiveEvent } from "@strongroom/contract";
import type { Notify, Settle } from "#features/notifications/index.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { RequestApprovers, ApprovalProgress } from "./access-requests.policy.ts";
import type { ShownRequest } from "./requests/shown-requests.store.ts";

type Change = Extract<LiveEvent, { type: "access-request.changed" }>["data"]["change"];

export interface RequestNotice {
  row: ShownRequest;
  overseers: RequestApprovers;
  /** The progress of the open round. */
  progress: ApprovalProgress | null;
  change: Change;
  /** The user who made the change; null if Strongroom made it. */
  by: Pick<Actor, "id" | "name"> | null;
}

interface Voice {
  notify: Notify;
  settle: Settle;
}

/**
 * INVARIANT: no notification contains the reason, because it is free text and people other than the recipient may read an email.
 */
export async function notifyPeople(voice: Voice, tx: Tx, telling: RequestNotice): Promise<void> {
  const { change, by } = telling;
  const name = by?.name ?? "Strongroom";
  switch (change) {
    case "created":
    case "mapped":
      return ask(voice, tx, telling);
    case "approved":
      return approvedByOne(voice, tx, telling);
    case "granted":
    case "extended":
      await settleFor(voice, tx, telling, `Approved by ${name}.`);
      return answer(voice, tx, telling, change === "granted" ? "Access granted to" : "Access extended for");
    case "denied":
      await settleFor(voice, tx, telling, `Denied by ${name}.`);
      return answer(voice, tx, telling, isExtension(telling.row) ? "Extension denied for" : "Access denied to");
    case "ended":
      if (wasAwaited(telling.row))
        await settleFor(voice, tx, telling, "This request has ended. No decision is needed.");
      return answer(voice, tx, telling, "Access ended for");
    case "broken-glass":
      return alarm(voice, tx, telling);
    case "reviewed":
      return settleFor(voice, tx, telling, `Reviewed by ${name}.`);
    case "started":
      return;
    default:
      change satisfies never;
  }
}

/** Whether the request was waiting for a decision when it ended. */
export const wasAwaited = ({ rounds }: Pick<ShownRequest, "rounds">): boolean => rounds.at(-1)?.state === "withdrawn";

const isExtension = ({ rounds }: ShownRequest): boolean => rounds.length > 1;

const keyOf = ({ id }: ShownRequest): string => `access-request:${id}`;

/** Runs after one approval. Asks level 2 once level 1 is complete; until then, only settles the approver's own notification. */
async function approvedByOne(voice: Voice, tx: Tx, telling: RequestNotice): Promise<void> {
  const { progress, by, row } = telling;
  if (progress?.level === 2 && progress.given === 0) {
    await settleFor(voice, tx, telling, "Approved by level 1. Waiting for level 2.");
    return ask(voice, tx, telling);
  }
  if (by === null) return;
  const message = "You approved this request. More approvals are needed.";
  await voice.settle(tx, { to: { users: [by.id] }, type: "jit_alert", dedupeKey: keyOf(row), message });
}

/** Notifies the users who could decide now. */
async function ask({ notify }: Voice, tx: Tx, { row, progress }: RequestNotice): Promise<void> {
  if (progress === null) return;
  const { resource, minutes } = detailsOf(row);
  const title = isExtension(row)
    ? `${row.username} requests ${minutes} more minutes of access to ${resource}`
    : `${row.username} requests access to ${resource}`;
  const { level, given, needed, eligible } = progress;
  const what = row.account_id === null ? "Choose the account first." : `For ${minutes} minutes.`;
  await notify(tx, {
    to: { users: eligible },
    type: "jit_alert",
    title,
    message: `${what} Level ${level}: ${given} of ${needed === 1 ? "1 approval" : `${needed} approvals`}.`,
    severity: "high",
    actionRequired: true,
    metadata: aboutOf(row),
    link: pageOf(row),
    dedupeKey: keyOf(row),
  });
}

/** Settles the notification of every user who could have been asked. */
const settleFor = (
  { settle }: Voice,
  tx: Tx,
  { row, overseers: approvers }: RequestNotice,
  message: string,
): Promise<void> =>
  settle(tx, {
    to: { users: everybody(approvers), roles: ["admin"] },
    type: "jit_alert",
    dedupeKey: keyOf(row),
    message,
  });

/** Notifies the requester, unless the requester made the change. */
async function answer({ notify }: Voice, tx: Tx, { row, by }: RequestNotice, said: string): Promise<void> {
  if (by === null || by.id === row.user_id) return;
  const { resource } = detailsOf(row);
  await notify(tx, {
    to: { users: [row.user_id] },
    type: "jit_alert",
    title: `${said} ${resource}`,
    message: `Decided by ${by.name}.`,
    severity: "medium",
    actionRequired: false,
    metadata: aboutOf(row),
    link: linkOf(row),
    dedupeKey: `${keyOf(row)}:answer`,
  });
}

/** Whatever their preferences, approvers also get an email (`raiseAlarm`). */
async function alarm({ notify }: Voice, tx: Tx, { row, overseers: approvers }: RequestNotice): Promise<void> {
  const { resource } = detailsOf(row);
  await notify(tx, {
    to: { users: everybody(approvers).filter((id) => id !== row.user_id) },
    type: "jit_alert",
    title: `${row.username} opened ${resource} without approval`,
    message: "Emergency access. Another person must review it.",
    severity: "critical",
    actionRequired: true,
    metadata: { ...aboutOf(row), is_mailed: true },
    link: pageOf(row),
    dedupeKey: keyOf(row),
  });
}

const everybody = ({ levels, all }: RequestApprovers): string[] => [...new Set([...levels[1], ...levels[2], ...all])];

const detailsOf = (row: ShownRequest) => ({
  resource: row.account_name ?? row.resource,
  minutes: row.rounds.at(-1)?.minutes ?? row.duration_minutes,
});

const aboutOf = (row: ShownRequest) => ({
  request_id: row.id,
  ...(row.account_id === null ? {} : { account_id: row.account_id, account_name: row.account_name }),
});

/** For the requester: the list with the details open. */
const linkOf = ({ id }: ShownRequest): string => `/jit-access?request=${id}`;

/** For approvers: the page for the decision. */
const pageOf = ({ id }: ShownRequest): string => `/jit-access/${id}`;
