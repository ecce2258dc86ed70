// Checks the rights of a gateway's live sessions again, all in one query.
import type { Db } from "#kernel/db/database.ts";
import { endOf, knownEndOf, nextCheckOf } from "../sessions.policy.ts";
import type { SessionEnd } from "../sessions.store.ts";
import type { SessionRules } from "./session-rules.store.ts";
import { readSessionFacts } from "./session-users.store.ts";

/**
 * The channel of notifications that a right may have changed; the payload is empty. A gateway that hears one, or has
 * (again) begun to listen, calls `recheckSessions`.
 */
export const RECHECK_CHANNEL = "session_recheck";

/** A session that continues, with its currently known end. */
export interface GoingOn {
  id: string;
  /** Milliseconds until that end, by the database's clock. A gateway without the database ends the session then. */
  endsIn: number;
  /** The name of the user who paused its input; null: the input is not paused. */
  pausedBy: string | null;
  /** The platform's current rules. */
  rules: LiveRules;
}

/** The rules that a gateway applies to a session, even when they change during the session. */
export type LiveRules = Pick<SessionRules, "idleMinutes" | "needsWatcher" | "hidesWatchers">;

export interface Recheck {
  ending: (SessionEnd & { id: string })[];
  goingOn: GoingOn[];
  /** Milliseconds until the next check is due although nothing was changed; null without a session. */
  nextIn: number | null;
}

/**
 * Call it on every notification, when `nextIn` has passed, and at least every 10 s. A live session of the gateway that
 * is in neither list has ended.
 */
export async function recheckSessions(db: Db, gatewayId: string): Promise<Recheck> {
  const all = (await readSessionFacts(db, gatewayId)).map((facts) => ({ facts, end: endOf(facts) }));
  const goingOn = all.flatMap(({ facts, end }) => (end === null ? [facts] : []));
  const nexts = goingOn.map((facts) => Number(nextCheckOf(facts)) - Number(facts.now));
  return {
    ending: all.flatMap(({ facts, end }) => (end === null ? [] : [{ id: facts.id, ...end }])),
    goingOn: goingOn.map((facts) => ({
      id: facts.id,
      endsIn: Number(knownEndOf(facts)) - Number(facts.now),
      pausedBy: facts.paused_by,
      rules: {
        idleMinutes: facts.idle_minutes,
        needsWatcher: facts.needs_watcher,
        hidesWatchers: facts.hides_watchers,
      },
    })),
    // One millisecond more, because timers fire early.
    nextIn: nexts.length === 0 ? null : Math.max(0, Math.min(...nexts)) + 1,
  };
}

/** The sessions of this gateway that must end now, each with the reason. */
export const sessionsToEnd = async (db: Db, gatewayId: string): Promise<Recheck["ending"]> =>
  (await recheckSessions(db, gatewayId)).ending;
