// Validation: what the Validation Dashboard shows and tells, over everything that somebody sees.
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { forgetDaysOf } from "./days.store.ts";
import { watcherOf } from "./tell-validation.ts";
import type { Site } from "./validation.ts";
import { defineJobs } from "./validation.jobs.ts";
import { bindValidation } from "./validation.routes.ts";

export interface ValidationFeature {
  /** For a person who is deleted. */
  forgetPerson(tx: Tx, userId: string): Promise<void>;
}

export function installValidation(kernel: Kernel, deps: Omit<Site, "kernel">): ValidationFeature {
  const site: Site = { kernel, ...deps };
  deps.verification.watch(watcherOf(site));
  defineJobs(kernel);
  bindValidation(site);
  return { forgetPerson: forgetDaysOf };
}

export { readStanding } from "./figures.store.ts";
export { isSeen, seen, seenRows } from "./seen.store.ts";
export type { GrantQueries, Sql, Who } from "./seen.store.ts";
