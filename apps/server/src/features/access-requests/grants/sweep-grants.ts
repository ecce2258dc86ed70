// Ends expired grants and notifies browsers. Every process runs a timer, and the first process to lock a grant ends it. Access
// control does not depend on the sweep: every call asks the database whether a grant is active.
import { readEffectivePermissions } from "#features/safes/index.ts";
import { changed, approversOfRequests } from "../access-requests.ts";
import type { AccessRequestContext } from "../access-requests.ts";
import { endAutomatically } from "./end-requests.ts";
import {
  NON_MEMBER_BATCH,
  findDue,
  findNonMemberGrants,
  lockDue,
  lockGranted,
  recordStarts,
} from "./ending-requests.store.ts";
import { readRequests } from "../requests/shown-requests.store.ts";

export interface Sweep {
  start(): void;
  /** Waits for the current sweep to finish. */
  stop(): Promise<void>;
}

/** The longest pause. After it, a clock jump or a grant created by another process is noticed at the latest. */
const LONGEST_PAUSE_MS = 500;
/** The pause after a sweep that found work, which may have skipped locked rows. */
const SHORT_PAUSE_MS = 25;
const AFTER_FAILURE_MS = 1_000;
/**
 * The grants of non-members are checked in every tenth sweep. `activeGrants` already refuses access when a membership
 * expires; this sweep only records and announces the end.
 */
const OUTSIDERS_EVERY = 10;

export function createSweep(context: AccessRequestContext): Sweep {
  const { log } = context.kernel;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let looks = 0;
  let outsidersAfter: string | null = null;
  let left: ReadonlySet<string> = new Set();

  async function look(): Promise<void> {
    let pause = AFTER_FAILURE_MS;
    try {
      if (looks % OUTSIDERS_EVERY === 0) outsidersAfter = await sweepOutsiders(context, outsidersAfter);
      looks += 1;
      ({ left, pause } = await sweepGrants(context, left));
      await context.closeOverCheckOuts();
    } catch (error) {
      if (!isStopped) log.warn({ err: error }, "could not end expired grants; trying again");
    }
    if (!isStopped) timer = setTimeout(again, pause).unref();
  }
  const again = (): void => void (running = look());

  return {
    start: again,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

interface Look {
  /** Due requests that another transaction has locked, most often another process that is ending them. */
  left: ReadonlySet<string>;
  /** Milliseconds until the next sweep is due. */
  pause: number;
}

/**
 * Runs one sweep. It waits for rows that the previous sweep skipped, so that continuous use of a secret cannot delay the end
 * forever.
 */
async function sweepGrants(context: AccessRequestContext, leftBefore: ReadonlySet<string>): Promise<Look> {
  const { ended, started, next } = await findDue(context.kernel.database.db);
  const left = new Set(ended);
  const stubborn = ended.filter((id) => leftBefore.has(id));
  for (const id of await endDue(context, ended, "free")) left.delete(id);
  const awaited = stubborn.filter((id) => left.has(id));
  for (const id of [...(await endDue(context, awaited, "all")), ...awaited]) left.delete(id);
  if (started.length > 0) await announceStarts(context, started);
  if (ended.length + started.length > 0) return { left, pause: SHORT_PAUSE_MS };
  // Add one millisecond, because timers can fire early.
  const pause = next === null ? LONGEST_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, Math.ceil(next) + 1);
  return { left, pause };
}

/** Returns the ids of the ended requests. A request that cannot be ended does not block the others. */
async function endDue(context: AccessRequestContext, ids: readonly string[], which: "free" | "all"): Promise<string[]> {
  if (ids.length === 0) return [];
  try {
    return await endTogether(context, ids, which);
  } catch (error) {
    if (ids.length === 1) {
      context.kernel.log.error({ err: error, request: ids[0] }, "could not end an expired grant");
      return [];
    }
    const ended: string[] = [];
    for (const id of ids) ended.push(...(await endDue(context, [id], which)));
    return ended;
  }
}

async function endTogether(
  context: AccessRequestContext,
  ids: readonly string[],
  which: "free" | "all",
): Promise<string[]> {
  return context.kernel.database.transaction(async (tx) => {
    const rows = await lockDue(tx, ids, which);
    await endAutomatically(context, tx, rows, "expired", null);
    return rows.map(({ id }) => id);
  });
}

async function announceStarts({ kernel }: AccessRequestContext, ids: readonly string[]): Promise<void> {
  await kernel.database.transaction(async (tx) => {
    const rows = await readRequests(tx, await recordStarts(tx, ids));
    const approvers = await approversOfRequests(tx, rows);
    await kernel.events.publish(tx, ...rows.map((row) => changed(row, "started", approvers(row))));
  });
}

/**
 * Ends grants of users who can no longer see the safe, for example because their membership expired. Returns the id
 * after which the next sweep continues, or null to continue from the start.
 */
async function sweepOutsiders(context: AccessRequestContext, after: string | null): Promise<string | null> {
  const { database } = context.kernel;
  const outsiders = await findNonMemberGrants(database.db, after);
  for (const { id, user_id, role, safe_id } of outsiders) {
    const who = { id: user_id, role } as Parameters<typeof readEffectivePermissions>[1];
    if ((await readEffectivePermissions(database.db, who, safe_id)) !== null) continue;
    await database.transaction(async (tx) => {
      await endAutomatically(context, tx, await lockGranted(tx, [id]), "member-removed", null);
    });
  }
  return outsiders.length < NON_MEMBER_BATCH ? null : outsiders.at(-1)!.id;
}
