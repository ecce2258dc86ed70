// Validation: the Validation Dashboard's lists, figures and events, limited to what the user can see.
import type { Tx } from "#kernel/db/database.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { forgetDaysOf } from "./figures/days.store.ts";
import { watcherOf } from "./notify-validation.ts";
import type { ValidationContext } from "./validation.ts";
import { defineJobs } from "./validation.jobs.ts";
import { bindValidation } from "./validation.routes.ts";

export interface ValidationFeature {
  /** Deletes the daily figures of a user who is being deleted. */
  forgetPerson(tx: Tx, userId: string): Promise<void>;
}

export function installValidation(kernel: Kernel, deps: Omit<ValidationContext, "kernel">): ValidationFeature {
  const context: ValidationContext = { kernel, ...deps };
  deps.verification.watch(watcherOf(context));
  defineJobs(kernel);
  bindValidation(context);
  return { forgetPerson: forgetDaysOf };
}
