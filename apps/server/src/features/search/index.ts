// Search: everything that a person may see, found from one box. Each feature says what of its own is found, and by whom.
import type { Kernel } from "#kernel/kernel.ts";
import { grants } from "./search.policy.ts";
import { bindSearch } from "./search.routes.ts";
import type { Searchable } from "./searchable.ts";

export function installSearch(kernel: Kernel, searchables: readonly Searchable[]): void {
  kernel.authority.grant(grants);
  bindSearch({ kernel, searchables });
}

export { MOST_FOUND } from "./searchable.ts";
export type { Hit, Searchable } from "./searchable.ts";
