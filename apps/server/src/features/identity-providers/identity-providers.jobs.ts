// Background job of identity providers: deletes unfinished sign-ins.
import type { Kernel } from "#kernel/kernel.ts";
import { deleteFlowsBefore } from "./oidc/flows.store.ts";

export function defineJobs(kernel: Kernel): void {
  kernel.jobs.define("identity-providers.sweep", { schedule: "*/5 * * * *" }, async () => {
    await kernel.database.transaction((tx) => deleteFlowsBefore(tx, kernel.clock.now()));
  });
}
