// The work on accounts that nobody waits for.
import type { Kernel } from "#kernel/kernel.ts";
import { closeOver } from "./check-outs.ts";

export function defineJobs(kernel: Kernel): void {
  kernel.jobs.define("accounts.close-check-outs", { schedule: "* * * * *", policy: "exclusive" }, () =>
    closeOver(kernel),
  );
}
