// What identity providers do by themselves: forget sign-ins that were begun and not finished.
import type { Kernel } from "#kernel/kernel.ts";
import { deleteFlowsBefore } from "./flows.store.ts";

export function defineJobs(kernel: Kernel): void {
  kernel.jobs.define("identity-providers.sweep", { schedule: "*/5 * * * *" }, async () => {
    await kernel.database.transaction((tx) => deleteFlowsBefore(tx, kernel.clock.now()));
  });
}
