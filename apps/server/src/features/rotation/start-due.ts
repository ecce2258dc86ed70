// Starts the rotations that nobody has to ask for: what is wanted after use, and what is due by its platform's interval.
import type { Rotation } from "@strongroom/contract";
import { lockAnyCredentials } from "#features/credentials/index.ts";
import { ownerOf } from "#features/verification/index.ts";
import { hindrance, newRotation } from "./ask-rotation.ts";
import { countBegun, findDue, skipForNow } from "./due.store.ts";
import type { DueRow } from "./due.store.ts";
import { isDue } from "./schedule.policy.ts";
import { changed } from "./rotation.ts";
import { insertRotations } from "./rotation.store.ts";
import type { Site } from "./site.ts";
import { QUEUED } from "./words.ts";

const AT_ONCE = 200;

/** Answers how many were started. INVARIANT: the schedule begins no more in a minute than the configuration allows. */
export async function startDue(site: Site, signal: AbortSignal): Promise<number> {
  const { database, clock, keys, config } = site.kernel;
  if (keys.isSealed) return 0;
  const now = clock.now();
  const left = config.rotationsPerMinute - (await countBegun(database.db));
  if (left <= 0) return 0;
  // What waits longest comes first; the rest has its turn a minute later.
  const due = (await findDue(database.db)).filter((row) => isDue(timingOf(row), now)).slice(0, left);
  let started = 0;
  for (let begin = 0; begin < due.length && !signal.aborted; begin += AT_ONCE) {
    started += await startSome(site, due.slice(begin, begin + AT_ONCE));
  }
  return started;
}

const timingOf = (row: DueRow) => ({
  id: row.id,
  rotatedAt: row.rotated_at,
  everyDays: row.rotate_every_days,
  window: row.rotation_window,
  jitterMinutes: row.rotation_jitter_minutes,
  isWanted: row.wanted_because !== null,
});

async function startSome(site: Site, due: readonly DueRow[]): Promise<number> {
  const { database, clock, events } = site.kernel;
  const byId = new Map(due.map((row) => [row.id, row]));
  return database.transaction(async (tx) => {
    const held = await lockAnyCredentials(tx, [...byId.keys()]);
    const at = clock.now();
    const [able, hindered] = parted(held, (row) => hindrance(row, byId.get(row.id)!, null) === null);
    await skipForNow(
      tx,
      hindered.map(({ id }) => id),
    );
    const rows = able.map((row) => {
      const wish = byId.get(row.id)!;
      const by = wish.rotate_as ?? "account";
      const because: Rotation["because"] = wish.wanted_because ?? "scheduled";
      const rotation = newRotation(row, { by, because, asker: null, runId: null }, at);
      // The lock-out budget: nothing but a person sends a secret again that its system has refused.
      const isRefused = row.rejected_revision === row.login_revision;
      return isRefused ? { ...rotation, journal: { ...rotation.journal, dead: [row.secret_version] } } : rotation;
    });
    const inserted = new Set(await insertRotations(tx, rows));
    for (const row of rows.filter(({ id }) => inserted.has(id))) {
      const named = { ...row, user_id: row.user_id ?? null };
      const { audience } = await ownerOf(site, tx, named);
      await events.publish(tx, changed(named, "queued", QUEUED, audience));
    }
    return inserted.size;
  });
}

const parted = <T>(all: readonly T[], isFirst: (each: T) => boolean): [T[], T[]] => [
  all.filter(isFirst),
  all.filter((each) => !isFirst(each)),
];
