// What people are told of requests: who may decide, that one waits for them, until it is decided; who asked, what came of it.
import type { LiveEvent } from "@strongroom/contract";
import type { Notify, Settle } from "#features/notifications/index.ts";
import type { Actor } from "#kernel/authz/actor.ts";
import type { Tx } from "#kernel/db/database.ts";
import type { Overseeing, Progress } from "./access-requests.policy.ts";
import type { ShownRequest } from "./shown-requests.store.ts";

type Change = Extract<LiveEvent, { type: "access-request.changed" }>["data"]["change"];

export interface Telling {
  row: ShownRequest;
  overseers: Overseeing;
  /** Of the round that is open now. */
  progress: Progress | null;
  change: Change;
  /** Null: the product itself. */
  by: Pick<Actor, "id" | "name"> | null;
}

interface Voice {
  notify: Notify;
  settle: Settle;
}

/** INVARIANT: the reason is in none of it: people write into it what they like, and a mail is read by others. */
export async function tellPeople(voice: Voice, tx: Tx, telling: Telling): Promise<void> {
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
      return answer(voice, tx, telling, change === "granted" ? "You may use" : "You have more time with");
    case "denied":
      await settleFor(voice, tx, telling, `Denied by ${name}.`);
      return answer(voice, tx, telling, isExtension(telling.row) ? "You get no more time with" : "You were denied");
    case "ended":
      if (wasAwaited(telling.row)) await settleFor(voice, tx, telling, "It is over: nothing is to be decided.");
      return answer(voice, tx, telling, "You can no longer use");
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

/** It waited for a decision when it ended. */
export const wasAwaited = ({ rounds }: Pick<ShownRequest, "rounds">): boolean => rounds.at(-1)?.state === "withdrawn";

const isExtension = ({ rounds }: ShownRequest): boolean => rounds.length > 1;

const keyOf = ({ id }: ShownRequest): string => `access-request:${id}`;

/** One level's approval is there and the next one's is wanted; or further ones of the same are. */
async function approvedByOne(voice: Voice, tx: Tx, telling: Telling): Promise<void> {
  const { progress, by, row } = telling;
  if (progress?.level === 2 && progress.given === 0) {
    await settleFor(voice, tx, telling, "Level 1 has approved. Level 2 decides now.");
    return ask(voice, tx, telling);
  }
  if (by === null) return;
  const message = "You have approved it. Others have to, too.";
  await voice.settle(tx, { to: { users: [by.id] }, type: "jit_alert", dedupeKey: keyOf(row), message });
}

/** To those who could decide now. */
async function ask({ notify }: Voice, tx: Tx, { row, progress }: Telling): Promise<void> {
  if (progress === null) return;
  const { resource, minutes } = told(row);
  const title = isExtension(row)
    ? `${row.username} asks for ${minutes} minutes more with ${resource}`
    : `${row.username} asks for ${resource}`;
  const { level, given, needed, eligible } = progress;
  const what = row.account_id === null ? "It names no account yet: say which one is meant." : `For ${minutes} minutes.`;
  await notify(tx, {
    to: { users: eligible },
    type: "jit_alert",
    title,
    message: `${what} Level ${level}: ${given} of ${needed === 1 ? "1 approval" : `${needed} approvals`}.`,
    severity: "high",
    actionRequired: true,
    metadata: aboutOf(row),
    link: linkOf(row),
    dedupeKey: keyOf(row),
  });
}

/** To everybody who could have been asked. */
const settleFor = ({ settle }: Voice, tx: Tx, { row, overseers }: Telling, message: string): Promise<void> =>
  settle(tx, {
    to: { users: everybody(overseers), roles: ["admin"] },
    type: "jit_alert",
    dedupeKey: keyOf(row),
    message,
  });

/** To the requester, unless it was their own doing. */
async function answer({ notify }: Voice, tx: Tx, { row, by }: Telling, said: string): Promise<void> {
  if (by === null || by.id === row.user_id) return;
  const { resource } = told(row);
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

/** They get a mail about it whatever they want to hear (`raiseAlarm`). */
async function alarm({ notify }: Voice, tx: Tx, { row, overseers }: Telling): Promise<void> {
  const { resource } = told(row);
  await notify(tx, {
    to: { users: everybody(overseers).filter((id) => id !== row.user_id) },
    type: "jit_alert",
    title: `${row.username} opened ${resource} without an approval`,
    message: "Emergency access. Somebody else has to review it.",
    severity: "critical",
    actionRequired: true,
    metadata: { ...aboutOf(row), is_mailed: true },
    link: linkOf(row),
    dedupeKey: keyOf(row),
  });
}

const everybody = ({ levels, all }: Overseeing): string[] => [...new Set([...levels[1], ...levels[2], ...all])];

const told = (row: ShownRequest) => ({
  resource: row.account_name ?? row.resource,
  minutes: row.rounds.at(-1)?.minutes ?? row.duration_minutes,
});

const aboutOf = (row: ShownRequest) => ({
  request_id: row.id,
  ...(row.account_id === null ? {} : { account_id: row.account_id, account_name: row.account_name }),
});

const linkOf = ({ id }: ShownRequest): string => `/jit-access?request=${id}`;
