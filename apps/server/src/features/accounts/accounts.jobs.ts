// Background jobs of accounts.
import type { Kernel } from "#kernel/kernel.ts";
import { endExpiredCheckOuts } from "./checkout/check-outs.ts";

export function defineJobs(kernel: Kernel): void {
  kernel.jobs.define("accounts.close-check-outs", { schedule: "* * * * *", policy: "exclusive" }, () =>
    endExpiredCheckOuts(kernel),
  );
}
