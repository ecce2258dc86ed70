// Global search across all features. Each feature defines what can be found in it and by which users.
import type { Kernel } from "#kernel/kernel.ts";
import { rolePermissions } from "./search.policy.ts";
import { bindSearch } from "./search.routes.ts";
import type { Searchable } from "./searchable.ts";

export function installSearch(kernel: Kernel, searchables: readonly Searchable[]): void {
  kernel.authority.grant(rolePermissions);
  bindSearch({ kernel, searchables });
}

export { MOST_FOUND } from "./searchable.ts";
export type { Hit, Searchable } from "./searchable.ts";
