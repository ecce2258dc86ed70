// What tokens do by themselves: those that are over for long are forgotten.
import type { Kernel } from "#kernel/kernel.ts";
import { SHOWN_AFTER_END } from "./tokens.policy.ts";
import { sweepTokens } from "./tokens.store.ts";

export function defineJobs({ jobs, database, clock }: Kernel): void {
  jobs.define("tokens.sweep", { schedule: "41 4 * * *", policy: "exclusive" }, () =>
    database.transaction((tx) => sweepTokens(tx, new Date(clock.now().getTime() - SHOWN_AFTER_END))),
  );
}
