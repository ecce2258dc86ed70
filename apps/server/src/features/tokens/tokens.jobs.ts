// Background jobs for tokens: notify holders before tokens expire, and delete tokens that ended long ago.
import type { Notify } from "#features/notifications/index.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { notifyOfTokenEnds } from "./notify-token-ends.ts";
import { RETENTION_AFTER_END } from "./tokens.policy.ts";
import { sweepTokens } from "./tokens.store.ts";

export function defineJobs(kernel: Kernel, notify: Notify): void {
  const { jobs, database, clock } = kernel;
  jobs.define("tokens.sweep", { schedule: "41 4 * * *", policy: "exclusive" }, () => {
    const now = clock.now();
    return database.transaction((tx) =>
      sweepTokens(tx, { now, before: new Date(now.getTime() - RETENTION_AFTER_END) }),
    );
  });
  jobs.define("tokens.tell-of-ends", { schedule: "13 * * * *", policy: "exclusive" }, () =>
    notifyOfTokenEnds(kernel, notify),
  );
}
