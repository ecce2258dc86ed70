// Groups of users: members of safes together; teams and departments also decide who sees whose safes.
import type { Kernel } from "#kernel/kernel.ts";
import type { SafesFeature } from "#features/safes/index.ts";
import type { Tx } from "#kernel/db/database.ts";
import { forgetPerson } from "./groups.store.ts";
import { grants } from "./groups.policy.ts";
import { bindGroups } from "./groups.routes.ts";

export interface GroupsFeature {
  /** For a person who is deleted. */
  forgetPerson(tx: Tx, userId: string): Promise<void>;
}

export function installGroups(kernel: Kernel, { membersLost }: Pick<SafesFeature, "membersLost">): GroupsFeature {
  kernel.authority.grant(grants);
  bindGroups({ kernel, membersLost });
  return { forgetPerson };
}
