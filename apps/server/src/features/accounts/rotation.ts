// Decides when a secret is due for rotation. The same rule exists as a pure function for rows and in SQL for filters and figures.
import type { RotationStatus } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";

export interface RotationFacts {
  /** The platform's rotation interval; null if the platform requires no rotations. */
  rotateEveryDays: number | null;
  noticeDays: number;
  /** When the active secret was stored or rotated. */
  rotatedAt: Date;
  /** When a rotation before the regular time is scheduled; null if none is. */
  wantedAt: Date | null;
}

const DAY = 86_400_000;

/** When the rotation is due; null without a policy. */
export function rotationDueAt({ rotateEveryDays, rotatedAt }: RotationFacts): Date | null {
  return rotateEveryDays === null ? null : new Date(rotatedAt.getTime() + rotateEveryDays * DAY);
}

export function rotationStatus(facts: RotationFacts, now: Date): RotationStatus {
  if (facts.wantedAt !== null) return "overdue";
  const due = rotationDueAt(facts);
  if (due === null) return "no_policy";
  if (due <= now) return "overdue";
  return due.getTime() - facts.noticeDays * DAY <= now.getTime() ? "due_soon" : "current";
}

/** The same rule in SQL: due soon or overdue (OPEN-79), over `accounts` and `platforms`. */
export const isRotationDue: RawBuilder<boolean> = sql<boolean>`(
  accounts.rotation_wanted_at is not null or coalesce(accounts.rotated_at <= ${dueSince()}, false))`;

/** The same rule in SQL for overdue secrets only. */
export const isRotationOverdue: RawBuilder<boolean> = sql<boolean>`(
  accounts.rotation_wanted_at is not null
  or coalesce(accounts.rotated_at <= access_time() - make_interval(hours => 24 * platforms.rotate_every_days), false))`;

/** For rows of `platforms`: a secret rotated at this time or earlier is due soon or overdue. Null without a policy. */
export function dueSince(): RawBuilder<Date | null> {
  return sql`access_time() - make_interval(hours => 24 * (platforms.rotate_every_days - platforms.rotation_notice_days))`;
}
