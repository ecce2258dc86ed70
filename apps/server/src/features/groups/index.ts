// Groups of users: members of safes together; teams and departments also decide who sees whose safes.
import type { Kernel } from "#kernel/kernel.ts";
import type { SafesFeature } from "#features/safes/index.ts";
import { grants } from "./groups.policy.ts";
import { bindGroups } from "./groups.routes.ts";

export function installGroups(kernel: Kernel, { membersLost }: Pick<SafesFeature, "membersLost">): void {
  kernel.authority.grant(grants);
  bindGroups({ kernel, membersLost });
}
