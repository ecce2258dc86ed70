// Sums up each UTC day soon after it ends, as well as days that were missed before.
import type { Kernel } from "#kernel/kernel.ts";
import { firstOpenDay, forgetDays, sumUp } from "./figures/days.store.ts";
import { DAY_MS } from "./validation.policy.ts";

const SUM_UP_JOB = "validation.sum-up";
/** By then, attempts that began before midnight have ended or were marked as abandoned. */
const AFTER_MS = 15 * 60_000;
const KEPT_MS = 100 * DAY_MS;

export function defineJobs(kernel: Kernel): void {
  kernel.jobs.define(SUM_UP_JOB, { schedule: "*/20 * * * *", policy: "exclusive" }, () => sumUpDays(kernel));
}

export async function sumUpDays({ clock, database }: Pick<Kernel, "clock" | "database">): Promise<void> {
  const today = dayOf(new Date(clock.now().getTime() - AFTER_MS));
  let day = await firstOpenDay(database.db);
  for (; day !== null && day < today; day = dayOf(new Date(Date.parse(day) + DAY_MS))) {
    const open = day;
    await database.transaction((tx) => sumUp(tx, open));
  }
  await database.transaction((tx) => forgetDays(tx, new Date(clock.now().getTime() - KEPT_MS)));
}

/** The UTC day, such as `2026-11-21`. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);
