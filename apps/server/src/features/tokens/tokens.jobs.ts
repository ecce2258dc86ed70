// What tokens do by themselves: those that end soon are told of, and those that are over for long are forgotten.
import type { Notify } from "#features/notifications/index.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { tellOfEnds } from "./tell-of-ends.ts";
import { SHOWN_AFTER_END } from "./tokens.policy.ts";
import { sweepTokens } from "./tokens.store.ts";

export function defineJobs(kernel: Kernel, notify: Notify): void {
  const { jobs, database, clock } = kernel;
  jobs.define("tokens.sweep", { schedule: "41 4 * * *", policy: "exclusive" }, () => {
    const now = clock.now();
    return database.transaction((tx) => sweepTokens(tx, { now, before: new Date(now.getTime() - SHOWN_AFTER_END) }));
  });
  jobs.define("tokens.tell-of-ends", { schedule: "13 * * * *", policy: "exclusive" }, () => tellOfEnds(kernel, notify));
}
