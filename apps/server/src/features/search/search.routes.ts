// Binds the search endpoints to their handlers.
import { readRecent, searchEverywhere } from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import { recent, search } from "./search.ts";
import type { SearchContext } from "./search.ts";

export function bindSearch(context: SearchContext): void {
  implement(context.kernel, searchEverywhere, (call, db) => search(context, call, db));
  implement(context.kernel, readRecent, (call, db) => recent(context, call, db));
}
