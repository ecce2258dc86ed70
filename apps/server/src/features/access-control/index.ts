// Access control: overviews of who can access what and why, previews of changes, and access reviews.
import type { Tx } from "#kernel/db/database.ts";
import { defineJobs } from "./access-control.jobs.ts";
import { rolePermissions } from "./access-control.policy.ts";
import { bindAccessControl, bindReviews } from "./access-control.routes.ts";
import type { DryRunContext } from "./preview/dry-run.ts";
import type { ReviewContext } from "./reviews/reviews.ts";
import { anonymisePerson } from "./reviews/reviews.store.ts";

export interface AccessControlFeature {
  /** Anonymises a deleted user in reviews. */
  forgetPerson(tx: Tx, userId: string): Promise<void>;
}

export function installAccessControl(context: DryRunContext & ReviewContext): AccessControlFeature {
  context.kernel.authority.grant(rolePermissions);
  bindAccessControl(context);
  bindReviews(context);
  defineJobs(context);
  return { forgetPerson: anonymisePerson };
}
