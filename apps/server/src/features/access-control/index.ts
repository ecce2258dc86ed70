// Access control: who has what and through what, what would change, and reviews of who still needs it.
import type { Tx } from "#kernel/db/database.ts";
import { defineJobs } from "./access-control.jobs.ts";
import { grants } from "./access-control.policy.ts";
import { bindAccessControl, bindReviews } from "./access-control.routes.ts";
import type { Rehearsed } from "./rehearse.ts";
import type { ReviewSite } from "./reviews.ts";
import { forgetPerson } from "./reviews.store.ts";

export interface AccessControlFeature {
  /** For a person who is deleted. */
  forgetPerson(tx: Tx, userId: string): Promise<void>;
}

export function installAccessControl(site: Rehearsed & ReviewSite): AccessControlFeature {
  site.kernel.authority.grant(grants);
  bindAccessControl(site);
  bindReviews(site);
  defineJobs(site);
  return { forgetPerson };
}
