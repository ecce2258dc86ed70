// Ends grants when their time is over and tells the browsers: a timer in every process, whoever is first does it. Access itself
// does not wait for it: every call asks the database whether a grant is in force.
import { readStanding } from "#features/safes/index.ts";
import { changed, overseersOfAll } from "./access-requests.ts";
import type { Site } from "./access-requests.ts";
import { endByItself } from "./end-requests.ts";
import {
  OUTSIDERS_AT_ONCE,
  findDue,
  findOutsiders,
  holdDue,
  holdGranted,
  noteStarts,
} from "./ending-requests.store.ts";
import { readRequests } from "./shown-requests.store.ts";

export interface Sweep {
  start(): void;
  /** Waits for what is under way. */
  stop(): Promise<void>;
}

/** The longest pause: a clock that jumps, and a grant that another process made, are noticed by then. */
const LONGEST_PAUSE_MS = 500;
/** After a look that found something: it may have left some, which somebody else held. */
const SHORT_PAUSE_MS = 25;
const AFTER_FAILURE_MS = 1_000;
/** Memberships that run out by themselves end no access at once by this: `grantsInForce` does. It only tells. */
const OUTSIDERS_EVERY = 10;

export function createSweep(site: Site): Sweep {
  const { log } = site.kernel;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let looks = 0;
  let outsidersAfter: string | null = null;
  let left: ReadonlySet<string> = new Set();

  async function look(): Promise<void> {
    let pause = AFTER_FAILURE_MS;
    try {
      if (looks % OUTSIDERS_EVERY === 0) outsidersAfter = await sweepOutsiders(site, outsidersAfter);
      looks += 1;
      ({ left, pause } = await sweepGrants(site, left));
    } catch (error) {
      if (!isStopped) log.warn({ err: error }, "grants that are over could not be ended; trying again");
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
  /** Over, and held by somebody else: most often by another process that ends it. */
  left: ReadonlySet<string>;
  /** Milliseconds until the next look is due. */
  pause: number;
}

/** One look. What was left by the one before is waited for, so that a secret in constant use keeps no end from being told. */
async function sweepGrants(site: Site, leftBefore: ReadonlySet<string>): Promise<Look> {
  const { ended, started, next } = await findDue(site.kernel.database.db);
  const left = new Set(ended);
  const stubborn = ended.filter((id) => leftBefore.has(id));
  for (const id of await endDue(site, ended, "free")) left.delete(id);
  const awaited = stubborn.filter((id) => left.has(id));
  for (const id of [...(await endDue(site, awaited, "all")), ...awaited]) left.delete(id);
  if (started.length > 0) await announceStarts(site, started);
  if (ended.length + started.length > 0) return { left, pause: SHORT_PAUSE_MS };
  // A millisecond more, because timers fire early.
  const pause = next === null ? LONGEST_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, Math.ceil(next) + 1);
  return { left, pause };
}

/** Answers which of them it ended. One that cannot be ended keeps no other from it. */
async function endDue(site: Site, ids: readonly string[], which: "free" | "all"): Promise<string[]> {
  if (ids.length === 0) return [];
  try {
    return await endTogether(site, ids, which);
  } catch (error) {
    if (ids.length === 1) {
      site.kernel.log.error({ err: error, request: ids[0] }, "a grant that is over could not be ended");
      return [];
    }
    const ended: string[] = [];
    for (const id of ids) ended.push(...(await endDue(site, [id], which)));
    return ended;
  }
}

async function endTogether(site: Site, ids: readonly string[], which: "free" | "all"): Promise<string[]> {
  return site.kernel.database.transaction(async (tx) => {
    const rows = await holdDue(tx, ids, which);
    await endByItself(site, tx, rows, "expired", null);
    return rows.map(({ id }) => id);
  });
}

async function announceStarts({ kernel }: Site, ids: readonly string[]): Promise<void> {
  await kernel.database.transaction(async (tx) => {
    const rows = await readRequests(tx, await noteStarts(tx, ids));
    const overseers = await overseersOfAll(tx, rows);
    await kernel.events.publish(tx, ...rows.map((row) => changed(row, "started", overseers(row))));
  });
}

/**
 * Ends grants of people whose last sight of the safe ran out, such as a membership that had an end. Answers after which grant
 * the next look goes on; null: from the beginning.
 */
async function sweepOutsiders(site: Site, after: string | null): Promise<string | null> {
  const { database } = site.kernel;
  const outsiders = await findOutsiders(database.db, after);
  for (const { id, user_id, role, safe_id } of outsiders) {
    const who = { id: user_id, role } as Parameters<typeof readStanding>[1];
    if ((await readStanding(database.db, who, safe_id)) !== null) continue;
    await database.transaction(async (tx) => {
      await endByItself(site, tx, await holdGranted(tx, [id]), "member-removed", null);
    });
  }
  return outsiders.length < OUTSIDERS_AT_ONCE ? null : outsiders.at(-1)!.id;
}
