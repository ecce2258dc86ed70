// Starts rotations that no user requested: after a use, and when a platform's interval has passed.
import type { Rotation, Platform } from "@strongroom/contract";
import { lockSecrets } from "#features/secrets/index.ts";
import type { SecretRow } from "#features/secrets/index.ts";
import { ownerOf } from "#features/verification/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import { obstacleToRotation, newRotation } from "../enqueue-rotation.ts";
import { countBegun, findDue, lockBeginning, postponeDue } from "./due.store.ts";
import type { DueRow } from "./due.store.ts";
import { changed } from "../rotation.ts";
import { insertRotations } from "../rotation.store.ts";
import type { RotationContext } from "../context.ts";
import { notifyOfHindrance } from "../notify-people.ts";
import { QUEUED } from "../rotation-labels.ts";

export interface Timing {
  id: string;
  rotatedAt: Date;
  /** Null: the secret is not rotated automatically. */
  everyDays: number | null;
  window: Platform["rotation_window"];
  jitterMinutes: number;
  /** A rotation is requested now, regardless of interval and window. */
  isWanted: boolean;
}

const MINUTE = 60_000;

const DAY = 86_400_000;

const AT_ONCE = 200;

/**
 * Returns the number of started rotations. INVARIANT: all processes together start no more rotations in a minute than
 * the configuration allows.
 */
export async function startDue(
  context: RotationContext,
  signal: AbortSignal,
  which: "all" | "after-use" = "all",
): Promise<number> {
  const { database, clock, keys } = context.kernel;
  if (keys.isSealed) return 0;
  const now = clock.now();
  // The longest overdue accounts come first; the remaining ones follow a minute later.
  const due = (await findDue(database.db, which)).filter((row) => isDue(timingOf(row), now)).map(({ id }) => id);
  let started = 0;
  for (let begin = 0; begin < due.length && !signal.aborted; begin += AT_ONCE) {
    const startedNow = await startSome(context, due.slice(begin, begin + AT_ONCE));
    if (startedNow === null) break;
    started += startedNow;
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

/** Returns the number of started rotations; null when the limit of this minute is reached. */
async function startSome(context: RotationContext, ids: readonly string[]): Promise<number | null> {
  const { database, clock, events, config } = context.kernel;
  return database.transaction(async (tx) => {
    await lockBeginning(tx);
    const left = config.rotationsPerMinute - (await countBegun(tx));
    if (left <= 0) return null;
    const locked = await lockSecrets(tx, ids.slice(0, left));
    // INVARIANT: the account is checked again under its lock, because it may have been checked out since.
    const byId = new Map((await findDue(tx, { ids: locked.map(({ id }) => id) })).map((row) => [row.id, row]));
    const held = locked.filter(({ id }) => byId.has(id));
    const at = clock.now();
    const refusals = new Map(held.map((row) => [row.id, obstacleToRotation(row, byId.get(row.id)!, null)]));
    const [able, hindered] = parted(held, (row) => refusals.get(row.id) === null);
    await skipHindered(
      context,
      tx,
      hindered.map((row) => ({ row, reason: refusals.get(row.id)!.message, due: byId.get(row.id)! })),
    );
    const rows = able.map((row) => {
      const query = byId.get(row.id)!;
      const by = query.rotate_as ?? "account";
      const because: Rotation["because"] = query.wanted_because ?? "scheduled";
      const rotation = newRotation(row, { by, because, requester: null, runId: null }, at);
      // The lockout budget: only a user's explicit request sends a rejected secret again.
      const isRefused = row.rejected_revision === row.login_revision;
      return isRefused ? { ...rotation, journal: { ...rotation.journal, dead: [row.secret_version] } } : rotation;
    });
    const inserted = new Set(await insertRotations(tx, rows));
    for (const row of rows.filter(({ id }) => inserted.has(id))) {
      const named = { ...row, user_id: row.user_id ?? null };
      const { audience } = await ownerOf(context, tx, named);
      await events.publish(tx, changed(named, "queued", QUEUED, audience));
    }
    return inserted.size;
  });
}

interface Hindered {
  row: SecretRow;
  reason: string;
  due: DueRow;
}

/** Notifies secret managers once per reason when a requested rotation cannot start. */
async function skipHindered(context: RotationContext, tx: Tx, hindered: readonly Hindered[]): Promise<void> {
  const isNew = await postponeDue(
    tx,
    hindered.map(({ row, reason }) => ({ id: row.id, reason })),
  );
  for (const { row, reason, due } of hindered) {
    if (due.wanted_because === null || !isNew.has(row.id)) continue;
    await notifyOfHindrance(context, tx, row, reason);
    const { audience } = await ownerOf(context, tx, { credential_id: row.id, user_id: null });
    await context.kernel.events.publish(tx, { type: "account.changed", audience, data: { account_id: row.id } });
  }
}

const parted = <T>(all: readonly T[], isFirst: (each: T) => boolean): [T[], T[]] => [
  all.filter(isFirst),
  all.filter((each) => !isFirst(each)),
];

/** Hours are in UTC; 22 to 4 spans midnight. The end is excluded. */
export function isWithin(window: Timing["window"], now: Date): boolean {
  if (window === null) return true;
  const hour = now.getUTCHours();
  const { from_hour: from, to_hour: to } = window;
  return from < to ? from <= hour && hour < to : from <= hour || hour < to;
}

/** Returns a constant delay for each id, from 0 to the limit, in milliseconds, so that rotations are spread out. */
export function jitterOf(id: string, minutes: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return ((hash >>> 0) / 2 ** 32) * minutes * MINUTE;
}

export function isDue({ id, rotatedAt, everyDays, window, jitterMinutes, isWanted }: Timing, now: Date): boolean {
  if (isWanted) return true;
  if (everyDays === null) return false;
  const dueAt = rotatedAt.getTime() + everyDays * DAY + jitterOf(id, jitterMinutes);
  return dueAt <= now.getTime() && isWithin(window, now);
}
