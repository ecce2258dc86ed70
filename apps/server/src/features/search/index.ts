// Global search across all features. Each feature defines what can be found in it and by which users.
import type { Kernel } from "#kernel/kernel.ts";
import { rolePermissions } from "./search.policy.ts";
import { readRecent, searchEverywhere } from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import { recent, search } from "./search.ts";
import type { SearchContext } from "./search.ts";
import type { Searchable } from "./searchable.ts";

export function installSearch(kernel: Kernel, searchables: readonly Searchable[]): void {
  kernel.authority.grant(rolePermissions);
  bindSearch({ kernel, searchables });
}

export { MOST_FOUND } from "./searchable.ts";
export type { Hit, Searchable } from "./searchable.ts";

function bindSearch(context: SearchContext): void {
  implement(context.kernel, searchEverywhere, (call, db) => search(context, call, db));
  implement(context.kernel, readRecent, (call, db) => recent(context, call, db));
}
