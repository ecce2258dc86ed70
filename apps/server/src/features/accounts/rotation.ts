// When a secret is to be changed: one rule, as a pure function for rows, and in SQL for filters and figures.
import type { RotationStatus } from "@strongroom/contract";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";

export interface RotationFacts {
  /** Of the platform; null: it asks for no changes. */
  rotateEveryDays: number | null;
  noticeDays: number;
  /** When the secret in force was stored or changed. */
  rotatedAt: Date;
  /** A change that is wanted before its time; null: none is. */
  wantedAt: Date | null;
}

const DAY = 86_400_000;

/** Null without a policy. */
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

/** Of a platform: a secret that was changed at this time or before is due soon or overdue. Null without a policy. */
export function dueSince(): RawBuilder<Date | null> {
  return sql`access_time() - make_interval(hours => 24 * (platforms.rotate_every_days - platforms.rotation_notice_days))`;
}
